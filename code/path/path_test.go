package path

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns a graph in which any block may lead to any other.
func random(r *rand.Rand, blocks, most int) Graph {
	g := Graph{Next: make([][]int32, blocks), Starts: []int32{0}}
	for b := range g.Next {
		for range r.IntN(most + 1) {
			if to := int32(r.IntN(blocks)); !slices.Contains(g.Next[b], to) {
				g.Next[b] = append(g.Next[b], to)
			}
		}
	}
	for range r.IntN(3) {
		if s := int32(r.IntN(blocks)); !slices.Contains(g.Starts, s) {
			g.Starts = append(g.Starts, s)
		}
	}
	return g
}

// enumerate follows the uncut edges of a numbering along all paths, and calls visit with the
// register at each block.
func enumerate(n *Numbering, g Graph, visit func(blocks []int32, registers []int32, number, next int32)) {
	var blocks, registers []int32
	var follow func(b, register int32)
	follow = func(b, register int32) {
		if slices.Contains(blocks, b) {
			panic("a path with a cycle")
		}
		blocks, registers = append(blocks, b), append(registers, register)
		if len(g.Next[b]) == 0 {
			visit(blocks, registers, register+n.End(int(b)), -1)
		}
		for i, to := range g.Next[b] {
			if add, ends := n.Edge(int(b), i); ends {
				visit(blocks, registers, register+add, to)
			} else {
				follow(to, register+add)
			}
		}
		blocks, registers = blocks[:len(blocks)-1], registers[:len(registers)-1]
	}
	for b := range g.Next {
		if register, ok := n.Start(b); ok {
			follow(int32(b), register)
		}
	}
}

// TestNumbers enumerates all paths of random graphs. Each number from 0 to count-1 must occur once,
// and Path must return the enumerated path of each number. Partial must do the same for parts of
// paths.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	total := 0
	for range 3000 {
		g := random(r, 1+r.IntN(9), 3)
		n, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		numbers := make(map[int32]bool)
		parts := make(map[string]string)
		enumerate(n, g, func(blocks, registers []int32, number, next int32) {
			if numbers[number] {
				t.Fatalf("%v: two paths have number %d", g, number)
			}
			numbers[number] = true
			p, err := n.Path(number, nil)
			if err != nil || !slices.Equal(p.Blocks, blocks) || p.Next != next {
				t.Fatalf("%v: path %d is %v (%v), want %v, %d", g, number, p, err, blocks, next)
			}
			for i, b := range blocks {
				p, err := n.Partial(registers[i], int(b), nil)
				if err != nil || !slices.Equal(p.Blocks, blocks[:i+1]) {
					t.Fatalf("%v: register %d in block %d: %v (%v), want %v", g, registers[i], b, p, err, blocks[:i+1])
				}
				key, part := fmt.Sprint(registers[i], b), fmt.Sprint(blocks[:i+1])
				if was, ok := parts[key]; ok && was != part {
					t.Fatalf("%v: register and block %s for %s and %s", g, key, was, part)
				}
				parts[key] = part
			}
		})
		if int64(len(numbers)) != n.Count() {
			t.Fatalf("%v: %d paths, and the numbering has %d", g, len(numbers), n.Count())
		}
		for _, bad := range []int32{-1, int32(n.Count()), math.MaxInt32, math.MinInt32} {
			if _, err := n.Path(bad, nil); !errors.Is(err, errNumber) {
				t.Fatalf("number %d: %v", bad, err)
			}
		}
		total += len(numbers)
	}
	t.Logf("%d paths", total)
}

// walk runs through a graph at random. It compares the decoded paths with the blocks that ran.
func walk(t *testing.T, r *rand.Rand, g Graph, n *Numbering, steps int) {
	t.Helper()
	b := g.Starts[r.IntN(len(g.Starts))]
	register, ok := n.Start(int(b))
	if !ok {
		t.Fatalf("no path begins in block %d", b)
	}
	ran := []int32{b}
	check := func(p Path, err error) {
		t.Helper()
		if err != nil || !slices.Equal(p.Blocks, ran) {
			t.Fatalf("the path is %v (%v), want %v", p, err, ran)
		}
	}
	for range steps {
		check(n.Partial(register, int(b), nil))
		if len(g.Next[b]) == 0 {
			check(n.Path(register+n.End(int(b)), nil))
			return
		}
		i := r.IntN(len(g.Next[b]))
		add, ends := n.Edge(int(b), i)
		b = g.Next[b][i]
		register += add
		if ends {
			p, err := n.Path(register, nil)
			check(p, err)
			if p.Next != b {
				t.Fatalf("the next path begins in block %d, want %d", p.Next, b)
			}
			register, _ = n.Start(int(b))
			ran = ran[:0]
		}
		ran = append(ran, b)
	}
}

// TestWalks runs through large graphs, including graphs with more paths than the limit.
func TestWalks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		g := random(r, 50+r.IntN(200), 2+r.IntN(3))
		if i%3 == 0 { // k consecutive joins give 2^k paths.
			g = ladder(3 * (10 + r.IntN(200)))
		}
		n, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			walk(t, r, g, n, 2000)
		}
	}
}

