package cct

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Unpack returns the tree that Pack packed. It returns an error for bytes that Pack did not write.
// For any input, the indices in the tree are valid, and its memory is at most some tens of times
// the input.
func Unpack(packed []byte) (*Tree, error) {
	u := unpacker{rest: packed}
	switch version := u.byte(); {
	case u.err != nil:
		return nil, u.err
	case version > packVersion:
		return nil, fmt.Errorf("the packed tree has version %d of the layout, and this program reads version %d: a newer program wrote it", version, packVersion)
	case version == 0:
		return nil, errBroken
	}
	t := &Tree{Methods: u.methods()}
	t.Elapsed = u.flag()
	t.Counted = trace.Calls(u.below(uint64(trace.CountedCalls) + 1))
	t.threadSets = make([][]trace.ThreadID, u.count(1))
	for i := range t.threadSets {
		if n := u.count(1); n > 0 {
			t.threadSets[i] = make([]trace.ThreadID, n)
		}
		for k := range t.threadSets[i] {
			t.threadSets[i][k] = trace.ThreadID(u.below(math.MaxInt32))
		}
		if !slices.IsSorted(t.threadSets[i]) {
			u.fail()
		}
	}
	t.Nodes = u.shape(len(t.Methods), len(t.threadSets))
	if n := u.count(2); n > 0 {
		t.Handovers = make([]Handover, n)
	}
	for i := range t.Handovers {
		t.Handovers[i] = Handover{Node: int32(u.below(uint64(len(t.Nodes)))), Origin: int32(u.below(uint64(len(t.Nodes))))}
	}
	t.ThreadEnergy = u.energies()
	if n := u.count(1); n > 0 {
		t.threadAccounts = make([][]units.Energy, n)
	}
	for i := range t.threadAccounts {
		t.threadAccounts[i] = u.energies()
	}
	if u.err == nil {
		u.measures(&t.Measures, t.Ends())
	}
	if len(u.rest) > 0 {
		u.fail()
	}
	if u.err != nil {
		return nil, u.err
	}
	return t, nil
}

var errBroken = errors.New("the packed tree is damaged")

// An unpacker reads what a packer wrote. After the first error it reads zeros.
type unpacker struct {
	rest []byte
	err  error
}

func (u *unpacker) fail() {
	if u.err == nil {
		u.err = errBroken
	}
	u.rest = nil
}

func (u *unpacker) byte() byte {
	if len(u.rest) == 0 {
		u.fail()
		return 0
	}
	b := u.rest[0]
	u.rest = u.rest[1:]
	return b
}

func (u *unpacker) flag() bool {
	b := u.byte()
	if b > 1 {
		u.fail()
	}
	return b == 1
}

func (u *unpacker) number() uint64 {
	x, n := binary.Uvarint(u.rest)
	if n <= 0 {
		u.fail()
		return 0
	}
	u.rest = u.rest[n:]
	return x
}

func (u *unpacker) signed() int64 {
	x, n := binary.Varint(u.rest)
	if n <= 0 {
		u.fail()
		return 0
	}
	u.rest = u.rest[n:]
	return x
}

func (u *unpacker) below(limit uint64) uint64 {
	x := u.number()
	if x >= limit {
		u.fail()
		return 0
	}
	return x
}

// count reads a number of items. bytes is the smallest size of an item.
func (u *unpacker) count(bytes int) int { return int(u.below(uint64(len(u.rest)/bytes + 1))) }

func (u *unpacker) methods() []name.Method {
	lengths := make([]int, u.count(1))
	for i := range lengths {
		lengths[i] = u.count(1)
	}
	texts := make([]string, len(lengths))
	for i, n := range lengths {
		if n > len(u.rest) {
			u.fail()
			return nil
		}
		texts[i], u.rest = string(u.rest[:n]), u.rest[n:]
	}
	const columns = len(name.Texts{})
	parts := make([]name.Texts, u.count(columns+1))
	for part := range columns {
		for i := range parts {
			if n := u.below(uint64(len(texts))); u.err == nil {
				parts[i][part] = texts[n]
			}
		}
	}
	if len(parts) == 0 || u.err != nil {
		return nil
	}
	methods := make([]name.Method, len(parts))
	for i := range methods {
		line, ok := u.signed(), false
		if methods[i], ok = parts[i].Method(int(line)); !ok {
			u.err = fmt.Errorf("the packed tree has a method in the unknown language %s: a newer program wrote it", strings.ToValidUTF8(parts[i][0], "?"))
			return nil
		}
	}
	return methods
}

func (u *unpacker) shape(methods, sets int) []Node {
	nodes := make([]Node, u.count(3)) // packed with levels up, method and threads of each node except the root
	if len(nodes) == 0 {
		u.fail()
		return nil
	}
	nodes[Root].Parent = -1
	at := Root
	for i := 1; i < len(nodes); i++ {
		for up := u.number(); up > 0; up-- {
			nodes[at].End = int32(i)
			if at = nodes[at].Parent; at < 0 {
				u.fail()
				return nil
			}
		}
		nodes[i].Parent = at
		at = int32(i)
	}
	for ; at >= 0; at = nodes[at].Parent {
		nodes[at].End = int32(len(nodes))
	}
	for i := range nodes {
		nodes[i].Method = trace.MethodID(u.below(uint64(methods)+1)) - 1
		if (nodes[i].Method == NoMethod) != (int32(i) == Root) {
			u.fail()
		}
	}
	for i := range nodes {
		nodes[i].threads = int32(u.below(uint64(sets)))
	}
	return nodes
}

func (u *unpacker) energies() []units.Energy {
	n := u.count(1)
	if n == 0 {
		return nil
	}
	list := make([]units.Energy, n)
	for i := range list {
		list[i] = units.Energy(u.signed())
	}
	return list
}

func (u *unpacker) measures(m *Measures, ends []int32) {
	m.runs = int(u.below(math.MaxInt32))
	for _, c := range m.fields() {
		*c = u.column(ends)
	}
	if n := u.count(4); n > 0 {
		m.parts = make([]part, n)
	}
	for i := range m.parts {
		m.parts[i].key = Key{int(u.below(uint64(max(m.runs, 1)))), Quantity(u.below(uint64(Seen) + 1)), trace.AccountID(u.below(math.MaxUint16))}
		m.parts[i].sums = u.column(ends)
	}
	if n := u.count(1); n > 0 {
		m.repeats = make([]sums, n)
	}
	for i := range m.repeats {
		m.repeats[i] = u.column(ends)
	}
}

func (u *unpacker) column(ends []int32) sums {
	if !u.flag() {
		return sums{}
	}
	if len(u.rest) < len(ends) {
		u.fail()
		return sums{}
	}
	before := make([]int64, len(ends)+1)
	for i := range ends {
		x := u.signed()
		before[i+1] = before[i] + x
		if (before[i+1] > before[i]) != (x > 0) {
			u.fail() // the sum does not fit 63 bits
			return sums{}
		}
	}
	return sums{before, ends}
}
