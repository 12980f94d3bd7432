package fleet

import (
	"math"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// TestApplyTrees has a hog with the excess 5, and a tree with excesses on mobile data and on wifi.
// The conditions of the hog follow the tree.
func TestApplyTrees(t *testing.T) {
	mobile := claim.Condition{Feature: samples.Network, Value: "mobile"}
	for name, c := range map[string]struct {
		mobile, wifi, spread int64
		where                []claim.Condition
		doubtful             bool
	}{
		"whenever it runs":             {mobile: 5, wifi: 5, spread: 1},
		"more on mobile data":          {mobile: 9, wifi: 1, spread: 1},
		"on mobile data alone":         {mobile: 9, wifi: -8, spread: 1, where: []claim.Condition{mobile}},
		"perhaps nothing on wifi":      {mobile: 9, wifi: 0, spread: 1, where: []claim.Condition{mobile}},
		"perhaps nothing":              {mobile: 0, wifi: 0, spread: 2, doubtful: true},
		"less":                         {mobile: -1, wifi: -3, spread: 1, doubtful: true},
		"perhaps nothing, much varied": {mobile: 1, wifi: 1, spread: 30, doubtful: true},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := New(Defaults(), []string{samples.Screen, samples.Network})
			if err != nil {
				t.Fatal(err)
			}
			f.Sums.Add(sums.Key("total", ""), 1, 1, 1)
			for network, excess := range map[string]int64{"mobile": c.mobile, "wifi": c.wifi} {
				for group := range within.Groups {
					off := c.spread * int64(group%3-1)
					within.AddGrouped(f.Sums.Row(sums.Key("cell", "com.mine", network, "")), group, 1000*(excess+off), 1000)
				}
			}
			j := &judgement{hogs: []Hog{{App: "com.mine", Drain: Drain{Excess: 5e-3, Half: 1e-3}, Confounded: []string{"com.twin"}}}}
			f.applyTrees(j)
			if c.doubtful {
				if len(j.hogs) > 0 || !slices.Equal(j.doubtful, []string{"com.mine", "com.twin"}) {
					t.Errorf("hogs are %v, and doubtful are %q", j.hogs, j.doubtful)
				}
				return
			}
			if len(j.hogs) != 1 || len(j.doubtful) > 0 || !slices.Equal(j.hogs[0].Conditions, c.where) {
				t.Fatalf("hogs are %v, and doubtful are %q", j.hogs, j.doubtful)
			}
			h := j.hogs[0]
			want := 5e-3
			if len(c.where) > 0 {
				want = 1e-3 * float64(c.mobile)
			}
			if math.Abs(h.Excess-want) > 2e-4 {
				t.Errorf("the headline is %v", h.Drain)
			}
		})
	}
}
