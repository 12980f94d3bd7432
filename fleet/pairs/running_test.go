package pairs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/internal/shorten"
)

// TestRunning compares the apps of pairs with a map, for all apps and for some, in a Work that
// loads one client after the other.
func TestRunning(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	all, odd := &Work{Options: Options{Model: -1}}, &Work{Options: Options{Model: -1}, Only: func(app uint32) bool { return app%2 == 1 }}
	for range shorten.Count(200) {
		c := samples.NewClient(1, 0)
		var lists []map[uint32]bool
		for i := range 2 + random.IntN(10) {
			s := &samples.Sample{Time: int64(1_700_000_000_000 + i*60_000), Level: int32(100-random.IntN(3)) * samples.Percent, State: samples.Discharging}
			list := map[uint32]bool{}
			for range random.IntN(8) {
				if app := random.Uint32N(20); !list[app] {
					list[app] = true
					s.Apps, s.Versions = append(s.Apps, app), append(s.Versions, random.Uint32N(2))
				}
			}
			lists = append(lists, list)
			c.Add(s)
		}
		for _, w := range []*Work{all, odd} {
			w.Load(c)
			for i, p := range w.Pairs {
				want, got := map[uint32]int{}, map[uint32]int{}
				for _, end := range []int{p.From, p.To} {
					for app := range lists[end] {
						if w.Only == nil || w.Only(app) {
							want[app]++
						}
					}
				}
				for n, a := range w.Running(i) {
					got[w.Apps[a]] += int(w.Ends(i)[n])
				}
				if !maps.Equal(got, want) || len(w.Running(i)) != len(got) {
					t.Fatalf("pair %d of samples %v has %s", i, lists, fmt.Sprint(got))
				}
			}
		}
	}
}
