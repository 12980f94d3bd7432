package words

import (
	"fmt"
	"math"
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

// LinesTitle names the rows of a table of lines, and their order. grade is as in LinesCarry.
func LinesTitle(two, byMethod bool, grade, by string) string {
	switch {
	case two && byMethod:
		return "Methods of both runs: first those that differ by more than chance, the largest difference first"
	case two:
		return "Lines of both runs: first those that differ by more than chance, the largest difference first"
	}
	if grade == "nothing" {
		return "Methods, " + topOrder(by)
	}
	return "Lines, " + topOrder(by)
}

// LinesLegend explains the columns of a table of lines.
func LinesLegend(two bool) string {
	if two {
		return "difference: of the energy without callees; 95%: the interval of the difference; unclear: may be chance"
	}
	return "self: without callees; 95%: the interval that holds self, – for fewer than 10 samples; all: with callees, recursion counted once"
}

// OtherLines names the rest of a method: some lines that have no figure of their own, or samples whose
// line is unknown.
func OtherLines(method string, lines int) string {
	if lines == 0 {
		return method + ", " + LineUnknown
	}
	return method + ", " + Some(lines, "other line")
}

// MethodsNote says why two runs are compared by method.
const MethodsNote = "lines move from build to build, so these are methods: give the sources of both builds with --source and --reference-source to compare lines"

// LineUnknown names the energy of samples without a line.
const LineUnknown = "line unknown"

// LinesUnlisted writes the numbers of hidden and of filtered rows, and their energy.
func LinesUnlisted(hidden, filtered int, rest string) string {
	switch {
	case filtered == 0:
		return fmt.Sprintf("%s more, %s in all without callees: --top 0 shows all.", Some(hidden, "row"), rest)
	case hidden == 0:
		return fmt.Sprintf("%s left out, %s in all without callees.", Some(filtered, "row"), rest)
	}
	return fmt.Sprintf("%s more, which --top 0 shows, and %s left out: %s in all without callees.", Some(hidden, "row"), Some(filtered, "row"), rest)
}
