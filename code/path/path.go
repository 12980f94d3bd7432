// Package path numbers the paths of control-flow graphs (Ball and Larus, Efficient Path Profiling,
// MICRO 1996). It deals only with graphs, not with code.
//
// A run through a graph is a sequence of paths. A path has no cycle. It ends where the run follows
// an edge that would close a cycle, and the next path begins after this edge.
//
// An instrumented program keeps one register per run:
//
//  1. Where a path begins, it sets the register.
//  2. On some edges, it adds a number to the register.
//  3. Where the path ends, the register has the number of the path.
//
// The edges without an addition form a maximum spanning tree, so they are probably the edges that
// run most often.
//
// # Laws
//
//   - Each path has its own number, from 0 to [Numbering.Count] less 1.
//   - A register and the current block identify the part of a path up to this block. So if an exception
//     stops a run, its path up to that block is known.
//   - An edge is cut if it leads back to a block on the current path of a depth-first search. So no path
//     has a cycle, even in an irreducible graph.
//   - No block begins more than [Limit] paths. More edges are cut until this is true.
//
// Arithmetic is modulo 2^32, as in a program's register. A damaged graph or number is an error, and
// does not take more time than a valid one.
package path

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Version changes whenever the numbers of a graph's paths change.
const Version = 1

// Limit is the maximum number of paths that begin in a block.
const Limit = 1 << 28

// A Graph is a control-flow graph.
type Graph struct {
	// Next has the distinct successors of each block. Their order determines the numbers of paths.
	Next [][]int32
	// Starts are the blocks where control enters: the first block, and the first blocks of
	// exception handlers.
	Starts []int32
}

// A Numbering has the numbers of the paths of a graph. It is safe for concurrent use.
type Numbering struct {
	next [][]int32
	// edges has the edges of all blocks. first[b] is the index of the first edge of block b. A
	// block without successors has an edge to the exit.
	edges []edge
	first []int32
	// starts has an edge from the entry to each block where a path begins, sorted by block.
	starts []edge
	// count is the number of paths.
	count int64
	// potential has a number for each block. In the block, the register is the sum of the path's
	// edge values so far, less this number.
	potential []int32
	reachable []bool
}

// An edge leads to a block, or to the exit.
type edge struct {
	to int32 // The exit is the number of blocks.
	// value is the number of paths through the block's earlier edges. add is the number that the
	// program adds to the register on this edge.
	value, add int32
	// cut is set if a path ends on the edge.
	cut bool
}

var (
	errBlock = errors.New("the graph has no such block")
	errStart = errors.New("a graph without a start")
	errTwice = errors.New("two edges lead from one block to another")
	errSize  = errors.New("the graph has too many edges")
)

// maxEdges is the maximum number of edges of a graph, and of its blocks.
const maxEdges = 1 << 26

// New numbers the paths of a graph.
func New(g Graph) (*Numbering, error) {
	blocks := len(g.Next)
	if len(g.Starts) == 0 {
		return nil, errStart
	}
	for _, s := range g.Starts {
		if s < 0 || int(s) >= blocks {
			return nil, fmt.Errorf("a start at block %d: %w", s, errBlock)
		}
	}
	n := &Numbering{next: g.Next, first: make([]int32, blocks+1)}
	edges := 0
	for b, next := range g.Next {
		n.first[b] = int32(edges)
		if edges += max(1, len(next)); edges > maxEdges || blocks > maxEdges {
			return nil, errSize
		}
		for _, to := range next {
			if to < 0 || int(to) >= blocks {
				return nil, fmt.Errorf("an edge from block %d to block %d: %w", b, to, errBlock)
			}
		}
		if len(next) > 1 && len(slices.Compact(slices.Sorted(slices.Values(next)))) != len(next) {
			return nil, fmt.Errorf("block %d: %w", b, errTwice)
		}
	}
	n.first[blocks] = int32(edges)
	n.edges = make([]edge, 0, edges)
	for _, next := range g.Next {
		for _, to := range next {
			n.edges = append(n.edges, edge{to: to})
		}
		if len(next) == 0 {
			n.edges = append(n.edges, edge{to: int32(blocks)})
		}
	}
	order := n.search(g.Starts)
	n.number(order, g.Starts)
	n.place(order)
	return n, nil
}

// out returns the edges of a block.
func (n *Numbering) out(b int32) []edge { return n.edges[n.first[b]:n.first[b+1]] }

// exit returns the block number of the exit.
func (n *Numbering) exit() int32 { return int32(len(n.next)) }

// search visits the blocks depth first and cuts the back edges. It returns the reachable blocks. A
// block comes after its successors, except for those behind cut edges.
func (n *Numbering) search(starts []int32) (order []int32) {
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, len(n.next))
	type visit struct{ block, edge int32 }
	var stack []visit
	for _, s := range starts {
		if state[s] != unseen {
			continue
		}
		state[s] = open
		stack = append(stack, visit{s, 0})
		for len(stack) > 0 {
			v := &stack[len(stack)-1]
			if int(v.edge) == len(n.next[v.block]) {
				state[v.block] = done
				order = append(order, v.block)
				stack = stack[:len(stack)-1]
				continue
			}
			e := &n.edges[n.first[v.block]+v.edge]
			v.edge++
			switch state[e.to] {
			case open:
				e.cut = true
			case unseen:
				state[e.to] = open
				stack = append(stack, visit{e.to, 0})
			}
		}
	}
	n.reachable = make([]bool, len(n.next))
	for _, b := range order {
		n.reachable[b] = true
	}
	return order
}

