package change

import "slices"

// ExtraRuns is a number of additional runs for the point with index Point.
type ExtraRuns struct{ Point, Runs int }

// MostWanted is the maximum total number of additional runs.
const MostWanted = 20

// NeededRuns returns the smallest number of additional runs that would settle a question. It
// assumes that new runs are like the existing runs of their point. The additional runs are for one
// of the points in counts, or equally many for all of them. The function settled reports whether a
// result settles the question. NeededRuns returns nil if MostWanted runs do not suffice, or if the
// points have no runs.
func NeededRuns(points [][]float64, counts []int, settled func(*Result) bool) []ExtraRuns {
	for total := 1; total <= MostWanted; total++ {
		var choices [][]ExtraRuns
		for _, i := range counts {
			choices = append(choices, []ExtraRuns{{i, total}})
		}
		if len(counts) > 1 && total%len(counts) == 0 {
			var all []ExtraRuns
			for _, i := range counts {
				all = append(all, ExtraRuns{i, total / len(counts)})
			}
			choices = append(choices, all)
		}
		for _, choice := range choices {
			if more, ok := withRuns(points, choice); ok && settled(Find(more)) {
				return choice
			}
		}
	}
	return nil
}

// withRuns returns the points with additional runs, which are copies of the point's existing runs.
func withRuns(points [][]float64, more []ExtraRuns) (out [][]float64, ok bool) {
	out = slices.Clone(points)
	for _, w := range more {
		runs := points[w.Point]
		if len(runs) == 0 {
			return nil, false
		}
		// Runs are copied from the middle outwards, so that a few additional runs are not extreme.
		sorted := slices.Sorted(slices.Values(runs))
		grown := slices.Clone(runs)
		for k := range w.Runs {
			at := len(sorted) / 2
			if step := (k%len(sorted) + 1) / 2; k%2 == 0 {
				at += step
			} else {
				at -= step
			}
			grown = append(grown, sorted[(at+len(sorted))%len(sorted)])
		}
		out[w.Point] = grown
	}
	return out, true
}
