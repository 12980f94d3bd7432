package cct

import (
	"cmp"
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Column has one number for each node of a tree. The zero Column is 0 everywhere. It is immutable
// and safe for concurrent use.
type Column[T ~int64] struct{ sums }

// sums are a column's numbers as prefix sums.
type sums struct {
	// before[i] is the sum over the nodes 0 to i-1. A subtree is a range of nodes, so its sum is
	// the difference of two elements. before is nil if all numbers are 0.
	before []int64
	// ends are the nodes' ends, shared by all columns of a tree.
	ends []int32
}

// NewColumn makes a column from each node's own number. ends[i] is the index after the last
// descendant of node i, as in Node.End. The sum over all nodes must fit T.
func NewColumn[T ~int64](ends []int32, self []T) Column[T] { return Column[T]{sum(ends, self)} }

func sum[T ~int64](ends []int32, self []T) sums {
	before := make([]int64, len(self)+1)
	for i, x := range self {
		before[i+1] = int64(x)
	}
	return summed(ends, before)
}

// summed makes a column from a slice whose element i+1 is the number of node i. It overwrites the
// slice with the prefix sums, because new memory is expensive.
func summed(ends []int32, before []int64) sums {
	all, sum := int64(0), int64(0)
	for i, x := range before {
		all |= x
		sum += x
		before[i] = sum
	}
	if all == 0 {
		return sums{}
	}
	return sums{before, ends}
}

// Self returns the number of node i without its descendants.
func (c Column[T]) Self(i int32) T { return T(c.self(i)) }

// All returns the sum over node i and its descendants.
func (c Column[T]) All(i int32) T { return T(c.all(i)) }

// Total returns the sum over all nodes.
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

// fold implements Measures.Fold for one column, without the nodes for which skip is true.
func (c sums) fold(into, ends []int32, skip []bool) sums {
	if c.before == nil {
		return sums{}
	}
	self := make([]int64, len(ends)+1)
	for i, to := range into {
		if skip == nil || !skip[i] {
			self[to+1] += c.self(int32(i))
		}
	}
	return summed(ends, self)
}

// Quantity is the quantity in a column of [Measures], such as Energy or Calls.
type Quantity uint8

// The quantities.
const (
	Energy    Quantity = iota // nanojoules
	CPU                       // nanoseconds on the processor
	Wall                      // nanoseconds by the wall clock
	Calls                     // calls that are not recursive
	Recursive                 // recursive calls, which merged into this node
	Weight                    // weight of samples, in the unit trace.Trace.Weight
	Seen                      // how often a stack was seen
)

// A Key identifies a column of [Measures] by its quantity, its run (in a merged tree), and its
// account (for energy).
type Key struct {
	Run      int
	Quantity Quantity
	Account  trace.AccountID
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Quantity, b.Quantity), cmp.Compare(a.Account, b.Account))
}

// Measures has the numbers of a tree's nodes, one column for each quantity. The fields are sums
// over all runs and accounts. The methods Self and All take a Key for one run or account. Measures
// are immutable and safe for concurrent use.
type Measures struct {
	Energy    Column[units.Energy]
	CPU, Wall Column[time.Duration]
	// Calls counts the calls that are not recursive. Recursive counts the recursive calls
	// that were merged into this node.
	Calls, Recursive Column[int64]
	// Weight is the sum of the samples' weights, in the unit trace.Trace.Weight. Seen is how often
	// the samples' stacks were seen.
	Weight, Seen Column[int64]

	// runs is the number of merged runs. It is 0 for a single run.
	runs int
	// parts are the columns of single runs and accounts, sorted by key. A column that equals a
	// field is not stored.
	parts []part
	// repeats[i] is the energy in run i, in a tree that Mean made.
	repeats []sums
}

type part struct {
	key Key
	sums
}

// fields returns the fields of m that are columns, indexed by Quantity.
func (m *Measures) fields() [7]*sums {
	return [...]*sums{
		Energy: &m.Energy.sums, CPU: &m.CPU.sums, Wall: &m.Wall.sums, Calls: &m.Calls.sums,
		Recursive: &m.Recursive.sums, Weight: &m.Weight.sums, Seen: &m.Seen.sums,
	}
}

// column returns the column with a key, or the zero column.
func (m *Measures) column(key Key) sums {
	divided := false
	for i := range m.parts {
		if m.parts[i].key == key {
			return m.parts[i].sums
		}
		divided = divided || m.parts[i].key.Quantity == key.Quantity
	}
	if divided || key.Quantity > Seen || key != (Key{Quantity: key.Quantity}) {
		return sums{}
	}
	return *m.fields()[key.Quantity]
}

// Runs returns the number of merged runs. It is 1 for a single run.
func (m *Measures) Runs() int { return max(m.runs, 1) }

// Keys lists the columns that are not 0 everywhere, sorted by run, what and account.
func (m *Measures) Keys() []Key {
	var keys []Key
	for _, p := range m.parts {
		keys = append(keys, p.key)
	}
	for what := range m.fields() {
		if key := (Key{Quantity: Quantity(what)}); m.column(key).before != nil && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// Column returns the energy column that key identifies, or the zero column.
func (m *Measures) Column(key Key) Column[units.Energy] { return Column[units.Energy]{m.column(key)} }

// Self returns the number of node i, without its descendants, in the column that key identifies.
func (m *Measures) Self(i int32, key Key) int64 { return m.column(key).self(i) }

// All returns the sum over node i and its descendants, in the column that key identifies.
func (m *Measures) All(i int32, key Key) int64 { return m.column(key).all(i) }

// Fold returns the measures of a smaller tree, whose nodes merge nodes of this tree. Node i becomes
// part of node into[i]. ends has Node.End of the new nodes. If inner[i] is true, the calls of node
// i are not counted, because their caller became part of the same new node. inner may be nil.
func (m *Measures) Fold(into, ends []int32, inner []bool) Measures {
	out := Measures{runs: m.runs}
	skip := func(what Quantity) []bool {
		if what == Calls {
			return inner
		}
		return nil
	}
	to := out.fields()
	for what, from := range m.fields() {
		*to[what] = from.fold(into, ends, skip(Quantity(what)))
	}
	for _, p := range m.parts {
		out.parts = append(out.parts, part{p.key, p.fold(into, ends, skip(p.key.Quantity))})
	}
	for _, c := range m.repeats {
		out.repeats = append(out.repeats, c.fold(into, ends, nil))
	}
	return out
}
