package repeats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// joules has the total energies of repeated runs of benchmark programs. JoularJX measured the runs
// one after the other on a laptop (CalebL42/cs263-sus-comp, 2025; runs with other problem sizes are
// left out). Their noise is 10 % to 39 % of a run.
var joules = map[string][]float64{
	"binary_trees":   {1.07, 0.96, 1.42, 2.11, 1.56, 0.72, 0.66, 1.39},
	"fannkuch_redux": {0.88, 1.25, 0.95, 0.87, 1.45, 1.19, 0.91, 1.55, 1.83},
	"fasta":          {0.78, 1.25, 0.9, 1.39, 1.32, 1.25, 0.95, 1.21, 1.58, 0.96},
	"mandelbrot":     {3.31, 3.97, 3.85, 3.75, 4.57, 4.05, 4.5, 3.67, 3.89},
	"n_body":         {10.94, 7.07, 10.21, 6.86, 9.52, 11.3, 10, 12.66, 8.19, 9.08},
	"spectral_norm":  {24.38, 19.05, 20.49, 21.49, 17.26, 20.87, 17.56, 19.95, 19.21, 23.48},
}

// TestRealRunsPartedInTwo divides the runs of each program into two sides of equal size, in all
// possible ways. The two programs are the same, so at most one division in twenty may give an
// alarm.
func TestRealRunsPartedInTwo(t *testing.T) {
	alarms, ways := 0, 0
	for _, runs := range joules {
		half := len(runs) / 2
		for set := range 1 << len(runs) {
			var p Pair
			for i, x := range runs {
				switch {
				case set>>i&1 == 1:
					p.Subject = append(p.Subject, x)
				case len(p.Reference) < half:
					p.Reference = append(p.Reference, x)
				}
			}
			if len(p.Subject) != half || len(p.Reference) != half {
				continue
			}
			ways++
			if Judge([]Pair{p}).Tasks[0].Verdict != NoEvidence {
				alarms++
			}
		}
	}
	if share := float64(alarms) / float64(ways); share > 0.055 || ways < 1000 {
		t.Errorf("%d of %d ways give an alarm, %.1f%%", alarms, ways, 100*share)
	}
}

// TestFalseFindingsOfRealRuns checks the noise of each program, and the growth that five runs on
// each side can show. docs/repeats.md states both as ranges, which include the Kafka server below.
func TestFalseFindingsOfRealRuns(t *testing.T) {
	for name, want := range map[string][2]float64{
		"mandelbrot": {0.10, 0.23}, "spectral_norm": {0.11, 0.26}, "n_body": {0.19, 0.50}, "fasta": {0.22, 0.58},
		"fannkuch_redux": {0.28, 0.85}, "binary_trees": {0.39, 1.50},
	} {
		_, spreads := Spreads([][]float64{joules[name]})
		if noise, least := spreads[0].Deviation, spreads[0].Detectable(5, 1); math.Abs(noise-want[0]) > 0.005 || math.Abs(least-want[1]) > 0.005 {
			t.Errorf("%s varies by %.3f and shows %.3f, want %v", name, noise, least, want)
		}
	}
}

// kafka has the noise of four recordings of the same server by a sampling profiler, ten seconds
// each (grafana/pyroscope's samples cortex-dev-01 kafka-0). Spreads estimates that the dispersion
// of a mean in mJ is 0.11 + 3.5/mean. A sample is 4.44 mJ.
var kafka = random{run: 0.15, own: 0.25, quantum: 4.44}

