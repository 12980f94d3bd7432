package eflask

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestCoverAgreesWithTasks compares the coverage of random pairs of trees with the list of tasks.
func TestCoverAgreesWithTasks(t *testing.T) {
	names := []string{"android/A.a", "android/A.b", "android/B.a", "app/C.c", "app/D.d"}
	rnd := rand.New(rand.NewPCG(21, 1))
	some := 0
	for range shorten.Count(300) {
		s, r := apps(randomTree(rnd, 1+rnd.IntN(40), names), randomTree(rnd, 1+rnd.IntN(40), names))
		list := Counterparts(s, r, match(t, s, r, 1, Options{}), false)
		got := Cover(s, 1, list)
		want := Coverage{Alpha: 1}
		for _, task := range Tasks(s, r, list) {
			want.Tasks++
			if task.Found != Unmatched {
				want.Matched++
				want.Energy += task.Own
			}
		}
		if got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if want.Matched > 0 && want.Matched < want.Tasks {
			some++
		}
	}
	if some < shorten.Count(30) {
		t.Errorf("only %d pairs have some tasks with a counterpart and some without", some)
	}
	for want, c := range map[float64]Coverage{1: {}, 0: {Tasks: 3}, 0.75: {Tasks: 4, Matched: 3}} {
		if got := c.Share(); got != want {
			t.Errorf("%d of %d tasks are the share %v", c.Matched, c.Tasks, got)
		}
	}
}

// TestCallersOfTasks compares the callers of each task with its calls, added up by method.
func TestCallersOfTasks(t *testing.T) {
	names := []string{"android/A.a", "app/C.c", "app/D.d", "app/E.e", "app/E.f"}
	rnd := rand.New(rand.NewPCG(22, 1))
	several := 0
	for range shorten.Count(300) {
		s, _ := apps(randomTree(rnd, 1+rnd.IntN(50), names), "x")
		source := s.Source
		for v := range int32(len(s.Nodes)) {
			if !IsTask(s, v) {
				continue
			}
			type sum struct {
				calls  int64
				energy units.Energy
				most   units.Energy
			}
			want := map[trace.MethodID]sum{}
			for _, c := range s.Callers(v) {
				m := source.Nodes[c.Source].Method
				w := want[m]
				want[m] = sum{w.calls + c.Calls, w.energy + c.Energy, max(w.most, source.Energy.All(c.Source))}
			}
			got := Callers(s, v)
			if len(got) != len(want) || !slices.IsSortedFunc(got, func(a, b Caller) int { return cmp.Compare(b.Calls, a.Calls) }) {
				t.Fatalf("%d callers, want %d: %+v", len(got), len(want), got)
			}
			for _, c := range got {
				if w := want[source.Nodes[c.Source].Method]; (sum{c.Calls, c.Energy, source.Energy.All(c.Source)}) != w {
					t.Fatalf("%+v, want %+v", c, w)
				}
			}
			if len(want) > 1 && len(s.Callers(v)) > len(want) {
				several++
			}
		}
	}
	if several == 0 {
		t.Error("no task has several callers with several nodes")
	}
}

// TestMatchBelow matches a subtree with itself. Each of its nodes has itself as the partner, by its
// number in the whole tree.
func TestMatchBelow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 1))
	for range shorten.Count(200) {
		text := randomTree(rnd, 2+rnd.IntN(30), []string{"a", "b", "c"})
		s, r := pair(text, text)
		v := int32(rnd.IntN(len(s.Nodes)))
		for alpha := range 3 {
			m, err := MatchBelow(t.Context(), s, r, v, v, alpha, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var want []Pair
			for u := v; u < s.Nodes[v].End; u++ {
				want = append(want, Pair{Subject: u, Reference: u})
			}
			if !slices.Equal(m.Pairs, want) || m.Size != len(want) {
				t.Fatalf("%s from %d at α = %d: %v, want %v", text, v, alpha, m.Pairs, want)
			}
		}
	}
	// The paths of the two roots differ, but count as equal.
	s, r := pair("x(p(a b))", "y(z(p(a c)))")
	m, err := MatchBelow(t.Context(), s, r, 2, 3, 0, Options{})
	if want := []Pair{{Subject: 2, Reference: 3}, {Subject: 3, Reference: 4}}; err != nil || !slices.Equal(m.Pairs, want) || m.Size != 2 {
		t.Errorf("%+v %v, want %v", m, err, want)
	}
}

// TestProgress checks that a matching reports its progress up to the whole.
func TestProgress(t *testing.T) {
	for _, c := range [][2]string{{"a(b c) d", "a(b c) d"}, {"a(b c) d", "a(x(b c)) e"}} {
		for alpha := range 3 {
			s, r := pair(c[0], c[1])
			last, whole := int64(-1), int64(0)
			match(t, s, r, alpha, Options{Progress: func(done, all int64) {
				if done < last || done > all || whole != 0 && all != whole {
					t.Errorf("%s | %s at α = %d: %d of %d after %d of %d", c[0], c[1], alpha, done, all, last, whole)
				}
				last, whole = done, all
			}})
			if last != whole {
				t.Errorf("%s | %s at α = %d: it ends at %d of %d", c[0], c[1], alpha, last, whole)
			}
		}
	}
}
