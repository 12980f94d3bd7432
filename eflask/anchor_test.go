package eflask

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/preprocess"
)

// A sprout is a node of a tree that a test can change.
type sprout struct {
	name string
	kids []*sprout
}

// sprouts returns a random tree of n nodes. Most names occur once, so the tree and a changed copy
// have many anchors.
func sprouts(r *rand.Rand, n int, names func() string) *sprout {
	root := &sprout{}
	all := []*sprout{root}
	for range n {
		at := all[len(all)-1-r.IntN(min(len(all), 1+r.IntN(50)))]
		if kid := at.add(names()); kid != nil {
			all = append(all, kid)
		}
	}
	return root
}

// add adds a child. It returns nil if a child with this name exists.
func (s *sprout) add(name string) *sprout {
	if slices.ContainsFunc(s.kids, func(k *sprout) bool { return k.name == name }) {
		return nil
	}
	kid := &sprout{name: name}
	s.kids = append(s.kids, kid)
	return kid
}

// changed returns a copy of a tree in which some calls are missing, moved into a new call, repeated
// below another node, or have another name.
func (s *sprout) changed(r *rand.Rand, names func() string) *sprout {
	var all []*sprout
	var walk func(s *sprout)
	walk = func(s *sprout) {
		all = append(all, s)
		for _, k := range s.kids {
			walk(k)
		}
	}
	walk(s)
	var clone func(s *sprout, into *sprout)
	clone = func(s *sprout, into *sprout) {
		for _, k := range s.kids {
			kid := into.add(k.name)
			switch what := r.IntN(90); {
			case kid == nil || what == 0:
				continue
			case what == 1:
				kid.name = names()
				if inner := kid.add(k.name); inner != nil {
					kid = inner
				}
			case what == 2:
				kid.name = names()
			case what == 3:
				clone(all[r.IntN(len(all))], kid)
			}
			clone(k, kid)
		}
	}
	out := &sprout{}
	clone(s, out)
	return out
}

func (s *sprout) String() string {
	var b strings.Builder
	var write func(s *sprout)
	write = func(s *sprout) {
		seen := make(map[string]bool)
		for _, k := range s.kids {
			if seen[k.name] {
				continue
			}
			seen[k.name] = true
			b.WriteString(" " + k.name)
			if len(k.kids) > 0 {
				b.WriteByte('(')
				write(k)
				b.WriteByte(')')
			}
		}
	}
	write(s)
	return strings.TrimSpace(b.String())
}

// TestSearchesAreIndependent checks that a search resets its counts, so that searches in any order
// find the same anchors.
func TestSearchesAreIndependent(t *testing.T) {
	found := 0
	for seed := range uint64(shorten.Count(400)) {
		r := rand.New(rand.NewPCG(seed, 6))
		distinct := 4 + r.IntN(400)
		names := func() string { return fmt.Sprintf("n%d", r.IntN(distinct)) }
		tree := sprouts(r, 200, names)
		s, q := pair(tree.String(), tree.changed(r, names).String())
		m := newMatcher(subtree{s, 0}, subtree{q, 0}, 2, Options{Threads: 1})
		a := &anchors{m: m, sub: make([]bool, m.sub.len()), ref: make([]bool, m.ref.len())}
		a.pairUp()
		one := newSearcher(a)
		for v := range int32(m.sub.len()) {
			if a.partner[v] < 0 || !a.worthwhile(v) {
				continue
			}
			one.search(v)
			one.list(v, a.partner[v])
			one.wide(v, a.partner[v]) // search calls wide only for nodes with many children
			for class := range one.here.count {
				if one.here.count[class] != 0 || one.there.count[class] != 0 {
					t.Fatalf("seed %d: after node %d, label %d counts %d here and %d there", seed, v, class, one.here.count[class], one.there.count[class])
				}
			}
			found++
		}
	}
	if found < shorten.Count(1000) {
		t.Errorf("only %d searches", found)
	}
}

