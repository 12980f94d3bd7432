package analysis

import (
	"context"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// maxRoutines is the number of routines listed for each tail (eprof, Section 8.2).
const maxRoutines = 3

// Bundles are the active periods of a run's components. A period lasts from leaving the idle state
// until returning to it.
type Bundles struct {
	// List is sorted as bundle.Set.Bundles returns it.
	List []bundle.Bundle
	// Ran lists, for each bundle and each of its states, the routines that ran longest during the
	// tails of that state.
	Ran [][][]energy.Routine
	// Holds are the calls that kept components on. LastRan has, for each hold, the time at which a
	// thread of the same process last ran before the hold ended. It is 0 if none did.
	Holds   []bundle.Hold
	LastRan []int64
	// Unseen counts the tails and holds that are not listed because there were too many.
	Unseen int64
	// Ignored has the identities of the findings that the user ignores. Package finding makes these
	// identities. Ignored may be nil.
	Ignored map[string]bool
	// Paths has the call paths of the contexts in List and Holds, outermost call first, as methods
	// of the run. It has no entry for a context without a known call.
	Paths map[bundle.Context][]trace.MethodID
}

// bundles scans a run again to find the routines that ran during the tails of its bundles. It
// returns nil if the run has no bundles.
func (s *setup) bundles(ctx context.Context, o *opened, methods []name.Method) (*Bundles, error) {
	book := o.metered.Bundles()
	if book == nil {
		return nil, nil
	}
	list, err := book.Bundles()
	if err != nil {
		return nil, err
	}
	b := &Bundles{List: list, Ran: make([][][]energy.Routine, len(list)), Holds: book.Holds(), Unseen: book.Unseen(), Paths: paths(book, list)}
	var groups [][]bundle.Tail
	for i := range list {
		for k := range list[i].States {
			state := &list[i].States[k]
			var tails []bundle.Tail
			for _, t := range state.Tails {
				tails = append(tails, book.Tails()[t])
			}
			groups, state.Tails = append(groups, tails), nil // the routines below replace the indices
		}
	}
	scale(list, o.metered.Components())
	ran, last, err := energy.CodeDuring(ctx, o.measured, groups, b.Holds, maxRoutines, s.routine(methods), s.moves(methods))
	if err != nil {
		return nil, err
	}
	for i := range list {
		n := len(list[i].States)
		b.Ran[i], ran = ran[:n], ran[n:]
	}
	b.LastRan = last
	return b, nil
}

// moves returns a function that reports whether a method moves data or opens a connection.
func (s *setup) moves(methods []name.Method) func(trace.MethodID) bool {
	const unknown, moves, other = 0, 1, 2
	kinds := make([]uint8, len(methods))
	return func(m trace.MethodID) bool {
		if kinds[m] == unknown {
			kinds[m] = other
			if t := s.triggers.Find(methods[m]); t != nil && (t.Moves() || t.Verb == trace.OpOpen) {
				kinds[m] = moves
			}
		}
		return kinds[m] == moves
	}
}

// paths returns the call path of each context in list and in the book's holds.
func paths(book *bundle.Set, list []bundle.Bundle) map[bundle.Context][]trace.MethodID {
	named := make(map[bundle.Context][]trace.MethodID)
	name := func(c bundle.Context) {
		if path := book.Path(c); path != nil {
			named[c] = path
		}
	}
	for i := range list {
		for _, state := range list[i].States {
			for _, d := range state.Drivers {
				name(d.Context)
			}
		}
	}
	for _, h := range book.Holds() {
		name(h.By)
		name(h.Releaser)
	}
	return named
}

// scale scales the energies of bundles by the ratio of measured to modelled energy of their
// component. Each figure is rounded separately.
func scale(list []bundle.Bundle, components []energy.Component) {
	modelled := make(map[string]units.Energy)
	for i := range list {
		modelled[list[i].Component] += list[i].Energy
	}
	for _, c := range components {
		scaled, was := units.Energy(0), modelled[c.Name]
		for _, s := range c.States {
			scaled += s.Energy
		}
		if scaled == was || was == 0 {
			continue
		}
		by := func(e *units.Energy) { *e = units.Energy(units.MulDiv(int64(*e), int64(scaled), int64(was))) }
		for i := range list {
			if b := &list[i]; b.Component == c.Name {
				by(&b.Tail)
				by(&b.Energy)
				b.Use = b.Energy - b.Tail
				by(&b.Drafted)
				for j := range b.States {
					by(&b.States[j].Energy)
					for k := range b.States[j].Drivers {
						by(&b.States[j].Drivers[k].Energy)
					}
				}
			}
		}
	}
}

// routine returns a function that finds the method to which a stack's time belongs. It is the
// innermost app method, or the innermost method if the stack has no app method. It is -1 if the
// thread waits.
func (s *setup) routine(methods []name.Method) func(stack []trace.MethodID) trace.MethodID {
	const unknown, waits, app, other = 0, 1, 2, 3
	kinds := make([]uint8, len(methods))
	kind := func(m trace.MethodID) uint8 {
		if kinds[m] == unknown {
			switch {
			case s.platform.Waits(methods[m]):
				kinds[m] = waits
			case s.platform.Owner(methods[m]) == platform.App:
				kinds[m] = app
			default:
				kinds[m] = other
			}
		}
		return kinds[m]
	}
	return func(stack []trace.MethodID) trace.MethodID {
		innermost := stack[len(stack)-1]
		if kind(innermost) == waits {
			return -1
		}
		for i := len(stack) - 1; i >= 0; i-- {
			if kind(stack[i]) == app {
				return stack[i]
			}
		}
		return innermost
	}
}
