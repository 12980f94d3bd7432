package eflask

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// mine returns two functions that report whether a method of each tree is in the package app, which
// is the own code.
func mine(s, r *preprocess.Tree) [2]func(trace.MethodID) bool {
	isApp := func(t *preprocess.Tree) func(trace.MethodID) bool {
		return func(m trace.MethodID) bool { return strings.HasPrefix(t.Source.Methods[m].Label(), "app.") }
	}
	return [2]func(trace.MethodID) bool{isApp(s), isApp(r)}
}

// plainSites returns the sites of a task, one for each number of callers. A site is the F-method's
// class, and the callers by class and name. Sites without a method of the app's own code are left
// out.
func plainSites(t *preprocess.Tree, class int32, v int32, own func(trace.MethodID) bool) map[string]int {
	out := make(map[string]int)
	for _, c := range t.Callers(v) {
		site, owned, n := fmt.Sprint(class), false, 0
		for o := c.Source; o >= 0 && t.Image[o] == t.Image[c.Source]; o = t.Caller(o) {
			m := t.Source.Nodes[o].Method
			if t.MethodKind(m) != preprocess.App {
				continue
			}
			site += " < " + t.Source.Methods[m].Class() + "." + t.Source.Methods[m].Name
			owned, n = owned || own(m) && len(t.Source.Methods[m].Type) > 2, n+1
			if owned {
				out[site] = n
			}
		}
	}
	return out
}

// plainMoves is Moves without shortcuts: it compares each task with each other task.
func plainMoves(s, r *preprocess.Tree, given []Counterpart, own [2]func(trace.MethodID) bool) map[int32]int32 {
	p := newPairing(s, r, nil)
	peer, back := make(map[int32]int32), make(map[int32]int32)
	for _, c := range given {
		if c.Evidence.Sure() {
			peer[c.Subject], back[c.Reference] = c.Reference, c.Subject
		}
	}
	var moved [][2]int32
	sites := [2]map[int32]map[string]int{{}, {}}
	all, open := [2]map[string]int{{}, {}}, [2]map[string]int{{}, {}}
	for k, t := range []*preprocess.Tree{s, r} {
		for v := range t.Nodes {
			v := int32(v)
			if v == 0 || !IsTask(t, v) {
				continue
			}
			sites[k][v] = plainSites(t, p.rarity.class[t.Nodes[v].Label], v, own[k])
			paired := peer
			if k == 1 {
				paired = back
			}
			for site := range sites[k][v] {
				all[k][site]++
				if _, ok := paired[v]; !ok {
					open[k][site]++
				}
			}
		}
	}
	for _, c := range given {
		here, there := s.Nodes[s.Nodes[c.Subject].Parent].Label, r.Nodes[r.Nodes[c.Reference].Parent].Label
		if !c.Evidence.Sure() || c.Found != Path && c.Found != Likeness || here == there || s.Labels.Gamma(s.Nodes[c.Subject].Label, r.Nodes[c.Reference].Label) != 0 {
			continue
		}
		for site := range sites[0][c.Subject] {
			if sites[1][c.Reference][site] > 0 {
				moved = append(moved, [2]int32{c.Subject, c.Reference})
				break
			}
		}
	}
	outer := func(t *preprocess.Tree, v int32, paired map[int32]int32) bool {
		for v = t.Nodes[v].Parent; v > 0; v = t.Nodes[v].Parent {
			if IsTask(t, v) {
				_, ok := paired[v]
				return ok
			}
		}
		return true
	}
	follow := func() {
		for i := 0; i < len(moved); i++ {
			for x := moved[i][0] + 1; x < s.Nodes[moved[i][0]].End; x++ {
				for y := moved[i][1] + 1; y < r.Nodes[moved[i][1]].End; y++ {
					if !IsTask(s, x) || !IsTask(r, y) || !slices.Equal(pathBelow(s, moved[i][0], x), pathBelow(r, moved[i][1], y)) {
						continue
					}
					_, ok := peer[x]
					if _, taken := back[y]; !ok && !taken {
						peer[x], back[y] = y, x
					}
				}
			}
		}
	}
	type candidate struct {
		v, w  int32
		depth int
		below float64
		order [3]int64
	}
	for _, outermost := range []bool{true, false} {
		follow()
		var list []candidate
		for v := range int32(len(s.Nodes)) {
			for w := range int32(len(r.Nodes)) {
				if v == 0 || w == 0 || !IsTask(s, v) || !IsTask(r, w) || s.Labels.Gamma(s.Nodes[v].Label, r.Nodes[w].Label) != 0 {
					continue
				}
				if _, ok := peer[v]; ok {
					continue
				}
				if _, ok := back[w]; ok || outermost && !(outer(s, v, peer) && outer(r, w, back)) {
					continue
				}
				best, at := 0, ""
				for site, n := range sites[0][v] {
					if sites[1][w][site] == n && n > best {
						best, at = n, site
					}
				}
				if best == 0 || fairShare*open[0][at] < all[0][at] || fairShare*open[1][at] < all[1][at] {
					continue
				}
				i, j := p.subject.at[v], p.reference.at[w]
				below := p.below(i, j)
				if below == Unknown {
					below = 1
				}
				if below >= carried {
					list = append(list, candidate{v, w, best, below, [3]int64{p.apart(i, j), int64(max(i-j, j-i)), int64(i + j)}})
				}
			}
		}
		slices.SortFunc(list, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.depth, a.depth), cmp.Compare(b.below, a.below), slices.Compare(a.order[:], b.order[:]))
		})
		for _, c := range list {
			_, ok := peer[c.v]
			if _, taken := back[c.w]; !ok && !taken {
				peer[c.v], back[c.w] = c.w, c.v
				moved = append(moved, [2]int32{c.v, c.w})
			}
		}
	}
	follow()
	return peer
}

