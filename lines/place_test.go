package lines

import (
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// TestPlaceTable compares a table of places with a map, for dense, spread and negative lines.
func TestPlaceTable(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		var table placeTable
		want := make(map[place]trace.MethodID)
		methods, most := 1+r.IntN(50), 1+r.IntN(1<<(1+r.IntN(20)))
		for range 20_000 {
			at := place{trace.MethodID(r.IntN(methods)), int32(r.IntN(most) - most/2)}
			id, ok := table.find(at)
			if known, has := want[at]; has != ok || known != id {
				t.Fatalf("seed %d: %v has %d, %v; want %d, %v", seed, at, id, ok, known, has)
			}
			if !ok {
				id = trace.MethodID(len(want))
				table.add(at, id)
				want[at] = id
			}
		}
	}
}
