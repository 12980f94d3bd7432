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

// A Drain is the excess of an app: its additional discharge, in % per second.
type Drain = claim.Drain

// A Hog is an app that uses more energy on all clients.
type Hog struct {
	App string
	Drain
	// P is the probability of such an excess by chance. It is NaN for the paper's method.
	P float64
	// Clients is the number of clients that ran the app. Compared is the number of these clients
	// that also had time without the app.
	Clients, Compared int64
	// Confounded lists apps that the data cannot distinguish from App.
	Confounded []string
	// Seen is the share of the app's excess that the samples show. It is below 1 if the app often
	// starts or stops between two samples (within.ObservedShare). It is NaN for the paper's method.
	Seen float64
	// Conditions lists the conditions under which the app has the excess. It is empty if the excess
	// is not limited to conditions.
	Conditions []claim.Condition
	whole      Drain // whole is the overall excess.
	spread     spread
}

// severity returns the sort key of hogs: the lost battery life times the number of clients (§5.4).
func (h *Hog) severity() float64 {
	minutes, _, _ := h.Minutes()
	return minutes * float64(h.Clients)
}

// A judgement is the result of judging all apps of a fleet.
type judgement struct {
	hogs    []Hog
	cleared []string // cleared lists apps whose excess is not significant if the hogs are taken into account.
	// doubtful lists apps whose excess may come from the conditions under which they run.
	doubtful []string
	// some lists apps that use more energy on only some of their clients. If the tree of such an
	// app shows the conditions, the app becomes a hog.
	some   []Hog
	judged int
	few    []string // few lists apps that too few clients ran for judging them.
	err    error
	// additive has estimates of the fit "additive", for apps with a significant excess alone.
	additive map[string]within.Estimate
	// adviser is nil until it is needed.
	adviser *adviser
}

// Hogs returns the hogs. They are sorted by the lost battery life times the number of clients.
func (f *Fleet) Hogs() ([]Hog, error) {
	j := f.judge()
	return j.hogs, j.err
}

// Judged returns how many apps were judged, and two lists of apps. The list few has the apps that
// too few clients ran. The list cleared has apps that seem to be hogs only because they run
// together with hogs.
func (f *Fleet) Judged() (judged int, few, cleared []string) {
	j := f.judge()
	return j.judged, j.few, j.cleared
}

// Doubtful returns apps that are not hogs although their excess is significant. The conditions
// under which they run may explain it.
func (f *Fleet) Doubtful() []string { return f.judge().doubtful }

// PartialHogs returns apps with a significant excess on only some of their clients. They are not
// hogs.
func (f *Fleet) PartialHogs() (apps []string) {
	for _, h := range f.judge().some {
		apps = append(append(apps, h.App), h.Confounded...)
	}
	slices.Sort(apps)
	return apps
}

func (f *Fleet) judge() *judgement {
	if f.judged == nil {
		f.judged = &judgement{}
		if f.Method == Paper {
			f.judgePaper(f.judged)
		} else {
			f.judged.err = f.judgeWithin(f.judged)
			if f.next() == "" {
				f.applyTrees(f.judged)
			}
		}
		slices.SortStableFunc(f.judged.hogs, func(a, b Hog) int {
			return cmp.Or(cmp.Compare(b.severity(), a.severity()), cmp.Compare(a.App, b.App))
		})
	}
	return f.judged
}

// judgePaper implements the first half of Algorithm 3.1. For a hog, the rates with the app are
// significantly higher than the rates without it.
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
			drain := Drain{Excess: gap.Distance, Half: gap.Error, Reference: gap.Reference}
			j.hogs = append(j.hogs, Hog{App: rest[0], Clients: clients, Compared: clients, P: math.NaN(), Seen: math.NaN(), Drain: drain, whole: drain})
		}
	})
}

