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
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The codes of what one run tells.
const (
	// HeldWakelock: a wakelock was held until the recording ended, or much longer than the
	// thread ran that acquired it (eprof, Section 7.3).
	HeldWakelock Code = "held-wakelock"
	// LeftOn: something else was started or opened and on when the recording ended.
	LeftOn Code = "left-on"
	// AvoidableTail: a component came back to work after it had rested, again and again.
	// Operations drafted together would share one ramp and one tail.
	AvoidableTail Code = "avoidable-tail"
	// RepeatedIO: one call asks a component again and again with other work in between, so
	// that it never rests.
	RepeatedIO Code = "io-per-iteration"
)

// A Waste is energy of a component that one run shows to be more than its work needs. Its
// Saving is from 0, since nobody knows what the app can do without, to what is drained for
// nothing.
type Waste struct {
	Finding
	Component string
	// Path is the call that is charged, outermost first; empty if none is known. Method is the
	// app's own method that is nearest to it, or the call itself.
	Path []name.Method
	// Bundles are indices of Bundles.List, most saving first; none for what was kept on.
	Bundles []int
	// Asked counts the operations of the call that Path names.
	Asked int64
	// Holds counts how often it was kept on too long, Held is for how long in all, and Idle how
	// long of that the thread that began it did not run any more. Open counts those that were
	// on when the recording ended.
	Holds, Open int
	Held, Idle  time.Duration
}

const (
	// leastWaste is the share of a run's energy below which nothing is found.
	leastWaste = 0.01
	// leastIdle is how long something is kept on at least before anybody is blamed.
	leastIdle = time.Second
	// screen is the component that the system turns on for its user.
	screen = "screen"
	// leastAsked is how often a call asks at least to be one that asks again and again.
	leastAsked = 3
)

// Wastes finds what a run's components drained for nothing, most first, one for each call and
// component but those that the input's bundles ignore. There is none unless the input has
// bundles.
func Wastes(in *analysis.Input) []Waste {
	b := in.Bundles
	if b == nil {
		return nil
	}
	w := waster{in, b}
	all := append(w.held(), w.tails()...)
	all = slices.DeleteFunc(all, func(w Waste) bool {
		return w.Saving.Most <= 0 || units.Share(w.Saving.Most, in.Energy) < leastWaste || b.Ignored[w.ID]
	})
	slices.SortStableFunc(all, func(a, b Waste) int { return cmp.Compare(b.Saving.Most, a.Saving.Most) })
	return all
}

type waster struct {
	in *analysis.Input
	b  *analysis.Bundles
}

// keeper is what kept a component on.
type keeper struct {
	component string
	by        bundle.Context
}

