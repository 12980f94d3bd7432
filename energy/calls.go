package energy

import (
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// calls tracks the open calls of a recording's threads by the rules of package cct. It also
// recognizes calls of triggers.
type calls struct {
	names    trace.Names
	table    *trigger.Table
	triggers []triggered
	// kinds caches by method whether calls of it use a component: 0 if not yet known, -1 if they do
	// not, and otherwise the index in triggers plus one.
	kinds   []int32
	threads []caller
	// classes has the numbers of calling classes, which start at 1.
	classes map[string]int32
}

// triggered is a trigger with the component that it uses.
type triggered struct {
	*trigger.Trigger
	part int32 // part is the index in ledger.parts.
	// operations counts the calls that were separate operations.
	operations int64
}

// A caller is the state of a thread.
type caller struct {
	// stack holds the methods of the open calls, outermost first.
	stack []trace.MethodID
	// open counts the open calls of each method. It is nil until the first exit that is not the
	// exit of the innermost call.
	open map[trace.MethodID]int
	// asks has the open calls of triggers that are separate operations (see begins), outermost
	// first.
	asks []ask
	// asked has recorded operations of this thread that are not yet attributed to a call. An
	// operation waits until the thread's events reach its time.
	asked []operation
	// time is the moment of the latest event or sample. met is set once there is one.
	time int64
	met  bool
	// added counts the events that were inserted into the thread.
	added int64
}

// An ask is an open call of a trigger's method.
type ask struct {
	// depth is the length of the stack, including the call.
	depth   int
	begin   int64
	trigger int32
	owner   int32
	class   int32
	// handle identifies a slice that holds a component while it lasts. It is 0 for other calls.
	handle int64
	// endless means that the slice is still open when the recording ends.
	endless bool
}

// thread returns the state of a thread.
func (c *calls) thread(id trace.ThreadID) (*caller, error) {
	if id < 0 {
		return nil, errLaws
	}
	if n := int(id) + 1; n > len(c.threads) {
		c.threads = slices.Grow(c.threads, n-len(c.threads))[:n]
	}
	return &c.threads[id], nil
}

// kind returns the entry of kinds for a method, and computes it if needed. part returns the index
// of the component that a trigger uses, or -1.
func (c *calls) kind(m trace.MethodID, part func(component string) int32) int32 {
	if int(m) >= len(c.kinds) {
		c.kinds = slices.Grow(c.kinds, int(m)+1-len(c.kinds))[:m+1]
	}
	k := &c.kinds[m]
	if *k != 0 {
		return *k
	}
	*k = -1
	if c.names == nil {
		return -1
	}
	if named, known := c.names(m); known {
		if t := c.table.Find(named); t != nil {
			c.triggers = append(c.triggers, triggered{Trigger: t, part: part(t.Component)})
			*k = int32(len(c.triggers))
		}
	}
	return *k
}

// begins reports whether a call of trigger t by a thread is a separate operation. It is part of an
// enclosing trigger call in two cases: the two use the same component, or both move data. But while
// a slice holds the component, each call that moves data is separate.
func (c *calls) begins(th *caller, t *triggered) bool {
	for i := range th.asks {
		around := &c.triggers[th.asks[i].trigger]
		if around.Holds() && t.Moves() {
			continue
		}
		if around.part == t.part || around.Moves() && t.Moves() {
			return false
		}
	}
	return true
}

// class returns the number of the class that made the innermost open call. This is the nearest
// class on the stack that is not the class of the called method. Numbers start at 1. class returns
// 0 if the class is unknown.
func (c *calls) class(th *caller) int32 {
	last := len(th.stack) - 1
	own := c.named(th.stack[last]).Class()
	for i := last - 1; i >= 0; i-- {
		class := c.named(th.stack[i]).Class()
		if class == "" || class == own {
			continue
		}
		number, ok := c.classes[class]
		if !ok {
			if c.classes == nil {
				c.classes = make(map[string]int32)
			}
			number = int32(len(c.classes) + 1)
			c.classes[class] = number
		}
		return number
	}
	return 0
}

// named returns the name of a method, or the zero Method if it is unknown.
func (c *calls) named(m trace.MethodID) name.Method {
	named, _ := c.names(m)
	return named
}

// enter pushes a call.
func (th *caller) enter(m trace.MethodID) {
	th.stack = append(th.stack, m)
	if th.open != nil {
		th.open[m]++
	}
}

// exit pops the innermost open call of m. It also pops the calls inside that call, because their
// exits are missing. If m has no open call, it does nothing.
func (th *caller) exit(m trace.MethodID) {
	last := len(th.stack) - 1
	if th.open == nil {
		if last >= 0 && th.stack[last] == m {
			th.stack = th.stack[:last]
			return
		}
		th.open = make(map[trace.MethodID]int)
		for _, m := range th.stack {
			th.open[m]++
		}
	}
	if th.open[m] == 0 {
		return
	}
	for {
		last := len(th.stack) - 1
		top := th.stack[last]
		th.stack = th.stack[:last]
		if th.open[top]--; th.open[top] == 0 {
			delete(th.open, top)
		}
		if top == m {
			return
		}
	}
}
