package change

import "slices"

// A Want is how many more runs a point takes.
type Want struct{ Point, Runs int }

// MostWanted is how many more runs Wanted looks for at most.
const MostWanted = 20

// Wanted returns the runs that would settle a question, as few as it finds: more runs of one of
// some points, or of all of them alike, which turn out as those that a point has so far. settled
// says whether what the series then shows is an answer. It is nil if MostWanted more runs are
// none, or the points have no runs.
func Wanted(points [][]float64, of []int, settled func(*Result) bool) []Want {
	for total := 1; total <= MostWanted; total++ {
		var ways [][]Want
		for _, i := range of {
			ways = append(ways, []Want{{i, total}})
		}
		if len(of) > 1 && total%len(of) == 0 {
			var all []Want
			for _, i := range of {
				all = append(all, Want{i, total / len(of)})
			}
			ways = append(ways, all)
		}
		for _, way := range ways {
			if more, ok := with(points, way); ok && settled(Find(more)) {
				return way
			}
		}
	}
	return nil
}

// with returns the points with more runs, each like one that its point has.
func with(points [][]float64, more []Want) (out [][]float64, ok bool) {
	out = slices.Clone(points)
	for _, w := range more {
		runs := points[w.Point]
		if len(runs) == 0 {
			return nil, false
		}
		// From the middle outwards: few more runs are not those farthest out.
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
