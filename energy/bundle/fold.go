package bundle

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// A group merges similar bundles, and replays their operations.
type group struct {
	Bundle
	replay replay
}

// computeKey computes the key by which similar bundles are found. It consists of the contexts, by
// state, that made operations. computeKey also sorts the drivers of each state.
func (l *Log) computeKey() []byte {
	l.key = l.key[:0]
	for i := range l.now.States {
		s := &l.now.States[i]
		slices.SortFunc(s.Drivers, func(a, b Driver) int { return cmp.Compare(a.Context, b.Context) })
		l.key = binary.AppendVarint(l.key, int64(i))
		for _, d := range s.Drivers {
			if d.Operations > 0 {
				l.key = binary.AppendVarint(l.key, int64(d.Context)+2)
			}
		}
	}
	return l.key
}

// fold adds bundle b to the group.
func (g *group) fold(b *Bundle) {
	g.Component = b.Component
	g.Count += b.Count
	g.Time += b.Time
	g.Longest = max(g.Longest, b.Longest)
	g.Energy += b.Energy
	g.Use += b.Use
	g.Tail += b.Tail
	g.Waits += b.Waits
	g.Waited += b.Waited
	if b.Rests > 0 {
		if g.Rests == 0 {
			g.ShortestRest = b.ShortestRest
		}
		g.Rests += b.Rests
		g.Rested += b.Rested
		g.ShortestRest = min(g.ShortestRest, b.ShortestRest)
		g.LongestRest = max(g.LongestRest, b.LongestRest)
	}
	for i := range b.States {
		g.States[i].fold(&b.States[i])
	}
}

// fold adds the same state of another bundle to s. The drivers of s are sorted by context.
func (s *State) fold(t *State) {
	s.Name, s.Kind = t.Name, t.Kind
	s.Visits += t.Visits
	s.Time += t.Time
	s.Energy += t.Energy
	s.Tails = append(s.Tails, t.Tails...)
	for _, d := range t.Drivers {
		i, found := slices.BinarySearchFunc(s.Drivers, d.Context, func(e Driver, c Context) int { return cmp.Compare(e.Context, c) })
		if !found {
			s.Drivers = slices.Insert(s.Drivers, i, Driver{Context: d.Context})
		}
		e := &s.Drivers[i]
		e.Operations += d.Operations
		e.Bytes += d.Bytes
		e.Energy += d.Energy
		for _, v := range d.Verbs {
			if !slices.Contains(e.Verbs, v) {
				e.Verbs = append(e.Verbs, v)
			}
		}
	}
}

// paths assigns numbers to call paths.
type paths struct {
	// nodes are calls. The parent of a call comes before the call.
	nodes []node
	index map[node]Context
}

// A node is a call of a method in a context.
type node struct {
	caller Context
	method trace.MethodID
}

func newPaths() *paths { return &paths{index: make(map[node]Context)} }

func (p *paths) number(path []trace.MethodID) Context {
	c := Unknown
	for _, m := range path {
		n := node{c, m}
		next, ok := p.index[n]
		if !ok {
			next = Context(len(p.nodes))
			p.nodes = append(p.nodes, n)
			p.index[n] = next
		}
		c = next
	}
	return c
}

func (p *paths) path(c Context) []trace.MethodID {
	var path []trace.MethodID
	for ; c != Unknown; c = p.nodes[c].caller {
		path = append(path, p.nodes[c].method)
	}
	slices.Reverse(path)
	return path
}