// pathBelow returns the labels from one node down to another.
func pathBelow(t *preprocess.Tree, from, to int32) []preprocess.LabelID {
	var path []preprocess.LabelID
	for ; to > from; to = t.Nodes[to].Parent {
		path = append(path, t.Nodes[to].Label)
	}
	return path
}

// everyCaller reports whether each task of a tree has only one caller. plainMoves does not support
// parts of tasks.
func everyCaller(t *preprocess.Tree) bool {
	for v := range t.Nodes {
		if v > 0 && IsTask(t, int32(v)) && len(t.Callers(int32(v))) > 1 {
			return false
		}
	}
	return true
}

// TestMovesAgreeWithThePlainProgram compares Moves with plainMoves. No task may have two
// counterparts. Swapped trees must have swapped counterparts. Moves must not change counterparts
// that were certain before.
func TestMovesAgreeWithThePlainProgram(t *testing.T) {
	names := []string{"android/A.a", "android/A.b", "android/B.c", "android/L.l", "app/Main.one", "app/Main.two", "app/Other.three", "app/Other.four", "lib/Lib.five"}
	rnd := rand.New(rand.NewPCG(23, 4))
	moved := 0
	for i := range shorten.Count(3000) {
		a, b := randomTree(rnd, 1+rnd.IntN(30), names), randomTree(rnd, 1+rnd.IntN(30), names)
		s, r := apps(a, b)
		given := Counterparts(s, r, match(t, s, r, 0, Options{}), false)
		list := Moves(s, r, given, mine(s, r))
		where := fmt.Sprintf("pair %d: %s | %s", i, a, b)
		peers, with := make(map[int32]int32), make(map[int32]int32)
		for _, c := range list {
			peers[c.Subject], with[c.Reference] = c.Reference, c.Subject
			if c.Found == Moved {
				moved++
				if want := distance(s, r, c.Subject, c.Reference); int(c.Distance) != want {
					t.Fatalf("%s: %+v: the distance is %d", where, c, want)
				}
			}
		}
		if len(peers) != len(list) || len(with) != len(list) || !slices.IsSortedFunc(list, func(x, y Counterpart) int { return cmp.Compare(x.Subject, y.Subject) }) {
			t.Fatalf("%s: some task has two counterparts, or they are out of order: %+v", where, list)
		}
		for _, c := range given {
			if c.Evidence.Sure() && peers[c.Subject] != c.Reference {
				t.Fatalf("%s: %+v is gone", where, c)
			}
		}
		back := Counterparts(r, s, swapped(match(t, s, r, 0, Options{})), false)
		for _, c := range Moves(r, s, back, mine(r, s)) {
			if v, ok := with[c.Subject]; !ok || v != c.Reference {
				t.Fatalf("%s: swapped, node %d is %d's counterpart", where, c.Subject, c.Reference)
			}
			delete(with, c.Subject)
		}
		if len(with) > 0 {
			t.Fatalf("%s: swapped, %v are missing", where, with)
		}
		if !everyCaller(s) || !everyCaller(r) {
			continue
		}
		want := plainMoves(s, r, given, mine(s, r))
		for _, c := range list {
			if c.Evidence.Sure() && want[c.Subject] != c.Reference {
				t.Fatalf("%s: %d has the counterpart %d, want %v", where, c.Subject, c.Reference, want)
			}
			delete(want, c.Subject)
		}
		if len(want) > 0 {
			t.Fatalf("%s: %v are missing in %+v", where, want, list)
		}
	}
	if !testing.Short() && moved < 200 {
		t.Errorf("%d tasks moved: too few to test anything", moved)
	}
}

// swapped returns a matching of the swapped trees.
func swapped(m *Matching) *Matching {
	out := &Matching{Alpha: m.Alpha, Size: m.Size, Pairs: slices.Clone(m.Pairs)}
	out.swap()
	return out
}