// TestAnchorsChangeNothing checks that trees have the same matching with and without anchors.
func TestAnchorsChangeNothing(t *testing.T) {
	all := uint64(shorten.Count(1500))
	anchored, nodes := 0, 0
	for seed := range all {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 10 + r.IntN(1<<(3+r.IntN(6)))
		distinct := 4 + r.IntN(4*n)
		names := func() string {
			if r.IntN(12) == 0 {
				return alphabet[r.IntN(len(alphabet))]
			}
			return fmt.Sprintf("n%d", r.IntN(distinct))
		}
		tree := sprouts(r, n, names)
		s, q := pair(tree.String(), tree.changed(r, names).String())
		alpha := 1 + r.IntN(6)
		whole := newMatcher(subtree{s, 0}, subtree{q, 0}, alpha, Options{Threads: 1})
		whole.visits = 0
		want, err := whole.match(context.Background(), subtree{s, 0}, subtree{q, 0}, alpha)
		if err != nil {
			t.Fatal(err)
		}
		divided := newMatcher(subtree{s, 0}, subtree{q, 0}, alpha, Options{Threads: 2})
		if err := divided.divide(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, a := range divided.anchors.sub {
			if a {
				anchored++
			}
		}
		nodes += len(s.Nodes)
		got, err := newMatcher(subtree{s, 0}, subtree{q, 0}, alpha, Options{Threads: 2}).match(context.Background(), subtree{s, 0}, subtree{q, 0}, alpha)
		if err != nil {
			t.Fatal(err)
		}
		if got.Size != want.Size || !slices.Equal(got.Pairs, want.Pairs) {
			t.Fatalf("seed %d, α = %d: size %d with anchors, %d without\n%v\n%v", seed, alpha, got.Size, want.Size, got.Pairs, want.Pairs)
		}
	}
	if 20*anchored < nodes {
		t.Errorf("%d of %d nodes are anchors", anchored, nodes)
	}
	t.Logf("%d of %d nodes are anchors", anchored, nodes)
}

// TestAnchorsAreInEachBestMatching checks that the recurrence without the state of an anchor gives
// a smaller size.
func TestAnchorsAreInEachBestMatching(t *testing.T) {
	tried := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 6))
		names := func() string { return fmt.Sprintf("n%d", r.IntN(9)) }
		tree := sprouts(r, 7+r.IntN(6), names)
		s, q := pair(tree.String(), tree.changed(r, names).String())
		alpha := 1 + r.IntN(5)
		m := newMatcher(subtree{s, 0}, subtree{q, 0}, alpha, Options{Threads: 1})
		if err := m.divide(context.Background()); err != nil {
			t.Fatal(err)
		}
		for v, anchor := range m.anchors.sub {
			if !anchor || v == 0 {
				continue
			}
			tried++
			state := [2]int32{int32(v), m.anchors.partner[v]}
			if all, without := sizeWithout(s, q, alpha, nil), sizeWithout(s, q, alpha, &state); without >= all {
				t.Fatalf("seed %d, α = %d: %v with %v: size %d, %d without anchor %v", seed, alpha, s, q, all, without, state)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d anchors", tried)
	}
}

// sizeWithout returns μα of two trees by Lemma 3.1 with the size of one state replaced by a very
// small number.
func sizeWithout(s, r *preprocess.Tree, alpha int, state *[2]int32) int32 {
	t := &transcription{s: s, r: r, alpha: int32(alpha)}
	t.sKids, t.sDepth = layout(s)
	t.rKids, t.rDepth = layout(r)
	t.candidates = make([]map[int32]int32, len(s.Nodes))
	t.sizes = make([]map[int32]int32, len(s.Nodes))
	for v := range s.Nodes {
		t.find(int32(v))
	}
	if state != nil {
		delete(t.candidates[state[0]], state[1])
	}
	for v := len(s.Nodes) - 1; v >= 0; v-- {
		t.size(int32(v))
	}
	return t.sizes[0][0]
}
