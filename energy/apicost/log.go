package apicost

import (
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Log sums costs as Orka did, for comparison with the paper:
//
//   - Orka logged the start of each app method and its calls, but not its end. A call is therefore
//     charged to the app method that started last, on any thread.
//   - App methods with the same name share one sum, because Orka ignored their classes.
//   - The cost of a call is looked up by class and method name. The last overload in the table wins.
//   - Constructors have no cost. Calls of methods that the calling class inherits have no cost
//     either.
//
// A Log is the cct.Player of one run. It is not safe for concurrent use.
type Log struct {
	charger
	threads map[trace.ThreadID][]frame
	named   map[string]*Routine
	last    *Routine
}

// A frame is an open call. actor is the called method if the method is the app's, and otherwise -1.
type frame struct{ actor trace.MethodID }

// NewLog returns a log of a run whose method table is methods. o.Orka must be set.
func NewLog(methods []name.Method, o Options) *Log {
	return &Log{
		charger: *newCharger(&cct.Tree{Methods: methods}, o),
		threads: make(map[trace.ThreadID][]frame), named: make(map[string]*Routine),
	}
}

// Open implements cct.Player.
func (l *Log) Open(c *cct.Call) error {
	stack := l.threads[c.Thread]
	caller := trace.MethodID(-1)
	if len(stack) > 0 {
		caller = stack[len(stack)-1].actor
	}
	switch l.owners[c.Method] {
	case platform.App:
		m := l.tree.Methods[c.Method]
		if l.last = l.named[m.Name]; l.last == nil {
			l.last = &Routine{Method: name.Method{Name: m.Name, Lang: name.JVM}}
			l.named[m.Name] = l.last
		}
		l.last.Calls++
		caller = c.Method
	case platform.Framework:
		l.charge(c.Method, caller, l.price(c.Method))
		caller = -1
	default:
		caller = -1
	}
	l.threads[c.Thread] = append(stack, frame{caller})
	return nil
}

// charge charges a call of the framework to the method of the app that began last.
func (l *Log) charge(method, caller trace.MethodID, p *price) {
	if p.row < 0 || caller < 0 || p.recorder || l.last == nil || inherited(l.tree.Methods[caller], l.tree.Methods[method], l.Platform) {
		return
	}
	l.last.Exact = l.last.Exact.Plus(l.Table.Rows[p.row].Cost.Times(1))
}

// Close implements cct.Player.
func (l *Log) Close(c *cct.Call) error {
	if stack := l.threads[c.Thread]; len(stack) > 0 {
		l.threads[c.Thread] = stack[:len(stack)-1]
	}
	return nil
}

// Extra implements cct.Player.
func (l *Log) Extra(*cct.Call) error { return nil }

// Drain implements cct.Player.
func (l *Log) Drain(int64, trace.ThreadID, trace.AccountID, units.Energy) error { return nil }

// Routines returns the sums, sorted by the average energy of a call.
func (l *Log) Routines() []Routine {
	var b Bill
	for _, r := range l.named {
		if r.Exact == (Amount{}) {
			continue
		}
		r.Average, r.Energy = r.Exact.Over(r.Calls), r.Exact.Energy()
		b.Routines = append(b.Routines, *r)
	}
	b.sort()
	return b.Routines
}
