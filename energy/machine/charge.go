package machine

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/diffprof/diffprof/units"
)

// A meter converts power and time to whole nanojoules. The remainder below a nanojoule is added
// to the next conversion.
type meter struct {
	// rest is the remainder of power times time, in µW·ns. bytes is the remainder of the energy of
	// bytes, in 1/1024 nJ.
	rest, bytes uint64
	total       uint64
	// groups and scratch are memory that share reuses.
	groups  []fraction
	scratch []Share
}

// A microwatt over perNanojoule nanoseconds is a nanojoule.
const perNanojoule = 1_000_000

// drain returns the energy of power p over ns nanoseconds.
func (m *meter) drain(p units.Power, ns int64) (units.Energy, error) {
	hi, lo := bits.Mul64(uint64(p), uint64(ns))
	lo, carry := bits.Add64(lo, m.rest, 0)
	if hi += carry; hi == 0 { // This is the usual case. Division by a constant is fast.
		m.rest = lo % perNanojoule
		return m.add(lo / perNanojoule)
	}
	if hi >= perNanojoule {
		return 0, errRange
	}
	e, rest := bits.Div64(hi, lo, perNanojoule)
	m.rest = rest
	return m.add(e)
}

// move returns the energy of moved data in whole nanojoules. parts is the same energy in 1/1024 nJ.
func (m *meter) move(parts int64) (units.Energy, error) {
	sum := m.bytes + uint64(parts)
	m.bytes = sum % kibibyte
	return m.add(sum / kibibyte)
}

func (m *meter) add(e uint64) (units.Energy, error) {
	if e > math.MaxInt64-m.total {
		return 0, errRange
	}
	m.total += e
	return units.Energy(e), nil
}

// A fraction is one owner's share while energy is divided.
type fraction struct {
	owner Owner
	whole units.Energy
	// rest is the remainder below a nanojoule, in units of 1 nJ divided by the number of
	// operations.
	rest uint64
}

// share divides energy evenly among the operations of c, which must not be empty. It uses the
// largest remainder method. If remainders are equal, owners with smaller numbers come first. The
// result has no share for NoOwner.
func (m *meter) share(e units.Energy, c *ownerOperations) []Share {
	if len(c.groups) == 1 {
		return m.all(e, c.groups[0].owner)
	}
	m.groups = m.groups[:0]
	left := e
	for _, g := range c.groups {
		hi, lo := bits.Mul64(uint64(e), uint64(g.operations))
		whole, rest := bits.Div64(hi, lo, uint64(c.n))
		left -= units.Energy(whole)
		m.groups = append(m.groups, fraction{g.owner, units.Energy(whole), rest})
	}
	if left > 0 {
		slices.SortFunc(m.groups, func(a, b fraction) int {
			return cmp.Or(cmp.Compare(b.rest, a.rest), cmp.Compare(a.owner, b.owner))
		})
		for i := range m.groups[:left] {
			m.groups[i].whole++
		}
		slices.SortFunc(m.groups, func(a, b fraction) int { return cmp.Compare(a.owner, b.owner) })
	}
	m.scratch = m.scratch[:0]
	for _, g := range m.groups {
		if g.owner != NoOwner {
			m.scratch = append(m.scratch, Share{g.owner, g.whole})
		}
	}
	return m.scratch
}

// all returns a single share, which gives the whole energy to one owner.
func (m *meter) all(e units.Energy, o Owner) []Share {
	m.scratch = m.scratch[:0]
	if o != NoOwner {
		m.scratch = append(m.scratch, Share{o, e})
	}
	return m.scratch
}

// ownerOperations has the number of active operations of each owner, sorted by owner.
type ownerOperations struct {
	groups []group
	n      int64 // n is the number of operations.
}

type group struct {
	owner      Owner
	operations int64
}

// place returns the index of an owner's group, or the index at which to insert it. It searches from
// the end, because recent owners have the highest numbers.
func (c *ownerOperations) place(o Owner) (i int, found bool) {
	for i = len(c.groups); i > 0 && c.groups[i-1].owner >= o; i-- {
	}
	return i, i < len(c.groups) && c.groups[i].owner == o
}

func (c *ownerOperations) add(o Owner) {
	c.n++
	i, found := c.place(o)
	if !found {
		c.groups = append(c.groups, group{})
		copy(c.groups[i+1:], c.groups[i:])
		c.groups[i] = group{owner: o}
	}
	c.groups[i].operations++
}

func (c *ownerOperations) remove(o Owner) {
	c.n--
	i, _ := c.place(o)
	if c.groups[i].operations--; c.groups[i].operations == 0 {
		c.groups = append(c.groups[:i], c.groups[i+1:]...)
	}
}

// ownerCounts counts the references to each owner, so that unused owners can be forgotten. An
// operation that has not ended is a reference. The machine also refers to the first operation, the
// last operation and the cause of a ramp.
type ownerCounts struct {
	reasons []int32
	forget  func(Owner)
}

func (c *ownerCounts) add(o Owner) {
	if o < 0 {
		return
	}
	for int(o) >= len(c.reasons) {
		c.reasons = append(c.reasons, 0)
	}
	c.reasons[o]++
}

func (c *ownerCounts) drop(o Owner) {
	if o < 0 {
		return
	}
	if c.reasons[o]--; c.reasons[o] == 0 && c.forget != nil {
		c.forget(o)
	}
}
