package finding

import (
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Cause is the component whose use or tail explains at least half of a task's saving. It is never
// the processor.
type Cause struct {
	Component string
	Part      trace.Part
	// Energy is the part of the saving that the cause explains. Share is Energy as a share of the
	// saving. It exceeds 1 if other parts of the task cost the subject less.
	Energy units.Energy
	Share  float64
	// Calls counts the task's calls that used the component. PeerCalls counts the same for the
	// task's counterpart. Both are 0 if the recording does not count calls. Method is the called
	// method. It is the zero Method if there are several.
	Calls, PeerCalls int64
	Method           name.Method
}

// CauseOf returns the cause of a task's possible saving. ok is false if no component explains half
// of the saving, or if the energy of components is unknown.
func CauseOf(r *analysis.Result, task int) (cause Cause, ok bool) {
	t := &r.Tasks[task]
	here, there := NewLedger(&r.Subject), NewLedger(&r.Reference)
	if !here.HasComponents() || t.Saving <= 0 || t.Peer >= 0 && !there.HasComponents() {
		return Cause{}, false
	}
	peers := make(map[string]Drain)
	if t.Peer >= 0 {
		for _, c := range there.Node(&r.Reference.Tree.Measures, t.Peer) {
			peers[c.Name] = c.Drain
		}
	}
	for _, c := range here.Node(&r.Subject.Tree.Measures, t.Node) {
		if c.Name == Processor {
			continue
		}
		peer := peers[c.Name]
		for part, e := range [...]units.Energy{trace.Use: c.Use - peer.Use, trace.Tail: c.Tail - peer.Tail} {
			if e > cause.Energy {
				cause = Cause{Component: c.Name, Part: trace.Part(part), Energy: e, Share: units.Share(e, t.Saving)}
			}
		}
	}
	if 2*cause.Energy < t.Saving || cause.Energy == 0 {
		return Cause{}, false
	}
	cause.Calls, cause.Method = here.calls(t.Node, cause.Component)
	if t.Peer >= 0 {
		cause.PeerCalls, _ = there.calls(t.Peer, cause.Component)
	}
	return cause, true
}

// calls counts the calls below a node that used a component. If all are calls of one method, calls
// also returns the method.
func (l *Ledger) calls(node int32, component string) (n int64, called name.Method) {
	tree := l.in.Tree
	var columns []cct.Column[units.Energy]
	for a, account := range l.in.Trace.Accounts {
		for run := range tree.Runs() {
			if account.Component == component {
				columns = append(columns, tree.Column(cct.Key{Run: run, Quantity: cct.Energy, Account: trace.AccountID(a)}))
			}
		}
	}
	label, one := "", true
	for i := node; i < tree.Nodes[node].End; i++ {
		if !slices.ContainsFunc(columns, func(c cct.Column[units.Energy]) bool { return c.Self(i) != 0 }) {
			continue
		}
		n += tree.Calls.Self(i)
		m := tree.Labels.Method(tree.Nodes[i].Label)
		one = one && (label == "" || label == m.Label())
		label, called = m.Label(), m
	}
	if l.in.Trace.Calls != trace.CountedCalls {
		n = 0
	}
	if !one {
		called = name.Method{}
	}
	return n, called
}
