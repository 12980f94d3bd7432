package fleet

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// A Drain is how much more an app drains, in % a second.
type Drain = claim.Drain

// A Hog is an app that drains wherever it runs.
type Hog struct {
	App string
	Drain
	// P is the probability if it drains nothing. The paper's method has none.
	P float64
	// Clients is how many clients ran it, Compared how many of them at other times not.
	Clients, Compared int64
	// Like are apps that the data cannot tell from it.
	Like []string
	// Seen is the share of its drain that is seen, since it comes and goes between samples
	// (within.Seen); NaN for the paper's method, which does not ask.
	Seen float64
}

// severity is by what hogs are put in order: what they drain times how many they drain (§5.4).
func (h *Hog) severity() float64 {
	minutes, _, _ := h.Minutes()
	return minutes * float64(h.Clients)
}

// A judgement is what a fleet's sums say of its apps.
type judgement struct {
	hogs    []Hog
	cleared []string // companions: they seem to drain by themselves, but do not beside the hogs
	judged  int
	few     []string // apps that too few clients ran, the most clients first
	err     error
}

// Hogs are the hogs, those first that cost all clients together the most.
func (f *Fleet) Hogs() ([]Hog, error) {
	j := f.judge()
	return j.hogs, j.err
}

// Judged is how many apps were judged, Few are those that too few clients ran to be judged, and
// Cleared those that seem to drain by themselves, but do not beside the hogs.
func (f *Fleet) Judged() (judged int, few, cleared []string) {
	j := f.judge()
	return j.judged, j.few, j.cleared
}

func (f *Fleet) judge() *judgement {
	if f.judged == nil {
		f.judged = &judgement{}
		if f.Method == Paper {
			f.judgePaper(f.judged)
		} else {
			f.judged.err = f.judgeWithin(f.judged)
		}
		slices.SortStableFunc(f.judged.hogs, func(a, b Hog) int {
			return cmp.Or(cmp.Compare(b.severity(), a.severity()), cmp.Compare(a.App, b.App))
		})
	}
	return f.judged
}

// judgePaper is the first half of Algorithm 3.1: an app is a hog if the rates with it are
// significantly higher than those without.
func (f *Fleet) judgePaper(j *judgement) {
	all := distOf(f.Sums.Get(sums.Key("dist", "")))
	f.Sums.Each("dist", func(rest []string, r *sums.Row) {
		if rest[0] == "" {
			return
		}
		clients := f.Sums.Get(sums.Key("ran", rest[0]))[0].Int64()
		if clients < MinGroup {
			j.few = append(j.few, rest[0])
			return
		}
		j.judged++
		with := distOf(*r)
		gap := paper.Compare(with, all.Without(with), f.H)
		if gap.Significant() {
			j.hogs = append(j.hogs, Hog{
				App: rest[0], Clients: clients, Compared: clients, P: math.NaN(), Seen: math.NaN(),
				Drain: Drain{Excess: gap.Distance, Half: gap.Error, Reference: gap.Reference},
			})
		}
	})
}

// judgeWithin takes the larger p of an app by itself and beside the others, both within strata, and
// rejects by Benjamini and Hochberg over all apps.
//
// What a hog drains is estimated twice. Where samples are taken at each per cent, the screen is
// seen on the more often the less else drains, so that strata by the screen overstate what a
// hog drains, by some 14 % in made-up fleets. Whole clients do not; but there an app that runs
// while the screen is on has the screen's drain. So the smaller estimate is given, with an
// interval that reaches over those of both.
func (f *Fleet) judgeWithin(j *judgement) error {
	candidates, judged := f.candidates()
	j.judged = judged
	f.Sums.Each("ran", func(rest []string, _ *sums.Row) {
		if _, compared := f.Uses(rest[0]); compared < int64(f.MinClients) {
			j.few = append(j.few, rest[0])
		}
	})
	var estimates []func(int, within.Contrast) within.Estimate // by fit
	var like []int
	for i, fit := range fits {
		joint, err := f.gramOf("gram", fit, len(candidates)).Fit()
		if err != nil {
			return err
		}
		if i == 0 {
			like = joint.Like
		}
		estimates = append(estimates, joint.Estimator(f.gramOf("score", fit, len(candidates))))
	}
	var alone []float64
	for i := range candidates {
		if candidates[i].few {
			candidates[i].p = 1
		}
		alone = append(alone, candidates[i].p)
	}
	// Only what is rejected by itself can be rejected beside the others, since p only rises.
	likely := within.Reject(alone, judged, f.Rate)
	var p []float64
	for i, c := range candidates {
		switch {
		case like[i] != i:
			p = append(p, 1)
		case likely[i]:
			p = append(p, max(c.p, estimates[0](i, c.contrast).P()))
		default:
			p = append(p, c.p)
		}
	}
	hogs := within.Reject(p, judged, f.Rate)
	for n, c := range candidates {
		if !hogs[n] {
			continue
		}
		h := f.hog(c, []within.Estimate{estimates[0](n, c.contrast), estimates[1](n, c.contrast)})
		h.P = p[n]
		for i := range candidates {
			if i != n && like[i] == n {
				h.Like = append(h.Like, candidates[i].app)
			}
		}
		j.hogs = append(j.hogs, h)
	}
	for i := range candidates {
		if likely[i] && !hogs[i] && !hogs[like[i]] {
			j.cleared = append(j.cleared, candidates[i].app)
		}
	}
	slices.Sort(j.cleared)
	return nil
}

// hog is a candidate with what it drains, by some estimates. Where it comes and goes between samples, part
// of that is not seen: the interval reaches as far as it would be with that.
func (f *Fleet) hog(c candidate, estimates []within.Estimate) Hog {
	ran := f.Sums.Get(sums.Key("ran", c.app))
	h := Hog{
		App: c.app, Compared: c.contrast.Clients.Int64(), Clients: ran[0].Int64(),
		Seen: within.Seen(c.contrast.D.Float(), ran[5].Float(), ran[6].Float()),
	}
	h.Excess, h.Half = smaller(estimates...)
	h.Half += max(0, h.Excess) * (1/h.Seen - 1)
	// What was drained in the same strata, less what the app drained of it.
	h.Reference = (ran[3].Float()*1e-3 - h.Excess*ran[5].Float()) / ran[4].Float()
	return h
}

// smaller is the smaller of some estimates, with half of an interval that reaches over those of all.
func smaller(estimates ...within.Estimate) (excess, half float64) {
	excess = math.NaN()
	for _, e := range estimates {
		if isNumber(e.Excess) && !(excess <= e.Excess) {
			excess = e.Excess
		}
	}
	for _, e := range estimates {
		if isNumber(e.Excess) {
			half = max(half, math.Abs(e.Excess-excess)+e.Half(0.95))
		}
	}
	return excess, half
}
