// Package bundle groups the active periods of components into bundles of energy (Pathak et al.,
// "Where is the energy spent inside my app?", EuroSys 2012, Section 8; their profiler is eprof). A
// bundle is the period from when a component leaves its base state until it returns to that state.
//
// A [Set] observes the machines of a device. If the same calls drove a component to the same
// states in several bundles, it folds these bundles into one [Bundle] with a count. A Bundle lists
// the calls that drove each state, and the times at which the component waited in a tail. A second
// scan uses the [Tail] periods to find the code that ran during them.
//
// A bundle also has the energy that its operations would use if the app batched them. To compute
// it, a machine replays the operations of all folded bundles without the time between them. The app
// may be unable to batch the operations, so the difference is an upper bound on the saving.
//
// These laws hold: The energies of all bundles of a component add up to the energy of its
// intervals. The memory is bounded by the number of distinct bundles and by the limits in this
// package. If a limit was reached, the results report it. A Set is not safe for concurrent use.
package bundle

import (
	"time"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// These limits bound the memory of a book.
const (
	// maxBundles bounds the number of distinct bundles of a component. Further bundles are merged
	// into one bundle.
	maxBundles = 2000
	// maxReplayed bounds the number of operations of a bundle that are replayed.
	maxReplayed = 1 << 16
	// maxTails bounds the number of tails of a component, and maxHolds the number of holds.
	maxTails = 1 << 16
	maxHolds = 1 << 14
)

// A Context is the number of a call path. See [Set.Path].
type Context int32

// Unknown is the context of operations without a known call.
const Unknown Context = -1

// A Bundle is one active period of a component, or several similar periods.
type Bundle struct {
	// Component is the component's name, as in trace.Account.
	Component string
	// Count is the number of folded bundles. Begin and End are the times of the first bundle, in
	// nanoseconds on the trace's timeline.
	Count      int64
	Begin, End int64
	// Time is the total duration of the bundles. Longest is the longest duration of a bundle.
	Time, Longest time.Duration
	// Energy is the total energy of the bundles. Use is the part used while operations were active
	// and in ramps. Tail is the part used while the component waited.
	Energy, Use, Tail units.Energy
	// Waits counts the tails that ended because an operation began. Waited is their total duration.
	// In this time, the app did something else between two operations.
	Waits  int64
	Waited time.Duration
	// Rests counts the periods in the base state before these bundles. ShortestRest, LongestRest
	// and Rested are the shortest, the longest and the total duration of these periods.
	Rests                             int64
	Rested, ShortestRest, LongestRest time.Duration
	// States are the states of the bundles, in model order.
	States []State
	// Drafted is the energy that the operations would use if the app batched them. It is valid only
	// if Replayed is set. Replayed is not set if there are too many operations. It is also not set
	// if powers depend on a level, because the level varied over time.
	Drafted  units.Energy
	Replayed bool
	// Others is set for the bundle that merges different bundles in excess of maxBundles.
	Others bool
}

// Saved returns an upper bound for the saving that batching the operations could give. It is 0 if
// the saving is unknown.
func (b *Bundle) Saved() units.Energy {
	if !b.Replayed {
		return 0
	}
	return max(b.Energy-b.Drafted, 0)
}

// A State is a state of a bundle, with the calls that drove the component to the state.
type State struct {
	Name string
	Kind model.Kind
	// Visits counts how often the component entered the state.
	Visits int64
	Time   time.Duration
	Energy units.Energy
	// Drivers are the calls whose operations the component carried out in the state, sorted by
	// decreasing energy. The drivers of a ramp are the calls that caused the ramp. The drivers of a
	// tail are the calls to which the energy of the tail is charged.
	Drivers []Driver
	// Tails are indices into Set.Tails. Only a state of kind Tail has them.
	Tails []int32
}

// A Driver is a call that drove a component to a state.
type Driver struct {
	Context Context
	// Operations counts the operations that the driver's call made in the state. Verbs are the
	// verbs of these operations.
	Operations, Bytes int64
	Verbs             []trace.Verb
	// Energy is the energy in the state that is charged to the call.
	Energy units.Energy
}

// A Tail is a period in which a component waited.
type Tail struct{ Begin, End int64 }

// A Hold is the period in which an acquired, started or opened object kept its component on.
type Hold struct {
	Component string
	// The context By acquired the object, on Thread. Releaser is the context that released it.
	// Released is false if the object was still held when the recording ended.
	By, Releaser Context
	Thread       trace.ThreadID
	Verb         trace.Verb
	Begin, End   int64
	Released     bool
	// Timed means that the object is released after a timeout that the recording does not show.
	Timed bool
}

// A Set holds the bundles of a run.
type Set struct {
	paths *paths
	logs  []*Log
	tails []Tail
	// unseen counts the tails and holds in excess of the limits.
	unseen int64
	holds  []Hold
}

// New returns an empty book.
func New() *Set { return &Set{paths: newPaths()} }

// Context returns the number of a call path, whose outermost call is first.
func (b *Set) Context(path []trace.MethodID) Context { return b.paths.number(path) }

// Path returns the call path of a context, the outermost call first. It returns nil for Unknown.
func (b *Set) Path(c Context) []trace.MethodID { return b.paths.path(c) }

// Tails returns the tails of all bundles, in no particular order. They are input of
// energy.CodeDuring.
func (b *Set) Tails() []Tail { return b.tails }

// Holds returns the holds in the order of their ends.
func (b *Set) Holds() []Hold { return b.holds }

// Unseen counts the tails and holds that are not listed because of the limits.
func (b *Set) Unseen() int64 { return b.unseen }

// Bundles returns the bundles of all components. They are sorted by component in the order of
// [Set.Log], then by begin. All machines must have finished.
func (b *Set) Bundles() ([]Bundle, error) {
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

// An OwnerFunc returns who an owner in a machine is: its context and thread. A Log calls it before
// the machine forgets the owner.
type OwnerFunc func(machine.Owner) (Context, trace.ThreadID)

// Log returns the log that observes the machine of a component.
func (b *Set) Log(c *model.Component, owners OwnerFunc) *Log {
	l := &Log{book: b, component: c, owners: owners, drivers: make(map[place]int), groups: make(map[string]*group), rested: -1}
	b.logs = append(b.logs, l)
	return l
}
