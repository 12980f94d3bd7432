package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The codes of findings from a single run.
const (
	// HeldWakelock means that a wakelock was held for long while the app did not run (eprof,
	// Section 7.3).
	HeldWakelock Code = "held-wakelock"
	// LeftOn means that a component other than a wakelock was still on when the recording ended,
	// although the app no longer ran.
	LeftOn Code = "left-on"
	// AvoidableTail means that a component was used again and again after it had become idle. If
	// the operations were batched, they would share one ramp and one tail.
	AvoidableTail Code = "avoidable-tail"
	// RepeatedIO means that one call uses a component again and again, with other work in between,
	// so that the component never becomes idle.
	RepeatedIO Code = "io-per-iteration"
)

// A Caveat says why a finding from a single run does not fail a gate. It is empty for a finding
// that fails a gate.
type Caveat string

const (
	// Unfinished means that the component was still in use when the recording ended.
	Unfinished Caveat = "unfinished"
	// ModelChoice means that the finding depends on figures that the power model assumes.
	ModelChoice Caveat = "model"
)

// A Waste is energy that a component used in one run without need. Its Saving ranges from 0 to the
// whole amount, because the app may need all of the energy.
type Waste struct {
	Finding
	Component string
	Caveat    Caveat
	// Others has the possible saving under each other power model, as a share of the run's energy.
	Others []ModelShare
	// Path is the call path of the call that used the component, the outermost method first. It is
	// empty if the call is unknown. Method is the app's own method nearest to the call, or the
	// called method.
	Path []name.Method
	// Bundles are the component's active periods, as indices into Bundles.List. They are sorted by
	// saving. Bundles is empty for a component that was kept on.
	Bundles []int
	// Operations counts the operations that the last call of Path started.
	Operations int64
	// Holds counts how often the component was kept on too long. Held is the total duration, and
	// Idle the part of it after the app last ran. Open counts the holds that lasted until the
	// recording ended.
	Holds, Open int
	Held, Idle  time.Duration
}

// A ModelShare is a share of a run's energy under one power model.
type ModelShare struct {
	Model string
	Share float64
}

const (
	// minWaste is the smallest waste that is a finding, as a share of the run's energy.
	minWaste = 0.01
	// minIdle is the shortest idle time for which a hold is a finding.
	minIdle = time.Second
	// screen is the component that the system turns on for the user.
	screen = "screen"
	// minAsked is the smallest number of operations for which a call is a RepeatedIO.
	minAsked = 3
)

// Wastes finds energy that a run's components used without need. Findings without a Caveat come
// first. Within each group, findings are sorted by saving. There is one finding per call and
// component, except those in Bundles.Ignored. The list is empty if the input has no bundles.
func Wastes(in *analysis.Input) []Waste {
	b := in.Bundles
	if b == nil {
		return nil
	}
	w := wasteFinder{in, b}
	all := append(w.held(), w.tails()...)
	all = slices.DeleteFunc(all, func(w Waste) bool {
		return w.Saving.Most <= 0 || units.Share(w.Saving.Most, in.Energy) < minWaste || b.Ignored[w.ID]
	})
	w.others(all)
	fails := func(w *Waste) int {
		if w.Caveat == "" {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b Waste) int {
		return cmp.Or(fails(&b)-fails(&a), cmp.Compare(b.Saving.Most, a.Saving.Most))
	})
	return all
}

// others compares findings about tails with the findings under other power models. It sets the
// Caveat ModelChoice if another model shows less than half of the finding's share.
func (w wasteFinder) others(all []Waste) {
	for _, o := range w.in.OtherModels {
		var found []Waste
		if o.Bundles != nil {
			found = Wastes(o)
		}
		for i := range all {
			f := &all[i]
			if f.Code != AvoidableTail && f.Code != RepeatedIO {
				continue
			}
			other := ModelShare{Model: o.Model.Name}
			for k := range found {
				same := slices.Equal(labels(found[k].Path), labels(f.Path)) && (found[k].Code == AvoidableTail || found[k].Code == RepeatedIO)
				if same && w.served(found[k].Component, o) == w.served(f.Component, w.in) {
					other.Share += units.Share(found[k].Saving.Most, o.Energy)
				}
			}
			if f.Others = append(f.Others, other); other.Share < units.Share(f.Saving.Most, w.in.Energy)/2 {
				f.Caveat = ModelChoice
			}
		}
	}
}

