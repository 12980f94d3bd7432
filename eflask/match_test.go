package eflask

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestFigure5 is Figure 5 of the paper: T1 contains the path r→a→b. C0(b) is the end of this path
// in T2. C1(b) adds the ends of r→a (b deleted), r→b (a deleted) and r→a→c (b replaced by c).
func TestFigure5(t *testing.T) {
	s, r := pair("a(b)", "a(b c(d)) b(e)")
	want := [][]string{
		{"a b"},
		{"a", "a b", "a c", "b"},
		{"", "a", "a b", "a c", "a c d", "b", "b e"},
	}
	for alpha, ends := range want {
		var got []string
		for w := range r.Nodes {
			if distance(s, r, 2, int32(w)) <= alpha {
				got = append(got, names(r, int32(w)))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, ends) {
			t.Errorf("C%d(b) = %q, want %q", alpha, got, ends)
		}

		// The finder keeps only the candidates whose subtrees contain a b.
		m := newMatcher(subtree{s, 0}, subtree{r, 0}, alpha, Options{Threads: 1})
		f := newFinder(m)
		m.entries[0] = m.atAnchor(0, 0)
		m.entries[1] = f.find(nil, 1)
		got = got[:0]
		for _, e := range f.find(nil, 2) {
			if int(e.distance) != distance(s, r, 2, e.w) {
				t.Errorf("ρ(b, %q) = %d, want %d", names(r, e.w), e.distance, distance(s, r, 2, e.w))
			}
			got = append(got, names(r, e.w))
		}
		slices.Sort(got)
		ends = slices.DeleteFunc(ends, func(s string) bool { return !slices.Contains([]string{"", "a", "a b", "b"}, s) })
		if !slices.Equal(got, ends) {
			t.Errorf("α = %d: the finder keeps %q, want %q", alpha, got, ends)
		}
	}
}

// TestHopeless compares the test that rules out pairs of subtrees with a comparison of all labels
// of the subtrees.
func TestHopeless(t *testing.T) {
	tree, changed := bushy(6)
	s, r := prepared(t, tree, changed)
	m := newMatcher(subtree{s, 0}, subtree{r, 0}, 2, Options{Threads: 1})
	f := newFinder(m)
	ruledOut := 0
	for v := range int32(m.sub.len()) {
		f.nextEpoch()
		f.turnTo(v)
		for w := range int32(m.ref.len()) {
			common := slices.ContainsFunc(m.sub.label[v:m.sub.end[v]], func(l preprocess.LabelID) bool {
				return slices.Contains(m.ref.label[w:m.ref.end[w]], l)
			})
			switch hopeless := f.hopeless(v, w); {
			case hopeless && common:
				t.Fatalf("nodes %d and %d are ruled out, and have a label in common below", v, w)
			case !hopeless && !common && m.ref.size(w) <= maxScan:
				t.Fatalf("nodes %d and %d are not ruled out, and have no label in common below", v, w)
			case hopeless:
				ruledOut++
			}
		}
	}
	if ruledOut == 0 {
		t.Error("no pair is ruled out")
	}
}

// names returns the classes on the path to a node, without the root.
func names(t *preprocess.Tree, v int32) string {
	var out []string
	for _, label := range t.Path(v)[1:] {
		class, _, _ := strings.Cut(label, ".")
		out = append(out, class)
	}
	return strings.Join(out, " ")
}

func describe(s, r *preprocess.Tree, m *Matching) string {
	var out []string
	for _, p := range m.Pairs {
		out = append(out, fmt.Sprintf("%s=%s", names(s, p.Subject), names(r, p.Reference)))
	}
	return strings.Join(out, ", ")
}

func TestMatchTies(t *testing.T) {
	for _, c := range []struct {
		name, subject, reference string
		alpha                    int
		want                     string
	}{
		{"equal paths before others", "x(a)", "y(a) x(a)", 5, "=, x=x, x a=x a"},
		{"a wrapper is stepped over", "x(a b)", "w(x(a b))", 1, "=, x=w x, x a=w x a, x b=w x b"},
		{"a renamed node holds its children together", "x(a b)", "y(a b)", 1, "=, x=y, x a=y a, x b=y b"},
		{"the more similar name, of two renamed", "load1(a)", "dump1(a) load2(a)", 1, "=, load1=load2, load1 a=load2 a"},
		{"nothing in common but the root", "a", "b", 5, "="},
		{"beyond α", "x(y(a))", "a", 1, "="},
		{"within α", "x(y(a))", "a", 2, "=, x y a=a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := pair(c.subject, c.reference)
			m := match(t, s, r, c.alpha, Options{})
			checkMatching(t, c.name, s, r, m)
			if got := describe(s, r, m); got != c.want {
				t.Errorf("%s | %s: got %s, want %s", c.subject, c.reference, got, c.want)
			}
		})
	}
}