// judgeWithin finds the hogs of the default method. The p-value of an app is the largest of three:
//
//   - of the app alone, within strata (pairs of one client under equal conditions)
//   - of the app together with the other candidates, in the fit "strata"
//   - the same in the fit "additive"
//
// The procedure of Benjamini and Hochberg over all apps then selects the hogs.
//
// Two estimates of an excess can have opposite errors. If samples are taken at each per cent,
// holding the screen constant overstates the excess, by about 14 % in generated fleets: a sample is
// more likely to see the screen on while other consumers use little. Estimates over whole clients
// do not have this error, but they attribute the screen's energy to apps that run while the screen
// is on. Therefore, the smaller estimate is used, and its interval covers the intervals of both.
func (f *Fleet) judgeWithin(j *judgement) error {
	candidates, judged := f.candidates()
	j.judged = judged
	f.Sums.Each("ran", func(rest []string, _ *sums.Row) {
		if _, compared := f.ClientCounts(rest[0]); compared < int64(f.MinClients) {
			j.few = append(j.few, rest[0])
		}
	})
	var estimates []func(int, within.Contrast) within.Estimate // estimates is indexed by fit.
	var like []int
	for i, fit := range fits {
		joint, err := f.gramOf("gram", fit, len(candidates)).Fit()
		if err != nil {
			return err
		}
		if i == 0 {
			like = joint.Confounded
		}
		estimates = append(estimates, joint.Estimator(f.gramOf("score", fit, len(candidates))))
	}
	j.additive = map[string]within.Estimate{}
	var alone []float64
	for i := range candidates {
		if candidates[i].few {
			candidates[i].p = 1
		}
		alone = append(alone, candidates[i].p)
	}
	// An app must be significant alone, because the joint estimate can only increase p.
	likely := within.Reject(alone, judged, f.Rate)
	var p []float64
	for i, c := range candidates {
		switch {
		case like[i] != i:
			p = append(p, 1)
		case likely[i]:
			additive := estimates[byAdditive](i, c.contrast)
			j.additive[c.app] = additive
			p = append(p, max(c.p, estimates[byStrata](i, c.contrast).P(), additive.P()))
		default:
			p = append(p, c.p)
		}
	}
	hogs := within.Reject(p, judged, f.Rate)
	for n, c := range candidates {
		if !hogs[n] {
			continue
		}
		var jointly []within.Estimate // jointly is indexed by fit.
		for _, estimate := range estimates {
			jointly = append(jointly, estimate(n, c.contrast))
		}
		h, sure := f.hog(c, jointly)
		if !sure {
			j.doubtful = append(j.doubtful, c.app)
			continue
		}
		h.P = p[n]
		h.spread = f.relativeSpread(n, c, jointly[byStrata])
		for i := range candidates {
			if i != n && like[i] == n {
				h.Confounded = append(h.Confounded, candidates[i].app)
			}
		}
		if f.shared(n) && !h.spread.onFew() {
			j.hogs = append(j.hogs, h)
		} else {
			j.some = append(j.some, h)
		}
	}
	for i := range candidates {
		if likely[i] && !hogs[i] && !hogs[like[i]] && !slices.Contains(j.doubtful, candidates[i].app) {
			j.cleared = append(j.cleared, candidates[i].app)
		}
	}
	slices.Sort(j.cleared)
	if f.Unscreened() {
		for _, h := range j.hogs {
			j.doubtful = append(append(j.doubtful, h.App), h.Confounded...)
		}
		j.hogs, j.some = nil, nil
	}
	slices.Sort(j.doubtful)
	return nil
}

// hog combines the estimates of a candidate from all fits. It adds half of the excess that samples
// perhaps do not show (withUnseen). sure is false if the conditions under which the app runs may
// explain the excess.
func (f *Fleet) hog(c candidate, estimates []within.Estimate) (h Hog, sure bool) {
	ran := f.Sums.Get(sums.Key("ran", c.app))
	h = Hog{
		App: c.app, Compared: c.contrast.Clients.Int64(), Clients: ran[0].Int64(),
		Seen: f.seen(c.app),
	}
	h.Excess, h.Half = heldExcess(estimates)
	held := estimates[byAdditive]
	beyond := max(0, estimates[byWhole].Excess-held.Excess)
	sure = h.Excess > h.Half && held.Excess > held.Half(0.95)+unheld*beyond
	// Reference is the discharge rate of the same clients, minus the part that the app causes.
	h.Reference = (ran[3].Float()*1e-3 - h.Excess*ran[7].Float()) / ran[4].Float()
	h.Excess, h.Half = withUnseen(h.Seen)(h.Excess, h.Half)
	h.whole = h.Drain
	return h, sure
}

// seen returns the share of an app's excess that the samples show (within.ObservedShare). It is 1
// without data.
func (f *Fleet) seen(app string) float64 {
	ran, d := f.Sums.Get(sums.Key("ran", app)), within.ContrastOf(f.Sums.Get(sums.Key("app", app))).D
	if f.Method == Paper || d == (sums.Int{}) {
		return 1
	}
	return within.ObservedShare(d.Float(), ran[5].Float(), ran[6].Float())
}

// withUnseen corrects an excess for an app that starts and stops between samples. The true excess
// is between the estimate and the estimate divided by seen. The result is the middle, with an
// interval that covers both ends.
func withUnseen(seen float64) func(excess, half float64) (float64, float64) {
	return func(excess, half float64) (float64, float64) {
		unseen := max(0, excess) * (1/seen - 1) / 2
		return excess + unseen, half + unseen
	}
}

// unheld is how much of the energy of conditions, such as the screen, the fits may attribute to an
// app by mistake. The fits know a condition only at the ends of pairs, and they pool rare
// conditions.
const unheld = 0.3

// heldExcess combines the estimates of an app from the three fits. If the fit "whole" has the
// largest estimate, the difference is the energy of the conditions under which the app runs. The
// share unheld of this energy is then added to the width of the interval. Otherwise, the smallest
// estimate is used.
func heldExcess(estimates []within.Estimate) (excess, half float64) {
	strata, additive, whole := estimates[byStrata], estimates[byAdditive], estimates[byWhole]
	excess, half = smaller(strata, additive)
	if whole.Excess > excess {
		return excess, half + unheld*(whole.Excess-excess)
	}
	return smaller(strata, additive, whole)
}

// smaller returns the smallest estimate. excess ± half covers the intervals of all estimates. NaN
// is ignored.
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

// covering returns the smallest interval that contains the intervals of all estimates. NaN is
// ignored.
func covering(estimates ...within.Estimate) (excess, half float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, e := range estimates {
		if half := e.Half(0.95); isNumber(e.Excess) && !math.IsNaN(half) {
			least, most = min(least, e.Excess-half), max(most, e.Excess+half)
		}
	}
	return (least + most) / 2, (most - least) / 2
}
