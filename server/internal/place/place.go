// Package place finds the places of a comparison's findings in the sources.
//
// A finding is either a task (a framework call, by the app method that makes it) or the energy of a
// method or class. A [Layout] lists them by file, in the order of the text. A task is placed at:
//
//  1. the calls of the framework method in the calling method, if there are at most three;
//  2. otherwise, the name of the calling method;
//  3. if the calling method is gone, the name of its class, with the reason.
//
// A Layout is immutable and may be read concurrently. After an edit, [Layout.Updated] returns a new
// layout that shares the unchanged parts.
package place

import (
	"cmp"
	"iter"
	"slices"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/units"
)

// A Site is the name of a method, a class or a call in a source file. Columns count UTF-16
// units.
type Site struct {
	Path     string
	From, To buffer.Position
	// End is the end of the call or of the method's body. It equals To for a call that ends on
	// another line.
	End buffer.Position
}

// Compare orders sites by path and position.
func (a Site) Compare(b Site) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.From.Line, b.From.Line), cmp.Compare(a.From.Column, b.From.Column))
}

// Contains reports whether a position is in the name. The position after its last character
// is included, since the cursor is there after typing the name.
func (a Site) Contains(p buffer.Position) bool {
	return p.Line == a.From.Line && p.Line == a.To.Line && p.Column >= a.From.Column && p.Column <= a.To.Column
}

// Marks are the findings in one file, in the order of the text.
type Marks struct {
	Calls   []Call
	Methods []Method
}

// Tasks returns the indices of the tasks called in the file, possibly with duplicates. m may be
// nil.
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

// Same reports whether two versions of a file have the same findings at the same places. If a call
// has several possible places, only their number is compared.
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

// A Call is a place in the source where the app calls one or more tasks.
type Call struct {
	Site Site
	// Stale is empty if the source is as recorded. Otherwise the site was found by name, and Stale
	// completes a sentence that begins with the caller's name.
	Stale string
	// Exact is set if the site is the call itself. Otherwise the site is the calling method's name,
	// or a call near the caller.
	Exact bool
	// Suppressed is set if a comment hides findings: see source.Index.Suppressed.
	Suppressed bool
	// Tasks are the tasks that this place may call, sorted by possible saving.
	Tasks []Part
	// Caller is the calling method.
	Caller name.Method
	// Intermediary is the library method between the caller and the task. It is empty for direct
	// calls.
	Intermediary finding.Intermediary
}

// A Part is the energy of a task that is due to calls from one place.
type Part struct {
	// Task is an index of finding.Set.Tasks.
	Task int
	// First is set at the first possible place of a call. The energy is shown there, and is 0 at
	// the other places.
	First bool
	// Energy, Saving and Calls are the calling method's part of the task.
	Energy, Saving units.Energy
	Calls          int64
	// Places are all possible places of the call.
	Places []Site
}

// maxPlaces limits the possible places at which a call is shown. A call with more is shown at the
// calling method's name.
const maxPlaces = 3

// A Method is a declaration of a method or class, with its energy.
type Method struct {
	Site Site
	// Stale has the same meaning as in [Call].
	Stale string
	// Suppressed has the same meaning as in [Call].
	Suppressed bool
	Cost       *finding.Cost
}
