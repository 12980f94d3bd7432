package appcode

import (
	"math"
	"testing"
)

func TestMissing(t *testing.T) {
	for mean := int64(0); mean <= 20*certain; mean += 7 {
		want := certain * (1 - math.Exp(-float64(mean)/certain))
		if got := float64(missProbability(mean)); math.Abs(got-want) > 2 {
			t.Errorf("missing(%d) = %.0f, want %.1f", mean, got, want)
		}
	}
}

// TestChances checks that places with few samples seldom occur again, and that a run without
// samples misses nothing.
func TestChances(t *testing.T) {
	var places []occurrence
	for samples, n := range []int{1: 400, 2: 40, 3: 20, 50: 10} {
		for range n {
			places = append(places, occurrence{samples: int64(samples)})
		}
	}
	c := newChances(places)
	// Turing's estimates are 2·40/400 = 0.2 and 3·20/40 = 1.5. Ten places with three samples are
	// enough for an estimate, which is 0. More samples never lower a chance, though.
	for samples, want := range map[int64]int64{0: minChance, 1: 181, 2: 777, 3: 777, 50: certain} {
		if got := c.chance(samples); got < want-1 || got > want+1 {
			t.Errorf("%d samples: chance %d, want %d", samples, got, want)
		}
	}
	if got := newChances([]occurrence{{}, {}}).chance(0); got != certain {
		t.Errorf("without samples: chance %d", got)
	}
}