// served returns the name that the recording has for a component.
func (w wasteFinder) served(component string, in *analysis.Input) string {
	for i := range in.Components {
		if c := &in.Components[i]; c.Name == component && c.Served != "" {
			return c.Served
		}
	}
	return component
}

type wasteFinder struct {
	in *analysis.Input
	b  *analysis.Bundles
}

// A holder is a call that kept a component on. open is true if the component stayed on until the
// recording ended.
type holder struct {
	component string
	by        bundle.Context
	open      bool
}

// held finds components that were kept on too long. It groups them by the call that turned them on.
func (w wasteFinder) held() []Waste {
	found := make(map[holder]*Waste)
	var order []holder
	for i, h := range w.b.Holds {
		from := max(h.Begin, w.b.LastRan[i])
		held, idle := time.Duration(h.End-h.Begin), time.Duration(h.End-from)
		if h.By == bundle.Unknown && (h.Released || h.Verb == trace.OpAcquire || h.Component == screen) {
			// The app does not hold wakelocks of the kernel and of other apps, and a user looks at
			// the screen.
			continue
		}
		if idle < minIdle || h.Released && (2*idle < held || h.Verb != trace.OpAcquire) || h.Timed && !h.Released {
			continue
		}
		k := holder{h.Component, h.By, !h.Released}
		f := found[k]
		if f == nil {
			f = &Waste{Component: h.Component}
			f.Code = LeftOn
			if h.Verb == trace.OpAcquire {
				f.Code = HeldWakelock
			}
			kind := "on"
			if !h.Released {
				f.Caveat, kind = Unfinished, "unfinished"
			}
			w.locate(f, h.By, kind)
			found[k] = f
			order = append(order, k)
		}
		f.Holds++
		f.Held += held
		f.Idle += idle
		if !h.Released {
			f.Open++
		}
	}
	var all []Waste
	for _, k := range order {
		f := found[k]
		f.Energy = w.heldEnergy(k)
		f.Saving.Most = units.Energy(units.MulDiv(int64(f.Energy), int64(f.Idle), int64(max(w.heldTime(k), 1))))
		f.Sites = siteOf(f)
		all = append(all, *f)
	}
	return all
}

// heldTime returns the total time for which a call kept a component on.
func (w wasteFinder) heldTime(k holder) time.Duration {
	sum := time.Duration(0)
	for _, h := range w.b.Holds {
		if h.Component == k.component && h.By == k.by {
			sum += time.Duration(h.End - h.Begin)
		}
	}
	return sum
}

// heldEnergy returns the energy of a component while a call kept it on.
func (w wasteFinder) heldEnergy(k holder) units.Energy {
	sum := units.Energy(0)
	for i := range w.b.List {
		if w.b.List[i].Component != k.component {
			continue
		}
		for _, s := range w.b.List[i].States {
			if s.Kind != model.On {
				continue
			}
			if k.by == bundle.Unknown {
				sum += s.Energy // the energy of known calls is subtracted below
			}
			for _, d := range s.Drivers {
				switch {
				case k.by == bundle.Unknown:
					sum -= d.Energy
				case d.Context == k.by:
					sum += d.Energy
				}
			}
		}
	}
	return sum
}

// tails finds bundles (active periods) whose operations would have used less in one batch. It
// groups them by the call with the most tail energy (see charged).
func (w wasteFinder) tails() []Waste {
	var all []Waste
	found := make(map[holder]int)
	for _, i := range w.bySaving() {
		b := &w.b.List[i]
		on := slices.ContainsFunc(b.States, func(s bundle.State) bool { return s.Kind == model.On })
		if on || b.Saved() == 0 {
			continue
		}
		c, asked, operations := charged(b)
		at, met := found[holder{component: b.Component, by: c}]
		if !met {
			at = len(all)
			found[holder{component: b.Component, by: c}] = at
			f := Waste{Component: b.Component}
			if f.Code = AvoidableTail; b.Count == 1 && asked >= minAsked && 2*asked >= operations {
				f.Code = RepeatedIO
			}
			w.locate(&f, c, "tails")
			all = append(all, f)
		}
		f := &all[at]
		f.Bundles = append(f.Bundles, i)
		f.Operations += asked
		f.Energy += b.Energy
		f.Saving.Most += b.Saved()
		f.Sites = siteOf(f)
	}
	return all
}

// bySaving returns the bundles, sorted by saving.
func (w wasteFinder) bySaving() []int {
	order := make([]int, len(w.b.List))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(w.b.List[y].Saved(), w.b.List[x].Saved()) })
	return order
}

