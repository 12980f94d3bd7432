package repeats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// TestFalseAlarmsOfSteadyRuns simulates pairs of runs of the same program. They vary at most as
// much as the user states. At most one pair in twenty may have a verdict, within three standard
// errors. Whole runs vary, or rows, or both. With SameProgramKnownNoise, a growth of all rows must
// be found.
func TestFalseAlarmsOfSteadyRuns(t *testing.T) {
	pairs := shorten.Count(150)
	r := rand.New(rand.NewPCG(41, 42))
	limit := Rate + 3*math.Sqrt(Rate*(1-Rate)/float64(pairs))
	for _, o := range []once{
		{rows: 60, samples: 5, run: 0.05, common: 0.05}, {rows: 60, samples: 200, run: 0.05, common: 0.05}, {rows: 60, samples: 1000, run: 0.05, common: 0.05},
		{rows: 60, samples: 200, row: 0.05, common: 0.05}, {rows: 60, samples: 1000, row: 0.05, common: 0.05}, {rows: 150, samples: 300, row: 0.05, common: 0.05},
		{rows: 60, samples: 500, run: 0.035, row: 0.035, common: 0.05}, {rows: 3, samples: 500, run: 0.05, common: 0.05}, {rows: 60, samples: 200, run: 0.01, row: 0.01, common: 0.05},
	} {
		alarms, rows := 0, 0
		for range pairs {
			if n := JudgeReadings(o.draw(r), SameProgramKnownNoise).Evident(); n > 0 {
				alarms++
				rows += n
			}
		}
		share := float64(alarms) / float64(pairs)
		t.Logf("%+v: %.1f%% of the pairs give an alarm, %.1f rows each", o, 100*share, float64(rows)/math.Max(float64(alarms), 1))
		if share > limit {
			t.Errorf("%+v: %.1f%% of the pairs give an alarm, more than %.1f%%", o, 100*share, 100*limit)
		}
	}
	// A growth of all rows by a quarter, in runs with a noise of 5 %.
	grown, found := once{rows: 60, grown: 60, growth: 1.25, samples: 1000, run: 0.05, common: 0.05}, 0
	for range pairs {
		if JudgeReadings(grown.draw(r), SameProgramKnownNoise).Evident() > 0 {
			found++
		}
	}
	t.Logf("a growth of all rows is found in %.1f%%", 100*float64(found)/float64(pairs))
	if found < pairs/2 {
		t.Errorf("a growth of all rows is found in %d of %d pairs", found, pairs)
	}
}

// TestFewRowsShareNothing checks that the noise of three rows is no evidence about each other, and
// that of four rows is.
func TestFewRowsShareNothing(t *testing.T) {
	var rows []row
	for i := range 4 {
		step := float64(1 + i)
		rows = append(rows, newRow(Pair{Subject: []float64{100, 100 + step, 100 - step}, Reference: []float64{100, 100 - step, 100 + 2*step}}))
	}
	for n := 1; n <= len(rows); n++ {
		got := estimate(rows[:n], Conditions{})
		if shares := got.Prior > 0; shares != (n >= 4) || got.Common <= 0 || got.Runs != 4 {
			t.Errorf("%d rows: %+v", n, got)
		}
	}
	even := newRow(Pair{Subject: []float64{100, 100}, Reference: []float64{90, 90}})
	if got := estimate([]row{even, even, even, even, even}, Conditions{}); got.Common != 0 || got.Prior != 0 || got.Tasks != 1 {
		t.Errorf("rows without noise: %+v", got)
	}
}
