package words

import (
	"fmt"
	"math"
	"strings"
)

// LinesCarry says how finely a run can be divided by line. grade is "lines", "methods" or "nothing".
// located is the share of the samples whose line is known. longer is the factor by which the run would
// have to be longer. advice says how to record lines, and may be empty.
func LinesCarry(grade string, located, longer float64, advice string) string {
	switch grade {
	case "lines":
		return Percent(located) + " of the samples have a line; the lines with a close figure (±50%) have at least half of the energy"
	case "methods":
		text := Percent(located) + " of the samples have a line; there are too few samples for most lines: trust the methods"
		if longer > 1 && longer < 1000 {
			text += fmt.Sprintf("; a run %s times as long would have close figures (±50%%) for half of the energy", TwoDigits(math.Ceil(10*longer)/10))
		}
		return text
	}
	if advice != "" {
		advice = ": " + advice
	}
	return "no sample has a source line" + advice
}

// LinesTitle names the rows of a table of lines, and their order. what is a row: "line" or "method".
func LinesTitle(two bool, what, by string) string {
	switch {
	case two && what == "method":
		return "Methods of both runs: first those that differ by more than chance, the largest difference first"
	case two:
		return "Lines of both runs: first those that differ by more than chance, the largest difference first"
	}
	return strings.ToUpper(what[:1]) + what[1:] + "s, " + topOrder(by)
}

// LinesLegend explains the columns of a table of lines. by is the order of the rows, "self" or "all".
func LinesLegend(two bool, by string) string {
	switch {
	case two && by == "all":
		return "difference: of the energy with callees; 95%: the interval of the difference; unclear: may be chance"
	case two:
		return "difference: of the energy without callees; 95%: the interval of the difference; unclear: may be chance"
	}
	return ListingLegend(false)
}

// ListingLegend explains the columns of a listing of lines, of one run or of two.
func ListingLegend(two bool) string {
	text := "self: without callees; 95%: its interval, if the total is right, – for fewer than 10 samples; all: with callees, recursion counted once"
	if two {
		text += "; there: the same line in the other run"
	}
	return text
}

// MethodsNote says why two runs are compared by method.
const MethodsNote = "lines move from build to build, so these are methods: give the sources of both builds with --source and --reference-source to compare lines"

// ListingNote says why a listing has no figures of the other run.
const ListingNote = "lines move from build to build, so the figures are of the subject alone: give the sources of both builds with --source and --reference-source to compare lines"
