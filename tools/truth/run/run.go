// Package run is a run of an app whose true tasks are known: the material on which
// the matching is measured.
//
// A [Run] is a tree of calls per thread. A call stands for all calls with the same
// path: it has a count and a cost. A true task is a method of the framework that the
// app calls, in a context; [Numbers] gives equal contexts the same number. The number
// stays on the call however the run is rewritten afterwards, so it says which task of
// one version is which task of another.
//
// A run becomes a [trace.Recording] by [Run.Recording], and [Run.Locate] finds its
// calls in the calling-context tree that package cct builds of that.
package run

import (
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/units"
)

// A Call is all calls of a method that have one path.
type Call struct {
	Method name.Method
	// App says that the method is the app's and not the framework's.
	App bool
	// Context is the number of the call's context in the unchanged run, 0 for what
	// was put in later. See [Numbers].
	Context int
	// Task says that the call is a true task, whose number is Context.
	Task bool
	// Recorder says that the call is the recorder's own work, which is nobody's task.
	Recorder bool
	// Cost is what the method itself drains, in all its calls.
	Cost units.Energy
	// Count is the number of calls, at least 1.
	Count int64
	Kids  []*Call
}

// A Thread is a thread and its outermost calls.
type Thread struct {
	Name  string
	Calls []*Call
}

// A Run is what was recorded of an app.
type Run struct{ Threads []*Thread }

// Clone returns a copy that shares nothing with r.
func (r *Run) Clone() *Run {
	out := &Run{}
	for _, t := range r.Threads {
		out.Threads = append(out.Threads, &Thread{t.Name, clone(t.Calls)})
	}
	return out
}

func clone(calls []*Call) []*Call {
	var out []*Call
	for _, c := range calls {
		out = append(out, c.Clone())
	}
	return out
}

// Clone returns a copy of the call and of all below it.
func (c *Call) Clone() *Call {
	out := *c
	out.Kids = clone(c.Kids)
	return &out
}

// Each calls visit for every call and its caller, callers first. The caller of a
// thread's outermost call is nil. visit may change the call's Kids.
func (r *Run) Each(visit func(c, caller *Call)) {
	for _, t := range r.Threads {
		for _, c := range t.Calls {
			c.each(nil, visit)
		}
	}
}

// Each calls visit for c and every call below it, callers first. The caller of c is
// given as nil.
func (c *Call) Each(visit func(c, caller *Call)) { c.each(nil, visit) }

func (c *Call) each(caller *Call, visit func(c, caller *Call)) {
	visit(c, caller)
	for _, kid := range c.Kids {
		kid.each(c, visit)
	}
}

// Filter keeps the calls for which keep is true. A call that goes away takes what is
// below it with it.
func (r *Run) Filter(keep func(*Call) bool) {
	for _, t := range r.Threads {
		t.Calls = filter(t.Calls, keep)
	}
}

func filter(calls []*Call, keep func(*Call) bool) []*Call {
	kept := calls[:0]
	for _, c := range calls {
		if keep(c) {
			c.Kids = filter(c.Kids, keep)
			kept = append(kept, c)
		}
	}
	return kept
}

// Size returns the number of calls with different paths.
func (r *Run) Size() int {
	n := 0
	r.Each(func(*Call, *Call) { n++ })
	return n
}

// Energy returns what all threads drain.
func (r *Run) Energy() units.Energy {
	var sum units.Energy
	r.Each(func(c, _ *Call) { sum += c.Cost })
	return sum
}

// A Drain is what a true task drains in a run: Inclusive with all that it calls, Own
// without what belongs to a true task further inside. What the recorder drains in it is in
// neither.
type Drain struct{ Inclusive, Own units.Energy }

// Tasks returns what each true task of the run drains, by number.
func (r *Run) Tasks() map[int]Drain {
	drains := make(map[int]Drain)
	for _, t := range r.Threads {
		for _, c := range t.Calls {
			c.drain(0, drains)
		}
	}
	return drains
}

// drain adds up c and all below it, owner being the innermost task above.
func (c *Call) drain(owner int, drains map[int]Drain) units.Energy {
	if c.Recorder {
		return 0
	}
	if c.Task {
		owner = c.Context
	}
	sum := c.Cost
	for _, kid := range c.Kids {
		sum += kid.drain(owner, drains)
	}
	if owner != 0 {
		d := drains[owner]
		d.Own += c.Cost
		if c.Task {
			d.Inclusive += sum
		}
		drains[owner] = d
	}
	return sum
}