// TestMatchSelf checks for every α that a tree matches itself completely, each node with itself.
func TestMatchSelf(t *testing.T) {
	check := func(t *testing.T, s, r *preprocess.Tree, alpha int) {
		m := match(t, s, r, alpha, Options{})
		if m.Size != len(s.Nodes) || len(m.Pairs) != len(s.Nodes) {
			t.Fatalf("α = %d: size %d and %d pairs of %d nodes", alpha, m.Size, len(m.Pairs), len(s.Nodes))
		}
		for i, p := range m.Pairs {
			if p != (Pair{Subject: int32(i), Reference: int32(i)}) {
				t.Fatalf("α = %d: node %d is paired so: %+v", alpha, i, p)
			}
		}
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	for range shorten.Count(300) {
		tree := randomTree(rnd, 60, alphabet)
		s, r := pair(tree, tree)
		check(t, s, r, rnd.IntN(6))
	}
	t.Run("real", func(t *testing.T) {
		files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "data", "art", "*"))
		if len(files) == 0 {
			t.Skip("needs the real traces, which a clone does not have")
		}
		for _, file := range files {
			if filepath.Base(file) == "perflib-header.trace" {
				continue // the recording has no events
			}
			tree := readTree(t, file)
			s, r := prepared(t, tree, tree)
			for alpha := range 6 {
				check(t, s, r, alpha)
			}
		}
	})
}

// TestMatchThreads checks that the result does not depend on the number of goroutines.
func TestMatchThreads(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	for range 20 {
		s, r := pair(randomTree(rnd, 2000, manyNames), randomTree(rnd, 2000, manyNames))
		want := match(t, s, r, 3, Options{Threads: 1})
		for _, n := range []int{2, 8} {
			got := match(t, s, r, 3, Options{Threads: n})
			if got.Size != want.Size || !slices.Equal(got.Pairs, want.Pairs) {
				t.Fatalf("%d goroutines give another matching than one", n)
			}
		}
	}
}

var manyNames = func() []string {
	var out []string
	for i := range 100 {
		out = append(out, fmt.Sprintf("c%d", i))
	}
	return append(out, alphabet...)
}()

// extreme makes a tree of a root and n other nodes from their parents and classes.
func extreme(n int, parent func(i int) int32, class func(i int) string) *cct.Tree {
	t := &cct.Tree{Nodes: []cct.Node{{Method: cct.NoMethod, Parent: -1, End: 1}}}
	methods := make(map[string]trace.MethodID)
	for i := 1; i <= n; i++ {
		c := class(i)
		m, ok := methods[c]
		if !ok {
			m = trace.MethodID(len(t.Methods))
			methods[c] = m
			t.Methods = append(t.Methods, name.OfClass(c, "m", ""))
		}
		t.Nodes = append(t.Nodes, cct.Node{Method: m, Parent: parent(i), End: int32(i) + 1})
	}
	for i := n; i > 0; i-- {
		p := &t.Nodes[t.Nodes[i].Parent]
		p.End = max(p.End, t.Nodes[i].End)
	}
	self := slices.Repeat([]units.Energy{1}, len(t.Nodes))
	self[cct.Root] = 0
	t.Energy = cct.NewColumn(t.Ends(), self)
	return t
}

