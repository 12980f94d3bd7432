package repeats

import "math"

// Runs are called outlying from fewOutlying runs a side on, if their modified z-score is
// above outlyingScore (Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993), and
// if they differ from the median by a part of outlyingPart or more.
const (
	fewOutlying   = 4
	outlyingScore = 3.5
	outlyingPart  = 0.05
)

// OutlyingRule says for people which runs Outlying names.
const OutlyingRule = "modified z-score of the logarithm above 3.5"

// Outlying returns the runs of one side, by their index, that lie far from the others by
// what they drained in all. Logarithms are compared, so that half is as far as twice. No
// run of fewer than four is outlying.
func Outlying(totals []float64) []int {
	if len(totals) < fewOutlying {
		return nil
	}
	logs := make([]float64, len(totals))
	for i, x := range totals {
		if x <= 0 {
			return nil
		}
		logs[i] = math.Log(x)
	}
	middle := Median(logs)
	away := make([]float64, len(logs))
	for i, x := range logs {
		away[i] = math.Abs(x - middle)
	}
	// 0.6745 is the quotient of the median deviation and the standard deviation of what is
	// normally distributed.
	typical := Median(away) / 0.6745
	var found []int
	for i, x := range away {
		if x > outlyingScore*typical && x >= math.Log1p(outlyingPart) {
			found = append(found, i)
		}
	}
	return found
}
