package machine

import (
	"testing"

	"github.com/diffprof/diffprof/units"
)

// TestShareToTheLastNanojoule divides small amounts by hand. No nanojoule is lost. The largest
// fractions get the rest, and smaller owners come first on ties.
func TestShareToTheLastNanojoule(t *testing.T) {
	for _, c := range []struct {
		energy     units.Energy
		operations [3]int64
		want       [3]units.Energy
	}{
		{6, [3]int64{1, 1, 1}, [3]units.Energy{2, 2, 2}},
		{7, [3]int64{1, 1, 1}, [3]units.Energy{3, 2, 2}},
		{8, [3]int64{1, 1, 1}, [3]units.Energy{3, 3, 2}},
		{1, [3]int64{1, 1, 2}, [3]units.Energy{0, 0, 1}},
		{2, [3]int64{1, 1, 2}, [3]units.Energy{1, 0, 1}},
		{10, [3]int64{3, 2, 2}, [3]units.Energy{4, 3, 3}},
		{11, [3]int64{3, 2, 2}, [3]units.Energy{5, 3, 3}},
		{0, [3]int64{1, 1, 1}, [3]units.Energy{0, 0, 0}},
	} {
		all := &ownerOperations{}
		for i, n := range c.operations {
			for range n {
				all.add(Owner(i + 1))
			}
		}
		got := (&meter{}).share(c.energy, all)
		sum := units.Energy(0)
		if len(got) != 3 {
			t.Fatalf("%d nJ among %v: %v", c.energy, c.operations, got)
		}
		for i, s := range got {
			sum += s.Energy
			if s.Owner != Owner(i+1) || s.Energy != c.want[i] {
				t.Errorf("%d nJ among %v: %v, want %v", c.energy, c.operations, got, c.want)
				break
			}
		}
		if sum != c.energy {
			t.Errorf("%d nJ among %v: the shares have %d", c.energy, c.operations, sum)
		}
	}
}
