package eflask

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// TestMatchEqualAgreesWithTheSearch compares the matching for α = 0 by equal paths with the general
// search, also of subtrees whose roots have different labels.
func TestMatchEqualAgreesWithTheSearch(t *testing.T) {
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(3, 7))
	for i := range shorten.Count(300) {
		names := []string{"A", "B.a", "B.b", "C", "D", "E"}[:2+rnd.IntN(5)]
		a, b := randomTree(rnd, 1+rnd.IntN(60), names), randomTree(rnd, 1+rnd.IntN(60), names)
		s, r := pair(a, b)
		v, w := rnd.IntN(len(s.Nodes)), rnd.IntN(len(r.Nodes))
		if i%2 == 0 {
			v, w = 0, 0
		}
		subject, reference := subtree{s, int32(v)}, subtree{r, int32(w)}
		got, ok := matchEqual(ctx, subject, reference, Options{})
		want, err := matchOrdered(ctx, subject, reference, 0, Options{})
		if !ok || err != nil {
			t.Fatalf("%s | %s: found %t, error %v", a, b, ok, err)
		}
		if got.Size != want.Size || !slices.Equal(got.Pairs, want.Pairs) {
			t.Fatalf("%s from %d | %s from %d: %d in %v\nwant %d in %v", a, v, b, w, got.Size, got.Pairs, want.Size, want.Pairs)
		}
	}
}

// TestMatchEqualIsNotForRelatives has labels with γ = 0, among which the search must choose.
func TestMatchEqualIsNotForRelatives(t *testing.T) {
	s, r := pair("S1 T1", "T1")
	if _, ok := matchEqual(context.Background(), subtree{s, 0}, subtree{r, 0}, Options{}); ok {
		t.Error("a superclass counts as another label")
	}
	if _, err := Match(context.Background(), s, r, 0, Options{}); err != nil {
		t.Error(err)
	}
}

func TestMatchEqualIsBounded(t *testing.T) {
	s, r := pair("A B C D", "A B C E")
	if _, err := Match(context.Background(), s, r, 0, Options{MaxPairs: 2}); err != nil && !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, ok := matchEqual(context.Background(), subtree{s, 0}, subtree{r, 0}, Options{MaxPairs: 3}); ok {
		t.Error("more pairs than the options allow")
	}
}
