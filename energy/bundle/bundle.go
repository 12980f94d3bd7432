// Package bundle tells the stays of components away from their base states: bundles of
// energy (Pathak et al., "Where is the energy spent inside my app?", EuroSys 2012, which
// names its profiler eprof, Section 8).
//
// A [Book] hears what the machines of a device do, and folds bundles of one component that
// the same calls drove to the same states: they are one [Bundle] with a count. Each says
// which calls drove each state, and when the component waited in a tail; [Tails] finds in a
// second scan of the recording what ran then.
//
// A bundle also says what its operations would have drained if the app had drafted them
// together: a machine replays all operations of the folded bundles, without the time
// between them in which the component waited or rested. Nobody knows whether the app could do
// that, so that the difference is the most that it could save.
//
// Laws: the energies of all bundles of a component are the energy of its stays; memory is
// bounded by distinct bundles and by the limits in this package, which a result says when
// they are passed. A Book must be used by one goroutine at a time.
package bundle

import (
	"time"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// What a book keeps at most.
const (
	// maxBundles bounds distinct bundles of a component. Those that come later are one.
	maxBundles = 2000
	// maxReplayed bounds the operations of one bundle that are replayed.
	maxReplayed = 1 << 16
	// maxTails bounds the tails of a component, and maxHolds its holds.
	maxTails = 1 << 16
	maxHolds = 1 << 14
)

// A Context is a call path: a number that [Book.Path] explains.
type Context int32

// Unknown is the context of operations of which no call is known.
const Unknown Context = -1

// A Bundle is one stay of a component away from its base state, or several alike.
type Bundle struct {
	// Component is as in trace.Account.
	Component string
	// Count is how many bundles are folded. Begin and End are of the first one, in
	// nanoseconds on the trace's timeline.
	Count      int64
	Begin, End int64
	// Time is how long they last in all, Longest the longest of them.
	Time, Longest time.Duration
	// Energy is what they drained in all: Use while operations were active, and in ramps,
	// Tail while the component waited.
	Energy, Use, Tail units.Energy
	// Waits counts how often an operation cut a tail short, Waited is how long these tails
	// lasted: the app did something else between two operations.
	Waits  int64
	Waited time.Duration
	// Rests counts the bundles before which the component rested since its last bundle,
	// ShortestRest and LongestRest are how long it did, and Rested is the sum.
	Rests                             int64
	Rested, ShortestRest, LongestRest time.Duration
	// States are those that the bundles went through, in the model's order.
	States []State
	// Drafted is what the operations would have drained together. It counts where Replayed
	// is set: not for bundles with too many operations, and not for components whose powers
	// depend on a level, which was another one at each moment.
	Drafted  units.Energy
	Replayed bool
	// Others is set for a bundle that stands for unlike ones, since there were too many.
	Others bool
}

// Saved is the most that drafting the operations together would save, 0 if that is unknown.
func (b *Bundle) Saved() units.Energy {
	if !b.Replayed {
		return 0
	}
	return max(b.Energy-b.Drafted, 0)
}

// A State is one of a bundle's, and what drove the component there.
type State struct {
	Name string
	Kind model.Kind
	// Visits counts how often the component came to the state.
	Visits int64
	Time   time.Duration
	Energy units.Energy
	// Drivers are the calls whose operations were done in the state, most energy first. Of a
	// ramp they are those that caused it, of a tail those that are charged for it.
	Drivers []Driver
	// Tails are indices of the tails of the book, for a tail.
	Tails []int32
}

// A Driver is a call that drove a component to a state.
type Driver struct {
	Context Context
	// Operations counts what it asked that was done in the state, Verbs which.
	Operations, Bytes int64
	Verbs             []trace.Verb
	// Energy is what it drained in the state.
	Energy units.Energy
}

// A Tail is a while in which a component waited.
type Tail struct{ Begin, End int64 }

// A Hold is something that was acquired, started or opened, and kept its component on.
type Hold struct {
	Component string
	// By acquired it on Thread, and Released says whether anybody released it before the
	// recording ended, and Releaser who.
	By, Releaser Context
	Thread       trace.ThreadID
	Verb         trace.Verb
	Begin, End   int64
	Released     bool
}

// A Book has the bundles of a run.
type Book struct {
	paths *paths
	logs  []*Log
	tails []Tail
	// unseen counts tails and holds beyond the limits.
	unseen int64
	holds  []Hold
}

// New returns an empty book.
func New() *Book { return &Book{paths: newPaths()} }

// Context numbers a call path, outermost first.
func (b *Book) Context(path []trace.MethodID) Context { return b.paths.number(path) }

// Path returns the call path of a context, outermost first; nil for Unknown.
func (b *Book) Path(c Context) []trace.MethodID { return b.paths.path(c) }

// Tails are the tails of all bundles, for [Ran], in no order.
func (b *Book) Tails() []Tail { return b.tails }

// Holds are what was kept on, in the order in which that ended.
func (b *Book) Holds() []Hold { return b.holds }

// Unseen counts the tails and holds that are not listed, since there were too many.
func (b *Book) Unseen() int64 { return b.unseen }

// Bundles returns the bundles of all components: by component in the order of [Book.Log], and
// in order of their beginning. The machines must have finished.
func (b *Book) Bundles() ([]Bundle, error) {
	var all []Bundle
	for _, l := range b.logs {
		bundles, err := l.result()
		if err != nil {
			return nil, err
		}
		all = append(all, bundles...)
	}
	return all, nil
}

// Who says who an owner of a machine is. It is asked before the owner is forgotten.
type Who func(machine.Owner) (Context, trace.ThreadID)

// Log returns what hears the machine of a component.
func (b *Book) Log(c *model.Component, who Who) *Log {
	l := &Log{book: b, component: c, who: who, drivers: make(map[place]int), groups: make(map[string]*group), rested: -1}
	b.logs = append(b.logs, l)
	return l
}
