package energy

import (
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// calls follows the open calls of a recording's threads, as package cct does, and finds those
// that are triggers.
type calls struct {
	names    trace.Names
	table    *trigger.Table
	triggers []asked
	// kinds says what each method is: 0 not looked up yet, -1 no trigger, else one more
	// than its place in triggers.
	kinds   []int32
	threads []caller
	// classes numbers the classes of callers from 1.
	classes map[string]int32
}

// asked is a trigger with the component that it asks.
type asked struct {
	*trigger.Trigger
	part int32 // of the ledger
	// operations counts its calls that were an operation of their own.
	operations int64
}

// A caller is how far a thread has come.
type caller struct {
	// stack are the methods of the open calls, outermost first.
	stack []trace.MethodID
	// open counts the calls of each method on the stack. It is kept from the first exit
	// on that does not end the innermost call.
	open map[trace.MethodID]int
	// asks are the triggers among the open calls that lie in no other of their kind,
	// outermost first.
	asks []ask
	// asked are operations that the recording states of the thread, and not of a call, and
	// that wait for the thread to come so far.
	asked []operation
	// time is the moment of the thread's latest event or sample, met is set by the first.
	time int64
	met  bool
	// added counts the events that the ledger added to the thread's.
	added int64
}

// An ask is an open call of a trigger.
type ask struct {
	// depth is the length of the stack with the call.
	depth   int
	begin   int64
	trigger int32
	owner   int32
	class   int32
}

// thread returns a thread's state.
func (c *calls) thread(id trace.ThreadID) (*caller, error) {
	if id < 0 {
		return nil, errLaws
	}
	if n := int(id) + 1; n > len(c.threads) {
		c.threads = slices.Grow(c.threads, n-len(c.threads))[:n]
	}
	return &c.threads[id], nil
}

// kind says what a method is, as kinds has it. part returns the part of the ledger that a
// trigger asks, -1 if there is none.
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
			c.triggers = append(c.triggers, asked{Trigger: t, part: part(t.Component)})
			*k = int32(len(c.triggers))
		}
	}
	return *k
}

// begins tells whether a call of a trigger that the thread makes now is an operation of its
// own: it lies in no other of its component, and does not move data as a part of a call
// that does.
func (c *calls) begins(th *caller, t *asked) bool {
	for i := range th.asks {
		if around := &c.triggers[th.asks[i].trigger]; around.part == t.part || around.Moves() && t.Moves() {
			return false
		}
	}
	return true
}

// class numbers the class that called the innermost open call of a thread, from 1: the
// nearest one that is not the class of the called method. It is 0 if that is not known.
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

// named returns a method, the zero one if its name is not known.
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

// exit takes off the call that an exit of a method ends, with those further in, which have
// lost theirs. An exit that ends no open call changes nothing.
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