// ladder returns a graph in which each third block has two branches that join again.
func ladder(blocks int) Graph {
	g := Graph{Next: make([][]int32, blocks+1), Starts: []int32{0}}
	for b := int32(0); b < int32(blocks); b += 3 {
		g.Next[b] = []int32{b + 1, b + 2}
		g.Next[b+1], g.Next[b+2] = []int32{b + 3}, []int32{b + 3}
	}
	return g
}

// TestLimit numbers a graph with 2^100 paths.
func TestLimit(t *testing.T) {
	n, err := New(ladder(300))
	if err != nil {
		t.Fatal(err)
	}
	cuts := 0
	for _, e := range n.edges {
		if e.cut {
			cuts++
		}
	}
	if cuts != 6 || n.Count() > math.MaxInt32 || n.Count() < Limit {
		t.Errorf("%d cuts, %d paths", cuts, n.Count())
	}
	// Many starts with many paths each have too many paths for a register, so more edges are cut.
	g := ladder(300)
	for b := int32(0); b < 200; b += 3 {
		g.Starts = append(g.Starts, b+1)
	}
	if n, err = New(g); err != nil || n.Count() > math.MaxInt32 {
		t.Errorf("%d paths, %v", n.Count(), err)
	}
}

// TestLoopAddsNothing checks that the spanning tree contains the edges in a loop, so a loop without
// branches adds to the register only on its back edge.
func TestLoopAddsNothing(t *testing.T) {
	g := Graph{Next: [][]int32{{1}, {2, 3}, {1}, {}}, Starts: []int32{0}}
	n, err := New(g)
	if err != nil {
		t.Fatal(err)
	}
	if add, ends := n.Edge(1, 0); add != 0 || ends {
		t.Errorf("the way into the loop adds %d", add)
	}
	if add, ends := n.Edge(2, 0); add != 0 || !ends {
		t.Errorf("the way back adds %d, ends %v", add, ends)
	}
	if n.Count() != 4 {
		t.Errorf("%d paths, want 4: two ways from block 0, two from block 1", n.Count())
	}
}

func TestBadGraphs(t *testing.T) {
	long := make([]int32, 20)
	for i := range long {
		long[i] = int32(i)
	}
	long[19] = 11
	wide := Graph{Next: make([][]int32, 20), Starts: []int32{0}}
	wide.Next[0] = long
	for _, test := range []struct {
		g    Graph
		want error
	}{
		{Graph{}, errStart},
		{Graph{Next: [][]int32{{}}}, errStart},
		{Graph{Next: [][]int32{{}}, Starts: []int32{1}}, errBlock},
		{Graph{Next: [][]int32{{}}, Starts: []int32{-1}}, errBlock},
		{Graph{Next: [][]int32{{1}}, Starts: []int32{0}}, errBlock},
		{Graph{Next: [][]int32{{-1}}, Starts: []int32{0}}, errBlock},
		{Graph{Next: [][]int32{{0, 0}}, Starts: []int32{0}}, errTwice},
		{wide, errTwice},
	} {
		if _, err := New(test.g); !errors.Is(err, test.want) {
			t.Errorf("%v: %v, want %v", test.g, err, test.want)
		}
	}
	n, err := New(Graph{Next: [][]int32{{}, {}}, Starts: []int32{0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []int{-1, 1, 3} { // Block 1 is unreachable.
		if _, err := n.Partial(0, block, nil); !errors.Is(err, errBlock) {
			t.Errorf("block %d: %v", block, err)
		}
	}
	if _, err := n.Partial(7, 0, nil); !errors.Is(err, errPartial) {
		t.Error(err)
	}
}

// FuzzNew numbers any graph, and decodes any number.
func FuzzNew(f *testing.F) {
	f.Add([]byte{3, 0, 1, 1, 2, 2, 0}, int32(1), 1)
	f.Fuzz(func(t *testing.T, data []byte, number int32, block int) {
		if len(data) == 0 {
			return
		}
		blocks := int(data[0])
		g := Graph{Next: make([][]int32, blocks), Starts: []int32{0}}
		for data = data[1:]; len(data) > 1; data = data[2:] {
			if b := int(data[0]); b < blocks {
				g.Next[b] = append(g.Next[b], int32(int8(data[1])))
			} else {
				g.Starts = append(g.Starts, int32(int8(data[1])))
			}
		}
		n, err := New(g)
		if err != nil {
			return
		}
		if n.Count() < 1 || n.Count() > math.MaxInt32 {
			t.Fatalf("%d paths", n.Count())
		}
		if _, err := n.Path(number, nil); (err == nil) != (number >= 0 && int64(number) < n.Count()) {
			t.Fatalf("path %d of %d: %v", number, n.Count(), err)
		}
		if p, err := n.Partial(number, block, nil); err == nil && block < blocks && p.Blocks[len(p.Blocks)-1] != int32(block) {
			t.Fatalf("%v does not lead to block %d", p, block)
		}
		walk(t, rand.New(rand.NewPCG(uint64(number), 5)), g, n, 100)
	})
}
