package lines_test

import (
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/lines"
)

// TestCount counts the samples of random recordings one by one.
func TestCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for range 200 {
		rec := random(rng)
		var want lines.Coverage
		found := false
		for _, stack := range rec.stacks {
			want.Samples++
			for k, f := range stack {
				found = found || f.line != 0
				if k == len(stack)-1 && f.line > 0 {
					want.Lines++
				}
			}
		}
		counter := lines.Count(rec)
		plain, _, err := cct.Build(t.Context(), counter, cct.Limits{})
		if err != nil || counter.Known != want || counter.Found {
			t.Fatalf("the counts are %+v, want %+v: %v", counter.Known, want, err)
		}
		if want.Samples > 0 && counter.Known.Share() != float64(want.Lines)/float64(want.Samples) {
			t.Errorf("%+v: the share is %v", want, counter.Known.Share())
		}
		direct, _, err := cct.Build(t.Context(), rec, cct.Limits{})
		if err != nil || plain.Energy.Total() != direct.Energy.Total() || len(plain.Nodes) != len(direct.Nodes) {
			t.Fatalf("counting changes the tree: %v", err)
		}
		counter.Until = true
		if _, _, err := cct.Build(t.Context(), counter, cct.Limits{}); (err != nil) != found || counter.Found != found {
			t.Errorf("a scan until a line: found %v, %v; want %v", counter.Found, err, found)
		}
	}
}

// TestKnown computes shares. If nearly all positions are the beginning of a method, they do not
// count as positions.
func TestKnown(t *testing.T) {
	for _, c := range []struct {
		known         lines.Coverage
		share, places float64
	}{
		{lines.Coverage{}, 0, 0},
		{lines.Coverage{Samples: 8, Lines: 6, Positions: 1}, 0.75, 0.125},
		{lines.Coverage{Samples: 100, Positions: 100, First: 94}, 0, 1},
		{lines.Coverage{Samples: 100, Positions: 100, First: 95}, 0, 0},
	} {
		if c.known.Share() != c.share || c.known.PositionShare() != c.places {
			t.Errorf("%+v: %v and %v, want %v and %v", c.known, c.known.Share(), c.known.PositionShare(), c.share, c.places)
		}
		if sum := c.known.Plus(c.known); sum.Share() != c.share || sum.PositionShare() != c.places {
			t.Errorf("%+v twice is %+v", c.known, sum)
		}
	}
}
