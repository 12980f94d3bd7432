// Package place finds where in the sources a comparison's findings are.
//
// A [Layout] has, for each file, the calls of tasks and the methods and classes with
// their costs, in the order of the text. A task stands at each call of its F-method
// in the calling method. Where no such call can be found it stands at the calling
// method's name, and where the method is gone, at its class, with a word on why.
//
// A Layout is not changed once made and may be read concurrently. An edit makes a
// new one ([Layout.After]), which shares with it what the edit did not touch.
package place

import (
	"cmp"
	"iter"
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/units"
)

// A Site is a name in a source file: a method's, a class's, or a call's. Columns
// count UTF-16 units.
type Site struct {
	Path     string
	From, To buffer.Position
	// End is where the call or the method ends. For a call that ends in another line
	// it is To.
	End buffer.Position
}

// Compare orders sites by path and position.
func (a Site) Compare(b Site) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.From.Line, b.From.Line), cmp.Compare(a.From.Column, b.From.Column))
}

// Contains reports whether a position is in the name. The position behind its last
// character is: that is where the cursor stands after the name was typed.
func (a Site) Contains(p buffer.Position) bool {
	return p.Line == a.From.Line && p.Line == a.To.Line && p.Column >= a.From.Column && p.Column <= a.To.Column
}

// Marks are the places in one file that a comparison says something of, in the
// order of the text.
type Marks struct {
	Calls   []Call
	Methods []Method
}

// Tasks are the tasks that the marks are of, by their indexes; some may come more than once.
// Marks that are nil have none.
func (m *Marks) Tasks() iter.Seq[int] {
	return func(yield func(int) bool) {
		if m == nil {
			return
		}
		for i := range m.Calls {
			for _, part := range m.Calls[i].Tasks {
				if !yield(part.Task) {
					return
				}
			}
		}
	}
}

// Same reports whether two files' marks of one comparison stand in the same places and say
// the same there, but for the other places that a task has.
func (m *Marks) Same(other *Marks) bool {
	if m == nil || other == nil || m == other {
		return m == other
	}
	return slices.EqualFunc(m.Calls, other.Calls, func(a, b Call) bool {
		return a.Site == b.Site && a.Exact == b.Exact && a.Stale == b.Stale && a.Suppressed == b.Suppressed &&
			slices.EqualFunc(a.Tasks, b.Tasks, func(a, b Part) bool {
				return a.Task == b.Task && a.First == b.First && a.Energy == b.Energy && len(a.Places) == len(b.Places)
			})
	}) && slices.EqualFunc(m.Methods, other.Methods, func(a, b Method) bool {
		return a.Site == b.Site && a.Stale == b.Stale && a.Suppressed == b.Suppressed && a.Cost == b.Cost
	})
}

// A Call is where a method of the app calls tasks.
type Call struct {
	Site Site
	// Stale is empty where the source is that of the recording. Else it is the end of
	// a sentence that begins with the caller, and the site was found by name.
	Stale string
	// Exact is set where the site is the call itself. It is not where the site is the calling
	// method, or a call in code that is only known to lie around the caller.
	Exact bool
	// Suppressed is set where the source asks not to be told: see source.Index.Suppressed.
	Suppressed bool
	// Tasks are the place's parts of the tasks that it may call, the one with most room
	// for saving first.
	Tasks []Part
	// Caller is the calling method.
	Caller name.Method
	// Through is what the caller calls tasks through, empty if it calls them itself.
	Through finding.Through
}

// A Part is a place's part of a task.
type Part struct {
	// Task is an index of finding.Set.Tasks.
	Task int
	// First says that the figures stand here. They are 0 at the other places.
	First bool
	// Energy, Saving and Calls are those of finding.Site: the caller's part of the task.
	Energy, Saving units.Energy
	Calls          int64
	// Places are all places that may be the call.
	Places []Site
}

// maxPlaces is the most places that one call is shown at. Where more may be the call, it
// is shown at the calling method's name.
const maxPlaces = 3

// A Method is where a method or a class with a cost is declared.
type Method struct {
	Site Site
	// Stale is as in [Call].
	Stale string
	// Suppressed is as in [Call].
	Suppressed bool
	Cost       *finding.Cost
}
