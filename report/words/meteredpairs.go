package words

import "strings"

// MeteredBoth says how precise the measured lines of two runs are. subject and reference are the
// results of MeteredPrecision, or empty. compared is set if lines can be compared.
func MeteredBoth(subject, reference string, compared bool) string {
	if compared {
		return "subject: " + subject + "; reference: " + reference
	}
	const needs = "; to compare lines by measured energy, both runs need counted paths, a meter, and figures for lines"
	switch {
	case subject == "":
		return "only the reference has measured energy of lines (" + reference + ")" + needs
	case reference == "":
		return "only the subject has measured energy of lines (" + subject + ")" + needs
	}
	return "subject: " + subject + "; reference: " + reference + needs
}

// MeteredPairsTitle is the title of measured lines in two runs.
func MeteredPairsTitle(what string) string {
	return "Measured energy of each " + what + " of both runs: first those whose energy per execution differs by more than chance, the largest difference first"
}

// MeteredPairsLegend explains the columns of the table.
const MeteredPairsLegend = "difference: of the energy in the run; 95%: its interval; each: the energy of one execution; there: in the reference; more each: one execution costs more, and the intervals do not overlap; more often: it ran more often, by exact counts; unclear: may be chance"

// MeteredWhy says how a line differs between two runs: "more each, more often".
//
//   - verdict is "more", "less" or "unclear", about the whole run.
//   - each is the same about one execution.
//   - often is 1 if the subject runs the line more often, and -1 if the reference does.
//   - here and there are the numbers of executions.
func MeteredWhy(verdict, each string, often int, here, there int64) string {
	switch {
	case there == 0:
		return "ran only here"
	case here == 0:
		return "ran only there"
	}
	var why []string
	if each != "unclear" {
		why = append(why, each+" each")
	}
	if often != 0 {
		why = append(why, map[int]string{1: "more often", -1: "less often"}[often])
	}
	switch {
	case verdict == "unclear" && each == "unclear":
		return "unclear"
	case len(why) == 0:
		return verdict
	}
	return strings.Join(why, ", ")
}

// MeteredOpen states the number of lines that cannot be compared.
func MeteredOpen(open int, what string) string {
	return Some(open, "more "+what) + " not compared: a run that executed them does not show their energy within ±50%"
}

// MeteredWindows warns about runs whose measured times differ. Times are in nanoseconds.
func MeteredWindows(here, there int64) string {
	return "the measured time is " + shortTime(here) + " in the subject and " + shortTime(there) + " in the reference, so compare the energy of one execution"
}
