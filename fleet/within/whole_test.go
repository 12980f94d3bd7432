package within

import (
	"slices"
	"testing"
)

// TestLoadWholeIsOneStratum compares a client that is loaded as one stratum with the same client
// whose pairs are all in one stratum.
func TestLoadWholeIsOneStratum(t *testing.T) {
	for seed := range uint64(5) {
		w := oneClient(seed)
		candidate := func(app uint32) int {
			if app == 2 {
				return -1
			}
			return int(app)
		}
		var by, whole, want Gram
		if n := by.Load(w, candidate); n < 4 || w.Strata < 2 {
			t.Fatalf("%d candidates in %d strata", n, w.Strata)
		}
		whole.LoadWhole(&by)
		one := *w
		one.Pairs, one.Strata = slices.Clone(w.Pairs), 1
		for i := range one.Pairs {
			one.Pairs[i].Stratum = 0
		}
		want.Load(&one, candidate)
		if !slices.Equal(whole.local, want.local) || !slices.Equal(whole.owns, want.owns) || !slices.Equal(whole.excesses, want.excesses) {
			t.Errorf("seed %d: %v %v %v, want %v %v %v", seed, whole.local, whole.owns, whole.excesses, want.local, want.owns, want.excesses)
		}
		if slices.Equal(whole.excesses, by.excesses) {
			t.Errorf("seed %d: the strata make no difference", seed)
		}
	}
}
