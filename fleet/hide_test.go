package fleet

import (
	"fmt"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// TestRareModels checks that the sums keep the model of a client only if at least 20 clients have
// the model. Without models, nothing is renamed.
func TestRareModels(t *testing.T) {
	for _, features := range [][]string{{samples.Model}, {samples.Network}} {
		f := &Fleet{Sums: sums.New()}
		f.Features = features
		for model, n := range map[string]int{"rare": 19, "common": 20, "usual": 21} {
			for i := range n {
				f.Sums.Add(sums.Key("client", fmt.Sprint(model, i), model), 1)
			}
		}
		f.hide()
		clients := map[string]int{}
		f.Sums.Each("client", func(rest []string, _ *sums.Row) { clients[rest[1]]++ })
		rare, hidden := 0, 19
		if !slices.Contains(features, samples.Model) {
			rare, hidden = hidden, rare
		}
		if clients["rare"] != rare || clients[""] != hidden || clients["common"] != 20 || clients["usual"] != 21 {
			t.Errorf("with the features %q, the models have the clients %v", features, clients)
		}
	}
}

// TestRareVersions checks that a version is hidden if fewer than five clients ran it. The sums of
// hidden versions are added up.
func TestRareVersions(t *testing.T) {
	f := &Fleet{Sums: sums.New()}
	for version, clients := range map[string]int64{"1": 4, "2": 5, "3": 1} {
		f.Sums.Add(sums.Key("version", "com.mine", version), clients)
	}
	f.Sums.Add(sums.Key("version", "com.other", "2"), 4)
	for key, n := range map[string]int64{"1": 10, "3": 20, "2": 40, "1|3": 80, "2|3": 160} {
		f.Sums.Add(sums.Key("cell", "com.mine", "wifi", key), n)
	}
	f.hideVersions()
	got := map[string]int64{}
	f.Sums.Each("cell", func(rest []string, r *sums.Row) { got[rest[2]] = r[0].Int64() })
	want := map[string]int64{otherValue: 110, "2": 40, otherValue + "|2": 160}
	if len(got) != len(want) {
		t.Errorf("the versions have the sums %v, want %v", got, want)
	}
	for versions, n := range want {
		if got[versions] != n {
			t.Errorf("the versions %q have the sum %d, want %d", versions, got[versions], n)
		}
	}
}
