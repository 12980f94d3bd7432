package fleet_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// BenchmarkAnalyze runs all stages on samples in memory, with few and with many apps on each device.
func BenchmarkAnalyze(b *testing.B) {
	for _, installed := range []int{40, 350} {
		b.Run(fmt.Sprintf("%d_apps_installed", installed), func(b *testing.B) {
			made := simulation.New(simulation.Options{Seed: 1, Clients: 60, Apps: 1000, Hogs: 6, Innocent: 20, Installed: installed, Samples: 250})
			set := made.Set(nil, 8)
			for b.Loop() {
				f, err := fleet.Analyze(context.Background(), set, fleet.Defaults(), nil)
				if err != nil {
					b.Fatal(err)
				}
				if f.Total().Pairs == 0 {
					b.Fatal("no pairs")
				}
			}
		})
	}
}
