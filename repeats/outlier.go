package repeats

import "math"

// Constants of Outlying. A run is an outlier if its modified z-score is above outlyingScore
// (Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993), and it is at least the
// fraction outlyingPart away from the median. Its side must have minOutlierRuns runs.
const (
	minOutlierRuns = 4
	outlyingScore  = 3.5
	outlyingPart   = 0.05
)

// OutlyingRule describes the rule of Outlying for users.
const OutlyingRule = "modified z-score of the logarithm above 3.5"

// Outlying returns the indices of runs whose total energy is an outlier. totals has the runs of one
// side. Logarithms are compared, so half the median is as far away as twice the median. If there
// are fewer than four runs, it returns nil.
func Outlying(totals []float64) []int {
	if len(totals) < minOutlierRuns {
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
	// For a normal distribution, the median deviation is 0.6745 times the standard deviation.
	typical := Median(away) / 0.6745
	var found []int
	for i, x := range away {
		if x > outlyingScore*typical && x >= math.Log1p(outlyingPart) {
			found = append(found, i)
		}
	}
	return found
}
