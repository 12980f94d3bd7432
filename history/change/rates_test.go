package change

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// TestFalseAlarms checks that at most the stated fraction of series without a change have one. This
// must hold even if the runs of a point are more similar than runs of different points, and if
// neighboring points are alike.
func TestFalseAlarms(t *testing.T) {
	studies := shorten.Count(100)
	for _, c := range []struct {
		name   string
		o      steps
		points []int
		limit  float64
	}{
		{"1 run", steps{runs: 1, noise: 0.035}, []int{5, 10}, Rate},
		{"3 runs", steps{runs: 3, noise: 0.035}, []int{2, 5, 10}, Rate},
		{"5 runs", steps{runs: 5, noise: 0.035}, []int{2, 5, 10}, Rate},
		{"5 skewed runs", steps{runs: 5, noise: 0.2, skewed: true}, []int{2, 5, 10}, Rate},
		{"5 runs, points as noisy as runs", steps{runs: 5, noise: 0.035, day: 0.035}, []int{10}, Rate},
		{"5 runs, points half as noisy as runs", steps{runs: 5, noise: 0.035, day: 0.0175}, []int{10}, Rate},
		{"5 runs, points three times as noisy", steps{runs: 5, noise: 0.035, day: 0.1}, []int{10}, Rate},
		{"1 run, neighbours alike", steps{runs: 1, noise: 0.035, day: 0.02, memory: 0.8}, []int{5, 10, 30}, Rate},
		{"5 runs, neighbours alike", steps{runs: 5, noise: 0.035, day: 0.02, memory: 0.8}, []int{5, 10, 30}, Rate},
		{"5 runs, neighbours very alike", steps{runs: 5, noise: 0.035, day: 0.02, memory: 0.95}, []int{5, 10, 30}, Rate},
	} {
		for _, n := range c.points {
			t.Run(fmt.Sprint(c.name, " ", n), func(t *testing.T) {
				r := rand.New(rand.NewPCG(9, uint64(n)))
				c.o.levels = level(n, n, 0)
				alarms := 0
				for range studies {
					if len(Find(c.o.points(r)).Changes) > 0 {
						alarms++
					}
				}
				share := float64(alarms) / float64(studies)
				t.Logf("%.1f%%", 100*share)
				// Allow three standard errors of the simulation itself.
				if share > c.limit+3*math.Sqrt(c.limit*(1-c.limit)/float64(studies)) {
					t.Errorf("%.1f%% of the series give alarms, more than %.1f%%", 100*share, 100*c.limit)
				}
			})
		}
	}
}

// TestFound simulates a growth of 10 % with a noise of 3.5 %. It must be found as often as
// tools/studies/README.md states. Its place must be between Earliest and Latest, and its size in
// the interval.
func TestFound(t *testing.T) {
	const studies = 60
	for _, c := range []struct {
		runs, points, at int
		found            float64
	}{
		{1, 10, 5, 0.36}, {3, 2, 1, 0}, {3, 4, 2, 0.1}, {3, 10, 5, 0.64}, {3, 10, 9, 0.38},
		{5, 2, 1, 0.95}, {5, 5, 4, 0.35}, {5, 10, 5, 0.88}, {5, 10, 9, 0.6},
	} {
		r := rand.New(rand.NewPCG(11, uint64(c.runs)))
		o := steps{levels: level(c.points, c.at, 0.1), runs: c.runs, noise: 0.035}
		found, within, covered := 0, 0, 0
		for range studies {
			f := Find(o.points(r))
			if len(f.Changes) == 0 {
				continue
			}
			found++
			for _, d := range f.Changes {
				if d.Earliest <= c.at && c.at <= d.Latest {
					within++
					if d.Interval.Least <= 10 && 10 <= d.Interval.Most {
						covered++
					}
				}
			}
		}
		t.Logf("%d runs, %d points, change at %d: %d found, of %d within, of %d covered", c.runs, c.points, c.at, found, within, covered)
		if share := float64(found) / studies; math.Abs(share-c.found) > 0.12 {
			t.Errorf("%+v: %.0f%% are found", c, 100*share)
		}
		if float64(within) < 0.9*float64(found)-3 || float64(covered) < 0.9*float64(within)-2 {
			t.Errorf("%+v: of %d changes %d are in place, and of these %d have the size", c, found, within, covered)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	r := rand.New(rand.NewPCG(13, 14))
	for name, o := range map[string]steps{
		"even":    {levels: level(30, 30, 0), runs: 5, noise: 0.035},
		"changed": {levels: level(30, 20, 0.1), runs: 5, noise: 0.035},
	} {
		points := o.points(r)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Find(points)
			}
		})
	}
}
