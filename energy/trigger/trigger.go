// Package trigger knows by their names the methods that ask something of a component of
// the device: Socket.connect opens a connection, WakeLock.acquire keeps the device awake. So
// a plain trace of calls shows what a log of system calls would (Pathak et al., eprof,
// EuroSys 2012, Section 5.2, which logs framework events beside system calls).
//
// A table is written in YAML, and users may add to the built-in one. It says nothing of
// arguments, since a trace of calls has none: a request of locations may ask the GPS
// receiver or the network. What is taken for granted so is a sentence of the table, which
// reports repeat.
//
// Tables are immutable and may be used concurrently.
package trigger

import (
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/trace"
)

// A Trigger is a method that asks something of a component.
type Trigger struct {
	// Method is the method's class and name, with its descriptor if only one overload
	// is meant.
	Method string
	// Component is the part of the device, in the words of trace.Operation.Component.
	Component string
	Verb      trace.Verb
	// Assumes says what a call does not tell and is taken for granted; it may be empty.
	Assumes string
}

// Moves tells whether the method moves data: it sends, receives, reads or writes. One such
// call inside of another is a part of it.
func (t *Trigger) Moves() bool { return t.Verb <= trace.OpWrite }

// A Table finds triggers by their methods.
type Table struct {
	triggers []Trigger
	// index has the place in triggers by the method.
	index map[string]int
	// never are methods that ask nothing, whatever another table says.
	never []string
}

// New returns the table of some triggers. Of two with one method the later counts.
func New(triggers ...Trigger) *Table {
	t := &Table{index: make(map[string]int)}
	for i := range triggers {
		t.add(&triggers[i])
	}
	return t
}

func (t *Table) add(g *Trigger) {
	i, ok := t.index[g.Method]
	if !ok {
		i = len(t.triggers)
		t.index[g.Method] = i
		t.triggers = append(t.triggers, Trigger{})
	}
	t.triggers[i] = *g
}

// With returns the table with what another says in the place of what it says of the same
// methods.
func (t *Table) With(more *Table) *Table {
	out := New()
	for i := range t.triggers {
		if !slices.Contains(more.never, t.triggers[i].Method) {
			out.add(&t.triggers[i])
		}
	}
	for i := range more.triggers {
		out.add(&more.triggers[i])
	}
	return out
}

// Find returns the trigger that a method is, nil if it is none. A trigger with the method's
// descriptor comes before one without. A nil table has none.
func (t *Table) Find(m name.Method) *Trigger {
	if t == nil {
		return nil
	}
	plain := m.Name
	if class := m.Class(); class != "" {
		plain = class + "." + m.Name
	}
	i, ok := t.index[plain+m.Signature]
	if !ok {
		i, ok = t.index[plain]
	}
	if !ok {
		return nil
	}
	return &t.triggers[i]
}

// Triggers returns all triggers, in the order of the table. The caller must not change them.
func (t *Table) Triggers() []Trigger { return t.triggers }