// TestFalseAlarms checks that at most the stated fraction of studies of equal apps find a
// difference. This must hold for few and many runs, for unequal sides, for noise that all tasks
// have in common, and for counts.
func TestFalseAlarms(t *testing.T) {
	studies := shorten.Count(160)
	for _, sides := range [][2]int{{5, 5}, {3, 3}, {10, 10}, {3, 8}} {
		for name, o := range map[string]random{
			"noise of each task":    {own: 0.1},
			"noise of the run":      {run: 0.2, own: 0.0001},
			"both":                  {run: 0.2, own: 0.1},
			"skewed noise of both":  {run: 0.35, own: 0.2},
			"counts":                {run: 0.1, own: 0.05, quantum: 10},
			"the server's":          kafka,
			"a quiet phone's":       {run: 0.02, own: 0.02},
			"many tasks, all alike": {run: 0.1, own: 0.03, tasks: 200},
		} {
			t.Run(fmt.Sprint(name, sides), func(t *testing.T) {
				r := rand.New(rand.NewPCG(9, 10))
				o.subject, o.reference, o.tasks = sides[0], sides[1], max(o.tasks, 60)
				alarms := 0
				for range studies {
					found := 0
					for _, e := range Judge(o.pairs(r)).Tasks {
						if e.Verdict != NoEvidence {
							found = 1
						}
					}
					alarms += found
				}
				// Allow three standard errors of the simulation itself.
				limit := Rate + 3*math.Sqrt(Rate*(1-Rate)/float64(studies))
				if share := float64(alarms) / float64(studies); share > limit {
					t.Errorf("%.1f%% of the studies give alarms, more than %.1f%%", 100*share, 100*limit)
				}
			})
		}
	}
}

// TestFound checks that five runs on each side find a growth of the size of Detectable with the
// stated probability. The growth is 10 % in one task of sixty if runs vary by 3.5 %, and a quarter
// if they vary by 10 %.
func TestFound(t *testing.T) {
	const studies = 200
	for _, c := range []struct {
		noise random
		least float64 // The expected result of Detectable for five runs on each side.
	}{
		{random{own: 0.0345}, 0.1},
		{random{run: 0.0245, own: 0.02}, 0.1},
		{random{own: 0.1}, 0.33},
		{random{run: 0.08, own: 0.05}, 0.37},
	} {
		o := c.noise
		o.tasks, o.subject, o.reference, o.grown, o.growth, o.even = 60, 5, 5, 1, c.least, true
		r := rand.New(rand.NewPCG(11, 12))
		found, wrongly, least := 0, 0.0, 0.0
		for range studies {
			pairs := o.pairs(r)
			study := Judge(pairs)
			if study.Tasks[0].Verdict == Costlier {
				found++
			}
			for _, e := range study.Tasks[1:] {
				if e.Verdict != NoEvidence {
					wrongly += 1 / float64(study.Evident()) / studies
				}
			}
			figures := make([][]float64, len(pairs))
			for i := range pairs {
				figures[i] = pairs[i].Reference
			}
			_, spreads := Spreads(figures)
			least += spreads[0].Detectable(5, o.tasks) / studies
		}
		share := float64(found) / studies
		t.Logf("%+v: Least is %.3f, %.0f%% find %.2f, and %.1f%% of verdicts are wrong", c.noise, least, 100*share, c.least, 100*wrongly)
		if math.Abs(share-Power) > 0.1 || math.Abs(least-c.least) > 0.1*c.least || wrongly > Rate+0.03 {
			t.Errorf("%+v: Least is %.3f, %.0f%% find %.2f, and %.1f%% of verdicts are wrong", c.noise, least, 100*share, c.least, 100*wrongly)
		}
	}
}

// TestNeeded tries all numbers of runs, and compares the smallest number for which Detectable
// suffices with the result of Needed.
func TestNeeded(t *testing.T) {
	_, spreads := Spreads([][]float64{{10, 11, 12, 9, 10}, {100, 104, 98, 99, 100}, {1, 2, 1, 0, 3}, {50, 50, 51, 50, 49}})
	for _, s := range spreads {
		for _, sought := range []float64{0.02, 0.1, 0.5, 2} {
			got, ok := s.Needed(sought, 30)
			want := LeastRuns
			for want <= MostRuns && s.Detectable(want, 30) > sought {
				want++
			}
			if ok != (want <= MostRuns) || ok && got != want {
				t.Errorf("%+v takes %d, %v for %v, want %d", s, got, ok, sought, want)
			}
		}
	}
	if _, one := Spreads([][]float64{{3}}); !math.IsNaN(one[0].Deviation) {
		t.Errorf("one run has the noise %v", one[0].Deviation)
	}
}