// TestMatchExtremes has trees of extreme shapes. They must be matched completely and quickly, or be
// refused because they have too many pairs.
func TestMatchExtremes(t *testing.T) {
	n := shorten.Count(100_000)
	name := func(i int) string { return fmt.Sprintf("C%d", i) }
	other := func(i int) string { return fmt.Sprintf("D%d", i) }
	chain := func(i int) int32 { return int32(i - 1) }
	star := func(int) int32 { return 0 }
	// A hundred branches, each of which is a chain.
	broom := func(i int) int32 {
		if i%1000 == 1 {
			return 0
		}
		return int32(i - 1)
	}
	// Thousands of siblings with different names and the same child.
	twins := func(i int) int32 {
		if i%2 == 1 {
			return 0
		}
		return int32(i - 1)
	}
	child := func(name func(int) string) func(i int) string {
		return func(i int) string {
			if i%2 == 0 {
				return "X"
			}
			return name(i)
		}
	}
	for _, c := range []struct {
		name               string
		n, alpha           int
		parent             func(int) int32
		subject, reference func(int) string
		size               int
		tooLarge           bool
	}{
		// The reference has one node more. Match would detect equal trees at once.
		{"a chain", n, 5, chain, name, name, n + 1, false},
		{"a chain of one name", n, 5, chain, func(int) string { return "A" }, func(int) string { return "A" }, n + 1, false},
		{"two chains with nothing in common", n, 5, chain, name, other, 1, false},
		{"a star", n, 0, star, name, name, n + 1, false},
		{"a star, α = 2", n, 2, star, name, name, n + 1, false},
		{"two stars with nothing in common", n, 2, star, name, other, 1, false},
		{"a broom", n, 3, broom, name, name, n + 1, false},
		{"siblings alike", 1000, 2, twins, child(name), child(name), 1001, false},
		{"siblings alike, of other names", 1000, 2, twins, child(name), child(other), 501, false},
		{"too many siblings alike", n, 2, twins, child(name), child(other), 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := preprocess.Pair(extreme(c.n, c.parent, c.subject), extreme(c.n+1, c.parent, c.reference), preprocess.Options{})
			m, err := Match(context.Background(), s, r, c.alpha, Options{MaxPairs: 2_000_000})
			if c.tooLarge {
				if !errors.Is(err, ErrTooLarge) {
					t.Fatalf("error %v, want one of ErrTooLarge", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if m.Size != c.size {
				t.Errorf("size %d, want %d", m.Size, c.size)
			}
		})
	}
}

func TestMatchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, r := pair("a(b c)", "a(b c)")
	cancel()
	if _, err := Match(ctx, s, r, 2, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestMatchRefuses(t *testing.T) {
	s, r := pair("a", "a")
	if _, err := Match(context.Background(), s, r, -1, Options{}); err == nil {
		t.Error("no error for α = -1")
	}
	other, _ := pair("a", "a")
	if _, err := Match(context.Background(), s, other, 0, Options{}); err == nil {
		t.Error("no error for trees without common labels")
	}
}

// FuzzMatch compares Match with the recurrence. A tree is written as bytes. Each byte is a node: a
// name, and the number of levels to climb before the node is added.
func FuzzMatch(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte{1, 18, 3}, uint8(1))
	f.Add([]byte{0, 1, 34, 5, 66}, []byte{4, 1, 34, 5, 64}, uint8(3))
	f.Add([]byte("abcdefgh"), []byte("hgfedcba"), uint8(5))
	f.Fuzz(func(t *testing.T, a, b []byte, alpha uint8) {
		alpha %= 7
		s, r := preprocess.Pair(byBytes(a), byBytes(b), preprocess.Options{
			Steps: preprocess.Steps{Hierarchy: true}, Platform: relatives,
		})
		m := match(t, s, r, int(alpha), Options{Threads: 2})
		checkMatching(t, fmt.Sprintf("%v | %v at α = %d", a, b, alpha), s, r, m)
		if want := plainSize(s, r, int(alpha)); m.Size != want {
			t.Errorf("%v | %v at α = %d: size %d, the recurrence says %d", a, b, alpha, m.Size, want)
		}
	})
}

func byBytes(b []byte) *cct.Tree {
	b = b[:min(len(b), 24)]
	parents := make([]int32, len(b)+1)
	for i, c := range b {
		at := int32(i)
		for range int(c >> 4) {
			at = max(parents[at], 0)
		}
		parents[i+1] = at
	}
	// In preorder, each parent is on the path to the node before. Climbing ensures this.
	return extreme(len(b), func(i int) int32 { return parents[i] }, func(i int) string { return alphabet[int(b[i-1]&7)] })
}

// TestMatchWide tests the code that runs only for nodes with very many children.
func TestMatchWide(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("n%d", i))
	}
	{
		wideTree := func() string {
			var b strings.Builder
			for _, i := range rnd.Perm(len(many))[:130+rnd.IntN(40)] {
				b.WriteString(" " + many[i])
				if rnd.IntN(2) == 0 {
					b.WriteString("(" + randomTree(rnd, 1+rnd.IntN(30), alphabet) + ")")
				}
			}
			return b.String()
		}
		s, r := pair(wideTree(), "w("+wideTree()+") "+wideTree())
		for alpha := range 3 {
			m := match(t, s, r, alpha, Options{})
			if want := int(transcribe(s, r, alpha).sizes[0][0]); m.Size != want {
				t.Fatalf("α = %d: size %d, the recurrence says %d", alpha, m.Size, want)
			}
		}
	}
}
