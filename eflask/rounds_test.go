package eflask

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// TestWeighedAgain compares a scale that keeps unchanged results with a scale that computes all
// pairs in each round: both must find the same candidates. It also compares one Pairer for several
// matchings with one Pairer per matching: both must find the same counterparts.
func TestWeighedAgain(t *testing.T) {
	names := []string{"android/A.a", "android/A.b", "android/B.a", "android/B.c", "android/Sub.m", "android/Super.m",
		"app/C.c", "app/D.d", "app/E.e", "app/F.f", "android/C.c", "android/D.run"}
	rnd := rand.New(rand.NewPCG(21, 1))
	carried, candidates, partly := 0, 0, 0
	for i := range shorten.Count(120) {
		size := 40 + rnd.IntN(260)
		if i%20 == 0 {
			size = 2000
		}
		few := names[:6+rnd.IntN(len(names)-6)]
		a, b := randomTree(rnd, size, few), randomTree(rnd, size, few)
		s, r := apps(a, b)
		where := fmt.Sprintf("pair %d", i)

		m := match(t, s, r, rnd.IntN(3), Options{})
		p := newPairing(s, r, m)
		p.certain()
		kept := p.scale()
		for round := range 6 {
			got := values(kept.weighed(leastLikely))
			want := values(newScale(p).weighed(leastLikely))
			if round > 0 {
				for _, list := range kept.last.held {
					carried += len(list)
				}
				if slices.Contains(kept.last.partly, true) {
					partly++
				}
			}
			candidates += len(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s, round %d: %d candidates, anew %d:\n%v\n%v", where, round, len(got), len(want), got, want)
			}
			for _, k := range rnd.Perm(len(got))[:(len(got)+9)/10] {
				if c := got[k]; p.free(c.i, c.j) {
					p.pair(c.i, c.j, c.found, 0, c.evidence)
				}
			}
		}

		pairer := NewPairer(s, r)
		for range 6 {
			m, lemma := match(t, s, r, rnd.IntN(4), Options{}), rnd.IntN(5) == 0
			got, want := pairer.Counterparts(m, lemma), Counterparts(s, r, m, lemma)
			if !slices.Equal(got, want) {
				t.Fatalf("%s at α = %d: %v, by a pairer of its own %v", where, m.Alpha, got, want)
			}
		}
	}
	if !testing.Short() && (carried < 10_000 || candidates < 10_000 || partly < 5) {
		t.Errorf("only %d pairs, %d candidates and %d rounds with blocks that are too long", carried, candidates, partly)
	}
}

// values returns candidates in the order of their tasks.
func values(list []*candidate) []candidate {
	var out []candidate
	for _, c := range list {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b candidate) int { return slices.Compare([]int32{a.i, a.j}, []int32{b.i, b.j}) })
	return out
}
