package repeats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestFalseAlarmsOfFewRuns checks the stated rate with two and three runs on each side. These are
// little evidence of how tasks depend on each other. The rate must also hold if runs are as noisy
// as tasks.
func TestFalseAlarmsOfFewRuns(t *testing.T) {
	const studies = 300
	limit := Rate + 3*math.Sqrt(Rate*(1-Rate)/studies)
	for _, runs := range []int{2, 3} {
		for _, common := range []float64{0.05, 0.1} {
			o := random{run: common, own: 0.1, tasks: 60, subject: runs, reference: runs}
			if share := alarms(o, studies, false); share > limit {
				t.Errorf("%d runs, noise of runs %.2f: %.1f%% of the studies give alarms, more than %.1f%%", runs, common, 100*share, 100*limit)
			}
		}
	}
}

// TestTableOfRates counts the studies of equal programs that give an alarm. It also counts the
// studies that find a growth of 10 % in one task of sixty, with five runs on each side. bound is
// the largest fraction that any test with as few alarms can find if it knows the noise of each
// task. normal is set if each run is divided by its total.
func TestTableOfRates(t *testing.T) {
	const studies = 100
	for _, c := range []struct {
		run, own      float64
		normal        bool
		alarms, found float64
	}{
		{0, 0.02, false, 0.02, 1},
		{0, 0.035, false, 0.02, 0.79},
		{0, 0.05, false, 0.02, 0.31},
		{0, 0.1, false, 0.02, 0.02},
		{0.1, 0.02, false, 0.03, 0.01},
		{0.1, 0.02, true, 0.03, 1},
		{0.2, 0.035, true, 0.03, 0.71},
	} {
		o := random{run: c.run, own: c.own, tasks: 60, subject: 5, reference: 5, even: true}
		wrong := alarms(o, studies, c.normal)
		o.grown, o.growth = 1, 0.1
		r := rand.New(rand.NewPCG(17, 18))
		found := 0.0
		for range studies {
			if study(o.pairs(r), c.normal).Tasks[0].Verdict == Costlier {
				found += 1.0 / studies
			}
		}
		noise := math.Hypot(c.run, c.own)
		if c.normal {
			noise = c.own
		}
		bound := distuv.UnitNormal.Survival(distuv.UnitNormal.Quantile(1-Rate/2/60) - math.Log1p(o.growth)/(noise*math.Sqrt(2.0/5)))
		t.Logf("noise of runs %.3f, of tasks %.3f, by total %v: %.1f%% alarms, %.0f%% found, %.0f%% by who knows the noise", c.run, c.own, c.normal, 100*wrong, 100*found, 100*bound)
		within := func(got, want float64) bool {
			return math.Abs(got-want) <= 0.02+3*math.Sqrt(max(want*(1-want), 0.01)/studies)
		}
		if wrong > Rate+3*math.Sqrt(Rate*(1-Rate)/studies) || !within(wrong, c.alarms) || !within(found, c.found) {
			t.Errorf("noise of runs %.3f, of tasks %.3f, by total %v: %.1f%% alarms, %.0f%% found; the table has %.0f%% and %.0f%%", c.run, c.own, c.normal, 100*wrong, 100*found, 100*c.alarms, 100*c.found)
		}
		if found < bound-0.25 {
			t.Errorf("noise of runs %.3f, of tasks %.3f: %.0f%% found, and %.0f%% by who knows the noise", c.run, c.own, 100*found, 100*bound)
		}
	}
}

// alarms returns the fraction of studies of equal programs that give an alarm.
func alarms(o random, studies int, normal bool) float64 {
	r := rand.New(rand.NewPCG(15, 16))
	found := 0.0
	for range studies {
		for _, e := range study(o.pairs(r), normal).Tasks {
			if e.Verdict != NoEvidence {
				found++
				break
			}
		}
	}
	return found / float64(studies)
}

// study judges pairs. If normal is set, it first divides each run by its total.
func study(pairs []Pair, normal bool) *Study {
	if normal {
		subject, reference := make([]float64, len(pairs[0].Subject)), make([]float64, len(pairs[0].Reference))
		for _, p := range pairs {
			for k, x := range p.Subject {
				subject[k] += x
			}
			for k, x := range p.Reference {
				reference[k] += x
			}
		}
		for _, p := range pairs {
			for k := range p.Subject {
				p.Subject[k] /= subject[k]
			}
			for k := range p.Reference {
				p.Reference[k] /= reference[k]
			}
		}
	}
	return Judge(pairs)
}
