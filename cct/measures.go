package cct

import (
	"cmp"
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Column holds one figure of each node of a tree. The zero Column is 0 everywhere. It
// is immutable and safe for concurrent use.
type Column[T ~int64] struct{ sums }

// sums are a column's figures, added up.
type sums struct {
	// before are the sums over the nodes before a node, in preorder. A subtree is a
	// range of nodes, so that its sum is the difference of two of them. It is nil if
	// all figures are 0.
	before []int64
	// ends are the nodes' ends, shared by all columns of a tree.
	ends []int32
}

// NewColumn makes a column of what each node has for itself. ends[i] is one past the last
// descendant of node i, as Node.End is. The sum over all nodes must fit T.
func NewColumn[T ~int64](ends []int32, self []T) Column[T] { return Column[T]{sum(ends, self)} }

func sum[T ~int64](ends []int32, self []T) sums {
	before, all := make([]int64, len(self)+1), int64(0)
	for i, x := range self {
		before[i+1] = before[i] + int64(x)
		all |= int64(x)
	}
	if all == 0 {
		return sums{}
	}
	return sums{before, ends}
}

// Self is what node i has without its descendants.
func (c Column[T]) Self(i int32) T { return T(c.self(i)) }

// All is what node i has with its descendants.
func (c Column[T]) All(i int32) T { return T(c.all(i)) }

// Total is what all nodes have.
func (c Column[T]) Total() T {
	if c.before == nil {
		return 0
	}
	return T(c.before[len(c.before)-1])
}

func (c sums) self(i int32) int64 {
	if c.before == nil {
		return 0
	}
	return c.before[i+1] - c.before[i]
}

func (c sums) all(i int32) int64 {
	if c.before == nil {
		return 0
	}
	return c.before[c.ends[i]] - c.before[i]
}

// fold is Measures.Fold of one column, without the nodes marked in skip.
func (c sums) fold(into, ends []int32, skip []bool) sums {
	if c.before == nil {
		return sums{}
	}
	self := make([]int64, len(ends))
	for i, to := range into {
		if skip == nil || !skip[i] {
			self[to] += c.self(int32(i))
		}
	}
	return sum(ends, self)
}

// What says what a column of [Measures] counts.
type What uint8

// What there are columns of.
const (
	Energy    What = iota // nanojoules
	CPU                   // nanoseconds on the processor
	Wall                  // nanoseconds by the wall clock
	Calls                 // calls that are not recursive
	Recursive             // calls that merged into a node from below
	Weight                // of samples, in the unit trace.Trace.Weight
	Seen                  // sightings of a stack
)

// A Key names a column of [Measures]: what it counts, in which of the runs that the tree
// was merged from, and, of energy, on which account.
type Key struct {
	Run     int
	What    What
	Account trace.AccountID
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.What, b.What), cmp.Compare(a.Account, b.Account))
}

// Measures are the figures of a tree's nodes: columns beside its shape. The fields are
// sums over all runs and accounts; Self and All tell those apart. Measures are immutable
// and safe for concurrent use.
type Measures struct {
	Energy    Column[units.Energy]
	CPU, Wall Column[time.Duration]
	// Calls counts the calls that are not recursive, Recursive those that merged into
	// a node from below.
	Calls, Recursive Column[int64]
	// Weight is what samples stand for in the unit trace.Trace.Weight, Seen how many
	// times their stacks were seen.
	Weight, Seen Column[int64]

	// runs is how many runs were merged, 0 for the figures of one run.
	runs int
	// parts are the columns of runs and accounts, in the order of their keys. Where a
	// field would be its only part, it has none.
	parts []part
	// repeats has a column of energy for each run that the figures are the mean of.
	repeats []sums
}

type part struct {
	key Key
	sums
}

// fields returns the columns that are fields of m, by What.
func (m *Measures) fields() [7]*sums {
	return [...]*sums{
		Energy: &m.Energy.sums, CPU: &m.CPU.sums, Wall: &m.Wall.sums, Calls: &m.Calls.sums,
		Recursive: &m.Recursive.sums, Weight: &m.Weight.sums, Seen: &m.Seen.sums,
	}
}

// column returns the column that a key names, the zero one if there is none.
func (m *Measures) column(key Key) sums {
	divided := false
	for i := range m.parts {
		if m.parts[i].key == key {
			return m.parts[i].sums
		}
		divided = divided || m.parts[i].key.What == key.What
	}
	if divided || key.What > Seen || key != (Key{What: key.What}) {
		return sums{}
	}
	return *m.fields()[key.What]
}

// Runs is how many runs the figures are of.
func (m *Measures) Runs() int { return max(m.runs, 1) }

// Keys lists the columns that are not 0 everywhere, in the order of run, what and
// account.
func (m *Measures) Keys() []Key {
	var keys []Key
	for _, p := range m.parts {
		keys = append(keys, p.key)
	}
	for what := range m.fields() {
		if key := (Key{What: What(what)}); m.column(key).before != nil && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// On returns the column of energy that a key names, the zero one if there is none.
func (m *Measures) On(key Key) Column[units.Energy] { return Column[units.Energy]{m.column(key)} }

// Self is the figure that key names of node i without its descendants.
func (m *Measures) Self(i int32, key Key) int64 { return m.column(key).self(i) }

// All is the figure that key names of node i with its descendants.
func (m *Measures) All(i int32, key Key) int64 { return m.column(key).all(i) }

// Fold returns the measures of a tree whose nodes the nodes of this one became part of:
// node i became part of into[i]. ends are those of the new tree. Calls of nodes marked in
// inner, which may be nil, came from inside of what the node became part of, and are no
// calls any more.
func (m *Measures) Fold(into, ends []int32, inner []bool) Measures {
	out := Measures{runs: m.runs}
	skip := func(what What) []bool {
		if what == Calls {
			return inner
		}
		return nil
	}
	to := out.fields()
	for what, from := range m.fields() {
		*to[what] = from.fold(into, ends, skip(What(what)))
	}
	for _, p := range m.parts {
		out.parts = append(out.parts, part{p.key, p.fold(into, ends, skip(p.key.What))})
	}
	for _, c := range m.repeats {
		out.repeats = append(out.repeats, c.fold(into, ends, nil))
	}
	return out
}