// charged returns the call with the most tail energy in a bundle. If no call has tail energy, it is
// the call with the most operations. asked is the number of its operations. all is the number of
// operations of all calls.
func charged(b *bundle.Bundle) (best bundle.Context, asked, all int64) {
	type charge struct {
		tail       units.Energy
		operations int64
	}
	sums := make(map[bundle.Context]charge)
	best = bundle.Unknown
	for _, s := range b.States {
		for _, d := range s.Drivers {
			sum := sums[d.Context]
			all += d.Operations
			if sum.operations += d.Operations; s.Kind == model.Tail {
				sum.tail += d.Energy
			}
			sums[d.Context] = sum
		}
	}
	for c, sum := range sums {
		most := sums[best]
		if best == bundle.Unknown || c != bundle.Unknown &&
			cmp.Or(cmp.Compare(sum.tail, most.tail), cmp.Compare(sum.operations, most.operations), cmp.Compare(best, c)) > 0 {
			best = c
		}
	}
	return best, sums[best].operations, all
}

// locate sets the place and the identity of a waste. The identity consists of the kind, the
// component and the call path. It does not contain the finding's code, which may differ in the next
// run.
func (w wasteFinder) locate(f *Waste, c bundle.Context, kind string) {
	methods := w.in.Tree.Source.Methods
	path := w.b.Paths[c]
	own := -1
	for i, m := range path {
		f.Path = append(f.Path, methods[m])
		if w.in.Own.Is(m) {
			own = i
		}
	}
	id := sha256.New()
	for _, part := range append([]string{kind, f.Component}, labels(f.Path)...) {
		id.Write([]byte(strconv.Itoa(len(part)) + " " + part))
	}
	f.ID = hex.EncodeToString(id.Sum(nil)[:8])
	if len(path) == 0 {
		return
	}
	f.Callee = f.Path[len(path)-1]
	f.Method = f.Callee
	if own >= 0 {
		f.Method = f.Path[own]
	}
}

// siteOf returns the place of a waste in the app, or nil if no call is known.
func siteOf(f *Waste) []Site {
	if len(f.Path) == 0 {
		return nil
	}
	return []Site{{Method: f.Method, Energy: f.Energy}}
}

func labels(methods []name.Method) []string {
	all := make([]string, len(methods))
	for i, m := range methods {
		all[i] = m.Label()
	}
	return all
}

// savable returns the most energy that all findings without a Caveat could save together. It counts
// no energy twice, because a component has either holds or bundles.
func savable(all []Waste) units.Energy {
	sum := units.Energy(0)
	for i := range all {
		if all[i].Caveat == "" {
			sum += all[i].Saving.Most
		}
	}
	return sum
}

// findWastes finds the wastes of the subject's components. It links each to the cost of the method
// to look at.
func (s *Set) findWastes(d *detail, costs []Cost) {
	d.wastes = Wastes(&s.Result.Subject)
	byMethod := make(map[string][]*Waste)
	for i := range d.wastes {
		if w := &d.wastes[i]; len(w.Path) > 0 {
			byMethod[w.Method.Label()] = append(byMethod[w.Method.Label()], w)
		}
	}
	if len(byMethod) == 0 {
		return
	}
	for i := range costs {
		costs[i].Wastes = byMethod[costs[i].Method.Label()]
	}
}

// IgnoredWastes returns the identities of the wastes that a rule matches.
func IgnoredWastes(all []Waste, rule Rule) map[string]bool {
	found := make(map[string]bool)
	for i := range all {
		w := &all[i]
		path := labels(w.Path)
		method := ""
		if n := len(path); n > 0 {
			path, method = path[:n-1], path[n-1]
		}
		if rule(w.ID, method, upwards(path)) {
			found[w.ID] = true
		}
	}
	return found
}

// upwards yields labels from the last to the first.
func upwards(path []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, label := range slices.Backward(path) {
			if !yield(label) {
				return
			}
		}
	}
}

// WithoutWastes returns the input without the wastes that a rule matches, and the number of removed
// wastes.
func WithoutWastes(in *analysis.Input, rule Rule) (left *analysis.Input, removed int) {
	if in.Bundles == nil {
		return in, 0
	}
	ignored := IgnoredWastes(Wastes(in), rule)
	if removed = len(ignored); removed == 0 {
		return in, 0
	}
	maps.Copy(ignored, in.Bundles.Ignored)
	out, bundles := *in, *in.Bundles
	bundles.Ignored = ignored
	out.Bundles = &bundles
	return &out, removed
}