// number sets the values of the edges. If the graph has more paths than a register can count, it
// cuts more edges.
func (n *Numbering) number(order, starts []int32) {
	back := make([]bool, len(n.edges))
	for i := range n.edges {
		back[i] = n.edges[i].cut
	}
	paths := make([]int64, len(n.next)+1)
	for limit := int64(Limit); ; limit = max(1, limit/16) {
		n.count = 0
		n.values(order, paths, limit)
		n.begin(order, starts)
		for i := range n.starts {
			s := &n.starts[i]
			s.value = int32(n.count)
			if n.count += paths[s.to]; n.count > math.MaxInt32 {
				break
			}
		}
		if n.count <= math.MaxInt32 || limit == 1 {
			return
		}
		for i := range n.edges {
			n.edges[i].cut = back[i]
		}
	}
}

// values sets the values of the edges, and paths to the number of paths from each block.
func (n *Numbering) values(order []int32, paths []int64, limit int64) {
	paths[n.exit()] = 1
	pathsFrom := func(e *edge) int64 {
		if e.cut {
			return 1
		}
		return paths[e.to]
	}
	for _, b := range order {
		out := n.out(b)
		sum := int64(0)
		for i := range out {
			sum += pathsFrom(&out[i])
		}
		for sum > limit {
			most := -1
			for i := range out {
				if e := &out[i]; !e.cut && paths[e.to] > 1 && (most < 0 || paths[e.to] > paths[out[most].to]) {
					most = i
				}
			}
			if most < 0 {
				break // Each edge has only one path.
			}
			sum += 1 - paths[out[most].to]
			out[most].cut = true
		}
		sum = 0
		for i := range out {
			out[i].value = int32(sum)
			sum += pathsFrom(&out[i])
		}
		paths[b] = sum
	}
}

// begin sets n.starts to the blocks where a path begins.
func (n *Numbering) begin(order, starts []int32) {
	begins := slices.Clone(starts)
	for _, b := range order {
		for _, e := range n.out(b) {
			if e.cut {
				begins = append(begins, e.to)
			}
		}
	}
	slices.Sort(begins)
	n.starts = n.starts[:0]
	for _, b := range slices.Compact(begins) {
		n.starts = append(n.starts, edge{to: b})
	}
}

// Count returns the number of paths.
func (n *Numbering) Count() int64 { return n.count }

// Start returns the register's value where a path begins in a block. ok is false if no path begins
// there.
func (n *Numbering) Start(block int) (register int32, ok bool) {
	if i, ok := n.startOf(int32(block)); ok {
		return n.starts[i].add, true
	}
	return 0, false
}

func (n *Numbering) startOf(block int32) (int, bool) {
	return slices.BinarySearchFunc(n.starts, block, func(s edge, b int32) int { return int(s.to) - int(b) })
}

// Edge returns the number to add to the register on an edge. successor is an index into Graph.Next
// of the block. If ends is true, the path ends on the edge: the register then has the path's
// number, and the next path begins in the successor.
func (n *Numbering) Edge(block, successor int) (add int32, ends bool) {
	e := &n.edges[int(n.first[block])+successor]
	return e.add, e.cut
}

// End returns the number to add to the register at the end of a block without successors. The
// register then has the number of the path.
func (n *Numbering) End(block int) (add int32) { return n.edges[n.first[block]].add }

// Reachable reports whether a block can be reached from a start.
func (n *Numbering) Reachable(block int) bool { return n.reachable[block] }

// A Path is a path of a graph.
type Path struct {
	Blocks []int32
	// Next is the block where the next path begins. It is -1 if the run ends.
	Next int32
}

var (
	errNumber  = errors.New("the graph has no such path")
	errPartial = errors.New("no path leads to the block with this register")
)

// Path returns the path with the given number. It reuses the memory of blocks.
func (n *Numbering) Path(number int32, blocks []int32) (Path, error) {
	return n.walk(number, -1, blocks)
}

// Partial returns the path up to a block, given the value of the register in the block. The block
// number len(Next) means the exit, where the register is the number of a whole path. Partial reuses
// the memory of blocks.
func (n *Numbering) Partial(register int32, block int, blocks []int32) (Path, error) {
	switch {
	case block == len(n.next):
		return n.Path(register, blocks)
	case block < 0 || block > len(n.next) || !n.reachable[block]:
		return Path{}, fmt.Errorf("block %d of %d: %w", block, len(n.next), errBlock)
	}
	p, err := n.walk(register+n.potential[block], int32(block), blocks)
	if err != nil {
		return p, fmt.Errorf("register %d in block %d: %w", register, block, errPartial)
	}
	return p, nil
}

// walk returns the path with a number. It stops at a given block, or at the path's end if the block
// is negative.
func (n *Numbering) walk(number, to int32, blocks []int32) (Path, error) {
	if number < 0 || int64(number) >= n.count {
		return Path{}, fmt.Errorf("number %d of %d: %w", number, n.count, errNumber)
	}
	p := Path{Blocks: blocks[:0], Next: -1}
	e := choose(n.starts, number)
	for rest := number - e.value; ; rest -= e.value {
		p.Blocks = append(p.Blocks, e.to)
		if e.to == to {
			if rest != 0 {
				return Path{}, errPartial
			}
			return p, nil
		}
		e = choose(n.out(e.to), rest)
		if e.cut || e.to == n.exit() {
			break
		}
	}
	if to >= 0 {
		return Path{}, errPartial
	}
	if e.cut {
		p.Next = e.to
	}
	return p, nil
}

// choose returns the last edge whose value is at most rest.
func choose(edges []edge, rest int32) *edge {
	low, high := 0, len(edges)
	for high-low > 1 {
		middle := (low + high) / 2
		if edges[middle].value <= rest {
			low = middle
		} else {
			high = middle
		}
	}
	return &edges[low]
}
