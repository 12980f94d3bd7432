package chrome

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestIndex compares an index with a map, with ids that are dense, sparse, negative and repeated.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var x index[int]
		want := make(map[int64]int)
		for i := range 400 {
			id := int64(i)
			switch r.IntN(5) {
			case 0:
				id = r.Int64N(4000) - 20
			case 1:
				id = r.Int64() - r.Int64()
			}
			x.put(id, i)
			want[id] = i
			if got, ok := x.get(id + 1); ok != has(want, id+1) || got != want[id+1] {
				t.Fatalf("the value of %d is %d, %v, want %d", id+1, got, ok, want[id+1])
			}
		}
		if got := maps.Collect(x.all()); !maps.Equal(got, want) || x.len != len(want) {
			t.Fatalf("%d values, want %d", x.len, len(want))
		}
	}
}

func has(m map[int64]int, id int64) bool {
	_, ok := m[id]
	return ok
}
