// Package run has runs of an app whose true tasks are known, to measure the matching on them.
//
// A [Run] is a tree of calls per thread. A [Call] represents all calls with the same path, and has
// a count and a cost. A true task is a method of the framework that the app calls, in a context.
// [Numbers] gives equal contexts the same number. A call keeps its number when the run is
// rewritten, so the number shows which tasks of two versions are counterparts.
//
// [Run.Recording] converts a run to a [trace.Recording]. [Run.Locate] finds the calls of the run in
// the calling-context tree that package cct builds from the recording.
package run

import (
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A Call represents all calls of a method with one path.
type Call struct {
	Method name.Method
	// App is true if the method belongs to the app.
	App bool
	// Context is the number of the call's context in the unchanged run. It is 0 for inserted calls.
	// See [Numbers].
	Context int
	// Task is true if the call is a true task. Context is its number.
	Task bool
	// Recorder is true if the call is work of the recorder. It is then never a task.
	Recorder bool
	// Cost is the exclusive energy of the method in all these calls.
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

// A Run is a recording of an app.
type Run struct{ Threads []*Thread }

// Clone returns a deep copy of r.
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

// Clone returns a deep copy of the call.
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

// Each calls visit for c and every call below it, callers first. The caller of c is nil.
func (c *Call) Each(visit func(c, caller *Call)) { c.each(nil, visit) }

func (c *Call) each(caller *Call, visit func(c, caller *Call)) {
	visit(c, caller)
	for _, kid := range c.Kids {
		kid.each(c, visit)
	}
}

// Filter keeps the calls for which keep returns true. A removed call is removed with its subtree.
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

// Energy returns the energy of all threads.
func (r *Run) Energy() units.Energy {
	var sum units.Energy
	r.Each(func(c, _ *Call) { sum += c.Cost })
	return sum
}

// A Drain is the energy of a true task in a run. Inclusive includes all its callees. Own excludes
// nested true tasks. Neither includes work of the recorder.
type Drain struct{ Inclusive, Own units.Energy }

// Tasks returns the energy of each true task of the run, by number.
func (r *Run) Tasks() map[int]Drain {
	drains := make(map[int]Drain)
	for _, t := range r.Threads {
		for _, c := range t.Calls {
			c.drain(0, drains)
		}
	}
	return drains
}

// drain returns the energy of c and its subtree. owner is the innermost enclosing task.
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