// held finds what was kept on for too long, by the call that began it.
func (w waster) held() []Waste {
	found := make(map[keeper]*Waste)
	var order []keeper
	for i, h := range w.b.Holds {
		from := max(h.Begin, w.b.LastRan[i])
		held, idle := time.Duration(h.End-h.Begin), time.Duration(h.End-from)
		if h.By == bundle.Unknown && (h.Released || h.Verb == trace.OpAcquire || h.Component == screen) {
			// The kernel and other apps hold wakelocks, too, and somebody looks at the screen.
			continue
		}
		if held < leastIdle || h.Released && (idle < leastIdle || 2*idle < held || h.Verb != trace.OpAcquire) {
			continue
		}
		k := keeper{h.Component, h.By}
		f := found[k]
		if f == nil {
			f = &Waste{Component: h.Component}
			f.Code = LeftOn
			if h.Verb == trace.OpAcquire {
				f.Code = HeldWakelock
			}
			w.at(f, h.By, "on")
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
		f.Energy = w.kept(k)
		f.Saving.Most = units.Energy(units.MulDiv(int64(f.Energy), int64(f.Idle), int64(max(w.holding(k), 1))))
		if f.Idle < leastIdle {
			// The thread ran to the end: what it needed the component for is not known.
			f.Saving.Most = units.Energy(units.MulDiv(int64(f.Energy), int64(f.Held), int64(max(w.holding(k), 1))))
		}
		f.Sites = siteOf(f)
		all = append(all, *f)
	}
	return all
}

// holding is for how long a call kept a component on in all.
func (w waster) holding(k keeper) time.Duration {
	sum := time.Duration(0)
	for _, h := range w.b.Holds {
		if h.Component == k.component && h.By == k.by {
			sum += time.Duration(h.End - h.Begin)
		}
	}
	return sum
}

// kept is what a component drained while a call kept it on.
func (w waster) kept(k keeper) units.Energy {
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
				sum += s.Energy // but for what is known to be others'
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

// tails finds bundles whose operations would have drained less together, by the call that is
// charged.
func (w waster) tails() []Waste {
	var all []Waste
	found := make(map[keeper]int)
	for _, i := range w.bySaving() {
		b := &w.b.List[i]
		on := slices.ContainsFunc(b.States, func(s bundle.State) bool { return s.Kind == model.On })
		if on || b.Saved() == 0 {
			continue
		}
		c, asked, operations := charged(b)
		at, met := found[keeper{b.Component, c}]
		if !met {
			at = len(all)
			found[keeper{b.Component, c}] = at
			f := Waste{Component: b.Component}
			if f.Code = AvoidableTail; b.Count == 1 && asked >= leastAsked && 2*asked >= operations {
				f.Code = RepeatedIO
			}
			w.at(&f, c, "tails")
			all = append(all, f)
		}
		f := &all[at]
		f.Bundles = append(f.Bundles, i)
		f.Asked += asked
		f.Energy += b.Energy
		f.Saving.Most += b.Saved()
		f.Sites = siteOf(f)
	}
	return all
}

// bySaving returns the bundles, most to save first.
func (w waster) bySaving() []int {
	order := make([]int, len(w.b.List))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(w.b.List[y].Saved(), w.b.List[x].Saved()) })
	return order
}

// charged is the call that a bundle's tails are charged to for the most, or that asked most,
// with the number of its operations and that of all.
func charged(b *bundle.Bundle) (best bundle.Context, asked, all int64) {
	type of struct {
		tail       units.Energy
		operations int64
	}
	sums := make(map[bundle.Context]of)
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

// at says where a waste is, and what it is known by: the kind, the component and the call path.
// The code does not count: it may be another one in the next run.
func (w waster) at(f *Waste, c bundle.Context, kind string) {
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

// siteOf is where the app has a waste, none if no call is known.
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

// savable is the most that could be saved of all that is found, without counting anything
// twice: what was kept on, and the bundles of other components, are energies apart.
func savable(all []Waste) units.Energy {
	sum := units.Energy(0)
	for i := range all {
		sum += all[i].Saving.Most
	}
	return sum
}

// findWastes finds what the subject's components drain for nothing, and notes it with the costs of
// the methods to look at.
func (s *Set) findWastes(d *detail, costs []Cost) {
	d.wastes = Wastes(&s.Result.Subject)
	of := make(map[string][]*Waste)
	for i := range d.wastes {
		if w := &d.wastes[i]; len(w.Path) > 0 {
			of[w.Method.Label()] = append(of[w.Method.Label()], w)
		}
	}
	if len(of) == 0 {
		return
	}
	for i := range costs {
		costs[i].Wastes = of[costs[i].Method.Label()]
	}
}

// IgnoredWastes returns the identities of those that a rule names. Above a call are the labels
// of those that lead to it, the nearest first.
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

// WithoutWastes returns an input whose components' findings leave out those that a rule names,
// and how many those are.
func WithoutWastes(in *analysis.Input, rule Rule) (left *analysis.Input, fewer int) {
	if in.Bundles == nil {
		return in, 0
	}
	ignored := IgnoredWastes(Wastes(in), rule)
	if fewer = len(ignored); fewer == 0 {
		return in, 0
	}
	maps.Copy(ignored, in.Bundles.Ignored)
	out, bundles := *in, *in.Bundles
	bundles.Ignored = ignored
	out.Bundles = &bundles
	return &out, fewer
}
