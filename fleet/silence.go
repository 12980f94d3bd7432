package fleet

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// Evidence is what the samples show about an app, even if it is not a hog.
type Evidence struct {
	// Excess is the estimated excess, in % per second. Half is half the width of its 95 % interval.
	Excess, Half float64
	// Clients is the number of clients with time both with and without the app.
	Clients int64
	// Least is the excess that the fleet would detect with a probability of 80 %. It is infinite if
	// the fleet could not detect any excess.
	Least float64
}

// power is the probability for Evidence.Least.
const power = 0.8

// Evidence returns what the samples show about an app. It returns false for the paper's method, and
// if fewer than MinGroup clients can be compared.
func (f *Fleet) Evidence(app string) (Evidence, bool) {
	if f.Method == Paper {
		return Evidence{}, false
	}
	return f.evidence(app)
}

func (f *Fleet) evidence(app string) (Evidence, bool) {
	c := within.ContrastOf(f.Sums.Get(sums.Key("app", app)))
	if c.Clients.Int64() < MinGroup {
		return Evidence{}, false
	}
	e := Evidence{Clients: c.Clients.Int64()}
	all := []within.Estimate{c.Estimate()}
	j := f.judge()
	if jointly, ok := j.additive[app]; ok {
		all = append(all, jointly)
	}
	e.Excess, e.Half = smaller(all...)
	limit := f.Rate * float64(max(1, len(j.hogs))) / float64(max(1, j.judged))
	for _, b := range all {
		least := math.Inf(1)
		if b.Freedom > 0 {
			t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: b.Freedom}
			least = b.Error * (t.Quantile(1-limit) + t.Quantile(power))
		}
		e.Least = max(e.Least, least)
	}
	return e, isNumber(e.Excess) && isNumber(e.Half)
}

// Detectable returns how small an excess the fleet can detect, in % per second. The first result
// holds for half of the judged apps, and the second for nine of ten. Detectable returns false if no
// app is judged.
func (f *Fleet) Detectable() (half, most float64, ok bool) {
	var all []float64
	f.Sums.Each("app", func(rest []string, _ *sums.Row) {
		e, ok := f.evidence(rest[0])
		if ok && e.Clients >= int64(f.MinClients) {
			all = append(all, e.Least)
		}
	})
	if len(all) == 0 || f.Method == Paper {
		return 0, 0, false
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)*9/10], true
}
