// Package trigger knows what asks something of a component of the device: methods by their names,
// system calls by theirs and by what their descriptors stand for, and lines of Android's log by
// patterns. Socket.connect opens a connection, WakeLock.acquire keeps the device awake. So
// a plain trace of calls shows what a log of system calls would (Pathak et al., eprof,
// EuroSys 2012, Section 5.2, which logs framework events beside system calls).
//
// A table is written in YAML, and users may add to the built-in one. Of methods it says nothing of
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

// A Table finds what asks something of a component.
type Table struct {
	triggers []Trigger
	// index has the place in triggers by the method.
	index map[string]int
	// never are methods that ask nothing, whatever another table says.
	never []string
	calls calls
	// log has the messages by their tags.
	log map[string][]Message
}

// New returns the table of some methods alone. Of two triggers with one method the later counts.
func New(triggers ...Trigger) *Table {
	t := &Table{index: make(map[string]int), calls: newCalls(), log: make(map[string][]Message)}
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
// methods, system calls, files and sockets. Messages of the other come before its own.
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
	out.calls = t.calls.with(more.calls)
	for _, log := range [...]map[string][]Message{more.log, t.log} {
		for tag, messages := range log {
			out.log[tag] = append(out.log[tag], messages...)
		}
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
