// Package trigger lists what makes a request to a component of the device. For example,
// Socket.connect opens a connection, and WakeLock.acquire keeps the device awake. A plain trace of
// calls therefore shows the requests that a log of system calls would show (Pathak et al., eprof,
// EuroSys 2012, Section 5.2, which logs framework events besides system calls).
//
// There are four kinds of entries:
//
//   - methods, by name;
//   - slices (named periods in a trace), by a pattern;
//   - system calls, by name. Their files are found by path, and their sockets by family;
//   - lines of Android's log, by a pattern.
//
// A table is written in YAML, and users may add to the built-in one. It ignores arguments, because
// a trace of calls has none: a request of locations may use the GPS receiver or the network.
// Therefore, an entry may state an assumption about arguments. The report shows this sentence.
//
// Tables are immutable and may be used concurrently.
package trigger

import (
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A Trigger is a method or a slice that makes a request to a component.
type Trigger struct {
	// Method is the method's class and name, with its descriptor if the trigger is only for one
	// overload. For a slice it is the pattern of its name.
	Method string
	// Component is the part of the device, named as in trace.Operation.Component.
	Component string
	Verb      trace.Verb
	// Assumption states an assumption about the call, such as its arguments. It may be empty.
	Assumption string
	// Slice means that the request lasts as long as the slice.
	Slice bool
	// Timed means that the call acquires something with a timeout.
	Timed bool
}

// Holds reports whether the trigger is a slice that keeps a component in use until the slice ends.
func (t *Trigger) Holds() bool { return t.Slice && !t.Moves() }

// Moves reports whether the method moves data: it sends, receives, reads or writes. If such a call
// is within another one, it is part of the outer call.
func (t *Trigger) Moves() bool { return t.Verb <= trace.OpWrite }

// A Table has the triggers, system calls and log messages that make requests to components.
type Table struct {
	triggers []Trigger
	// index maps a method to its index in triggers.
	index map[string]int
	// slices are the patterns of slices. The first match applies.
	slices []Trigger
	// never are methods that make no request, even if another table lists them.
	never []string
	calls calls
	// log has the messages by tag.
	log map[string][]Message
}

// New returns a table of methods only. If two triggers have the same method, the later trigger
// applies.
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

// With returns a table with the entries of t and of a second table. If both have an entry for a
// method, system call, file or socket, the second table's entry is used. The slice patterns and
// messages of the second table come first.
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
	out.slices = slices.Concat(more.slices, t.slices)
	out.calls = t.calls.with(more.calls)
	for _, log := range [...]map[string][]Message{more.log, t.log} {
		for tag, messages := range log {
			out.log[tag] = append(out.log[tag], messages...)
		}
	}
	return out
}

// Find returns the trigger for a method or a slice, or nil. A trigger with the method's descriptor
// takes precedence over a trigger without a descriptor. Methods take precedence over slice
// patterns. A nil table has no triggers.
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
		return t.ofSlice(m)
	}
	return &t.triggers[i]
}

// Triggers returns the triggers of methods, in the order of the table. The caller must not change them.
func (t *Table) Triggers() []Trigger { return t.triggers }
