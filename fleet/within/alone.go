package within

import (
	"math"

	"github.com/diffprof/diffprof/fleet/pairs"
)

// minRound is the minimum length of a round, in milliseconds. A round lasts from one start of the
// app to a later start, so the user's other activity is similar with and without the app. The error
// of a single client follows from the differences between its rounds.
const minRound = 60 * 60 * 1000

// Alone estimates the excess of an app on one client. It compares Σdrop/Σtime with the app and
// without it, in each stratum or, if whole is set, over all pairs. app is the app's index.
//
// The excesses of other apps are subtracted first. drains has them in % per second, by index.
// begins returns the start of a pair in milliseconds.
func Alone(w *pairs.Work, app int, whole bool, drains []float64, begins func(p *pairs.Pair) int64) Estimate {
	type pair struct {
		stratum       int
		drop, time, x float64
	}
	type sum struct{ drop, time, with float64 }
	all := make([]pair, len(w.Pairs))
	strata := make([]sum, w.Strata)
	for i := range w.Pairs {
		p := &w.Pairs[i]
		at := pair{stratum: p.Stratum, drop: float64(p.Drop), time: float64(p.Time)}
		if whole {
			at.stratum = 0
		}
		ends := w.Ends(i)
		for n, a := range w.Running(i) {
			at.drop -= drains[a] / scale * at.time * float64(ends[n]) / 2
			if int(a) == app {
				at.x = float64(ends[n])
			}
		}
		s := &strata[at.stratum]
		s.drop, s.time, s.with = s.drop+at.drop, s.time+at.time, s.with+at.time*at.x
		all[i] = at
	}
	var c Contrast
	var n, d float64
	round := begins(&w.Pairs[0])
	for i, at := range all {
		if now := begins(&w.Pairs[i]); i > 0 && at.x > 0 && all[i-1].x == 0 && now-round >= minRound {
			c.Add(int64(math.Round(n)), int64(math.Round(d)))
			n, d, round = 0, 0, now
		}
		s := strata[at.stratum]
		x := at.x - s.with/s.time
		n += 2 * x * (at.drop - s.drop/s.time*at.time)
		d += x * x * at.time
	}
	c.Add(int64(math.Round(n)), int64(math.Round(d)))
	return c.Estimate()
}
