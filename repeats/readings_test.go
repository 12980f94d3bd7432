package repeats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// TestOneReading compares the interval of a single figure with known intervals. If Common is 0, it
// is the score interval of a Poisson mean. If Quantum is 0, it is the interval of a log-normal
// variable.
func TestOneReading(t *testing.T) {
	const z = 1.959963985
	for _, n := range []float64{1, 4, 10, 250} {
		r := Reading{Figure: 3 * n, Quantum: 3}
		least, most := r.limits(z)
		// A mean μ is in the interval if (n-μ)² ≤ z²μ.
		for _, mean := range []float64{least / 3, most / 3} {
			if off := (n-mean)*(n-mean) - z*z*mean; !near(off/mean, 0, 1e-9) {
				t.Errorf("%v samples: the end %v is %v off", n, mean, off)
			}
		}
	}
	r := Reading{Figure: 10, Common: math.Exp(0.04) - 1}
	if least, most := r.limits(z); !near(math.Log(most/10), 0.2*z, 1e-9) || !near(math.Log(10/least), 0.2*z, 1e-9) {
		t.Errorf("from %v to %v", least, most)
	}
	if least, most := (&Reading{Quantum: 2}).limits(z); least != 0 || !near(most, 2*z*z, 1e-12) {
		t.Errorf("nothing seen is from %v to %v", least, most)
	}
}

// A once makes pairs of runs. The programs are equal, or the first rows of one program have grown.
type once struct {
	rows, grown     int
	growth, samples float64
	// run and row are the simulated relative standard deviations. common is the stated one.
	run, row, common float64
	// longer is the factor by which the subject did more of everything; 0 means 1.
	longer float64
}

func (o once) draw(r *rand.Rand) []ReadingPair {
	slow := [2]float64{math.Exp(o.run * r.NormFloat64()), math.Exp(o.run * r.NormFloat64())}
	rows := make([]ReadingPair, o.rows)
	for i := range rows {
		mean := o.samples * math.Exp(1.5*r.NormFloat64())
		for side, to := range []*Reading{&rows[i].Subject, &rows[i].Reference} {
			x := mean * slow[side] * math.Exp(o.row*r.NormFloat64())
			if i < o.grown && side == 0 {
				x *= o.growth
			}
			if o.longer > 0 && side == 0 {
				x *= o.longer
			}
			*to = Reading{Figure: poisson(r, x), Common: o.common * o.common, Quantum: 1}
		}
	}
	return rows
}

// TestFalseAlarmsOfOneRun simulates pairs of runs of the same program. Their counts of samples vary
// at most as much as stated. At most one pair in twenty may have a verdict.
func TestFalseAlarmsOfOneRun(t *testing.T) {
	const pairs = 150
	r := rand.New(rand.NewPCG(23, 24))
	limit := Rate + 3*math.Sqrt(Rate*(1-Rate)/pairs)
	for _, o := range []once{
		{rows: 1, samples: 5}, {rows: 60, samples: 1}, {rows: 60, samples: 5}, {rows: 60, samples: 200},
		{rows: 60, samples: 5, row: 0.3, common: 0.3}, {rows: 60, samples: 200, row: 0.3, common: 0.3},
		{rows: 60, samples: 50, run: 0.2, row: 0.22, common: 0.3}, {rows: 3, samples: 100, run: 0.3, common: 0.3},
	} {
		alarms := 0
		for range pairs {
			if JudgeReadings(o.draw(r), SameProgram).Evident() > 0 {
				alarms++
			}
		}
		t.Logf("%+v: %.1f%% of the pairs give an alarm", o, 100*float64(alarms)/pairs)
		if share := float64(alarms) / pairs; share > limit {
			t.Errorf("%+v: %.1f%% of the pairs give an alarm, more than %.1f%%", o, 100*share, 100*limit)
		}
	}
}

// TestNoisierThanStated checks that runs that vary twice as much as stated do not give more alarms,
// because the rows show the noise. If the programs are unlike, rows are no evidence of noise.
func TestNoisierThanStated(t *testing.T) {
	const pairs = 150
	r := rand.New(rand.NewPCG(25, 26))
	o := once{rows: 60, samples: 200, run: 0.3, row: 0.5, common: 0.3}
	alarms, without := 0, 0
	for range pairs {
		rows := o.draw(r)
		if JudgeReadings(rows, SameProgram).Evident() > 0 {
			alarms++
		}
		if JudgeReadings(rows, DifferentPrograms).Evident() > 0 {
			without++
		}
	}
	t.Logf("%.1f%% of the pairs give an alarm, %.1f%% of programs that are not alike", 100*float64(alarms)/pairs, 100*float64(without)/pairs)
	if share := float64(alarms) / pairs; share > Rate+3*math.Sqrt(Rate*(1-Rate)/pairs) || without < 2*alarms {
		t.Errorf("%.1f%% of the pairs give an alarm, %d of programs that are not alike", 100*share, without)
	}
}

// TestLongerRun simulates pairs of runs of one program, one of which did more of everything. At
// most one pair in twenty may have a verdict. If a row also costs four times as much, it is found,
// and its interval is only about the excess over the common factor.
func TestLongerRun(t *testing.T) {
	pairs := shorten.Count(150)
	r := rand.New(rand.NewPCG(31, 32))
	limit := Rate + 3*math.Sqrt(Rate*(1-Rate)/float64(pairs))
	for _, longer := range []float64{1.0 / 3, 1.2, 1.5, 3} {
		o := once{rows: 40, samples: 200, row: 0.15, common: 0.3, longer: longer}
		alarms, found, right, shifts := 0, 0, 0, 0.0
		for range pairs {
			if JudgeReadings(o.draw(r), SameProgram).Evident() > 0 {
				alarms++
			}
			rows := o.draw(r)
			k := r.IntN(len(rows))
			mean := 2000 * math.Exp(0.15*r.NormFloat64())
			rows[k] = ReadingPair{Subject: Reading{Figure: 4 * mean * longer, Quantum: 1}, Reference: Reading{Figure: mean, Quantum: 1}}
			s := JudgeReadings(rows, SameProgram)
			shifts += s.Shift / float64(pairs)
			if e := s.Tasks[k]; e.Verdict == Costlier {
				found++
				if e.Interval.Least <= (4*longer-max(longer, 1))*mean*1.1 {
					right++
				}
			}
		}
		t.Logf("%.2f times as long: %d of %d pairs give an alarm, the row is found in %d and not overstated in %d, mean shift %.2f", longer, alarms, pairs, found, right, shifts)
		if share := float64(alarms) / float64(pairs); share > limit {
			t.Errorf("%.2f times as long: %.1f%% of the pairs give an alarm, more than %.1f%%", longer, 100*share, 100*limit)
		}
		if longer > 1 && found < 9*pairs/10 || right < found || math.Abs(math.Log(longer)) > 0.3 && math.Abs(math.Log(shifts/longer)) > 0.1 {
			t.Errorf("%.2f times as long: found in %d of %d, not overstated in %d, mean shift %v", longer, found, pairs, right, shifts)
		}
	}
}

// TestThirtyTimes checks that a row that costs thirty times as much has a verdict, and that no
// other row has a verdict.
func TestThirtyTimes(t *testing.T) {
	const pairs = 200
	r := rand.New(rand.NewPCG(27, 28))
	found, wrong := 0, 0
	for range pairs {
		rows := once{rows: 60, samples: 5, row: 0.3, common: 0.3}.draw(r)
		for side, to := range []*Reading{&rows[0].Subject, &rows[0].Reference} {
			*to = Reading{Figure: poisson(r, []float64{60, 2}[side]*math.Exp(0.3*r.NormFloat64())), Common: 0.09, Quantum: 1}
		}
		s := JudgeReadings(rows, SameProgram)
		if s.Tasks[0].Verdict == Costlier {
			found++
		}
		if s.Evident() > 1 {
			wrong++
		}
	}
	t.Logf("found in %d of %d, %d with others", found, pairs, wrong)
	if found < 190 || wrong > 20 {
		t.Errorf("found in %d of %d, %d with others", found, pairs, wrong)
	}
}

// TestLawsOfOneRun checks the laws of TestLaws for one run on each side.
func TestLawsOfOneRun(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	verdicts := 0
	for range shorten.Count(300) {
		o := once{rows: 1 + r.IntN(30), grown: 3, growth: 40 * r.Float64(), samples: 200 * r.Float64(), row: 0.2, common: 0.2}
		rows := o.draw(r)
		for i := range rows {
			switch r.IntN(6) {
			case 0:
				rows[i].Subject = Reading{Common: 0.04}
			case 1:
				rows[i].Subject.Calls, rows[i].Reference.Calls = float64(r.IntN(100)), float64(r.IntN(10))
			case 2:
				rows[i].Elsewhere = 100 * r.NormFloat64()
			}
		}
		mirrored, scaled, same := make([]ReadingPair, len(rows)), make([]ReadingPair, len(rows)), make([]ReadingPair, len(rows))
		for i, row := range rows {
			mirrored[i] = ReadingPair{row.Reference, row.Subject, -row.Elsewhere}
			large := func(r Reading) Reading {
				return Reading{Figure: 1024 * r.Figure, Common: r.Common, Quantum: 1024 * r.Quantum, Calls: r.Calls}
			}
			scaled[i] = ReadingPair{large(row.Subject), large(row.Reference), 1024 * row.Elsewhere}
			same[i] = ReadingPair{row.Subject, row.Subject, 0}
		}
		s, m, l := JudgeReadings(rows, SameProgram), JudgeReadings(mirrored, SameProgram), JudgeReadings(scaled, SameProgram)
		for i, e := range s.Tasks {
			back, large := m.Tasks[i], l.Tasks[i]
			opposite := [...]Verdict{NoEvidence: NoEvidence, Costlier: Cheaper, Cheaper: Costlier}
			if back.Verdict != opposite[e.Verdict] || back.P != e.P || back.Interval.Least != -e.Interval.Most || back.Subject != e.Reference {
				t.Fatalf("%+v is mirrored as %+v", e, back)
			}
			if large.Verdict != e.Verdict || !near(large.Interval.Most, 1024*e.Interval.Most, 1e-6) || !near(large.P, e.P, 1e-6) {
				t.Fatalf("%+v is times 1024 %+v", e, large)
			}
			if e.Interval.Least > e.Difference || e.Interval.Most < e.Difference {
				t.Fatalf("%+v: %+v lies outside of its interval", rows[i], e)
			}
			if out := e.Interval.Least > 0 || e.Interval.Most < 0; out != (e.Verdict != NoEvidence) {
				t.Fatalf("%+v at level %v: the interval contradicts the verdict", e, s.Level)
			}
			if e.P > 0 && (e.Q <= Rate) != (e.Verdict != NoEvidence) {
				t.Fatalf("%+v at level %v: the rate contradicts the verdict", e, s.Level)
			}
			if e.Verdict != NoEvidence {
				verdicts++
			}
		}
		for _, e := range JudgeReadings(same, SameProgram).Tasks {
			if e.Verdict != NoEvidence || e.P != 1 {
				t.Fatalf("equal sides give %+v", e)
			}
		}
	}
	if verdicts < 100 {
		t.Errorf("the test saw %d verdicts", verdicts)
	}
}

// TestCertain checks that a row that only one side calls differs, whatever the noise. It must not
// count as a test, because this would make other differences harder to detect. Clearly more calls
// are a difference, too, but a few more calls are not, because runs vary by that much.
func TestCertain(t *testing.T) {
	here := ReadingPair{Reading{Figure: 5, Common: 1, Quantum: 1, Calls: 5}, Reading{Common: 1}, 0}
	other := ReadingPair{Reading{Figure: 20, Common: 0.01}, Reading{Figure: 14, Common: 0.01}, 0}
	s := JudgeReadings([]ReadingPair{here, here, here, other}, DifferentPrograms)
	if e := s.Tasks[0]; e.Verdict != Costlier || e.P != 0 || e.Interval.Least <= 0 {
		t.Errorf("only here: %+v", e)
	}
	if alone := JudgeReadings([]ReadingPair{other}, DifferentPrograms).Tasks[0]; s.Tasks[3] != alone {
		t.Errorf("%+v is %+v by itself", s.Tasks[3], alone)
	}
	calls := func(here, there float64) Verdict {
		return JudgeReadings([]ReadingPair{{Reading{Figure: 2 * here, Common: 0.25, Calls: here}, Reading{Figure: 2 * there, Common: 0.25, Calls: there}, 0}}, DifferentPrograms).Tasks[0].Verdict
	}
	if calls(200, 100) != Costlier || calls(100, 200) != Cheaper || calls(121, 118) != NoEvidence {
		t.Errorf("200 calls against 100 are %v, 100 against 200 %v, 121 against 118 %v", calls(200, 100), calls(100, 200), calls(121, 118))
	}
}

// TestElsewhere has a caller that uses less by as much as the row uses more. It is the same work,
// so there is no difference.
func TestElsewhere(t *testing.T) {
	row := ReadingPair{Reading{Figure: 30, Common: 0.09, Quantum: 1}, Reading{Common: 0.09, Quantum: 1}, 0}
	if e := JudgeReadings([]ReadingPair{row}, DifferentPrograms).Tasks[0]; e.Verdict != Costlier {
		t.Errorf("30 samples against none: %+v", e)
	}
	row.Elsewhere = -28
	if e := JudgeReadings([]ReadingPair{row}, DifferentPrograms).Tasks[0]; e.Verdict != NoEvidence || e.Interval.Least > 0 {
		t.Errorf("as the caller has 28 less: %+v", e)
	}
	row.Elsewhere = 28
	if e := JudgeReadings([]ReadingPair{row}, DifferentPrograms).Tasks[0]; e.Verdict != Costlier {
		t.Errorf("as the caller has 28 more: %+v", e)
	}
}

// TestLittleOfOneRun checks that without rows or figures there is no evidence, and that no result
// is NaN.
func TestLittleOfOneRun(t *testing.T) {
	for _, rows := range [][]ReadingPair{nil, {{}}, {{Subject: Reading{Quantum: 1}}, {}}, {{Reading{Figure: 1, Common: 0.09, Quantum: 1}, Reading{Figure: 1, Common: 0.09, Quantum: 1}, 0}}} {
		for _, e := range JudgeReadings(rows, SameProgram).Tasks {
			for _, x := range []float64{e.P, e.Q, e.Difference, e.Interval.Least, e.Interval.Most, e.Subject.Least, e.Reference.Most} {
				if math.IsNaN(x) || math.IsInf(x, 0) || e.Verdict != NoEvidence {
					t.Errorf("%v gives %+v", rows, e)
				}
			}
		}
	}
}

// TestPlannedRuns compares the number of runs with the formula for comparing two means with a known
// deviation: n = 2·((1.96 + 0.84)·σ/d)². The number must be slightly larger, because the side that
// uses more is noisier.
func TestPlannedRuns(t *testing.T) {
	for _, c := range []struct{ deviation, share float64 }{{0.2, 0.05}, {0.1, 0.05}, {0.2, 0.2}} {
		runs, ok := SpreadOf(1, c.deviation).Needed(c.share, 1)
		want := 2 * math.Pow((1.959964+0.841621)*c.deviation/c.share, 2)
		if !ok || float64(runs) < want || float64(runs) > want*(1+1.5*c.share)+1 {
			t.Errorf("%v: %d runs, %v; want %.1f", c, runs, ok, want)
		}
	}
	if s := RelativeSpread(Pair{[]float64{90, 110}, []float64{180, 220}}); !near(s.Deviation, math.Sqrt(0.04/3), 1e-9) {
		t.Errorf("the deviation is %v", s.Deviation)
	}
	if s := RelativeSpread(Pair{[]float64{90}, nil}); !math.IsNaN(s.Deviation) {
		t.Errorf("of one run it is %v", s.Deviation)
	}
}

// TestFalseAlarmsOfCounts simulates counts that vary like independent events, with costs over three
// decades. Their total may give an alarm in at most one of twenty pairs, even if equal counts are
// excluded as steady.
func TestFalseAlarmsOfCounts(t *testing.T) {
	const pairs = 1500
	r := rand.New(rand.NewPCG(31, 32))
	limit := Rate + 3*math.Sqrt(Rate*(1-Rate)/pairs)
	for _, apis := range []int{1, 3, 12, 60} {
		for _, mean := range []float64{0.7, 3, 40} {
			alarms := 0
			for range pairs {
				var s, f Reading
				var variance [2]float64
				for range apis {
					rate, cost := mean*math.Exp(r.NormFloat64()), math.Exp(2*r.NormFloat64())
					n, m := poisson(r, rate), poisson(r, rate)
					s.Figure, f.Figure = s.Figure+n*cost, f.Figure+m*cost
					if n == m {
						s.Fixed, f.Fixed = s.Fixed+n*cost, f.Fixed+m*cost
						continue
					}
					variance[0], variance[1] = variance[0]+(n+0.5)*cost*cost, variance[1]+(m+0.5)*cost*cost
				}
				for i, x := range []*Reading{&s, &f} {
					other := []*Reading{&f, &s}[i]
					x.Common = 0.05 * 0.05
					if varies := max(x.Figure-x.Fixed, 0); varies > 0 {
						x.Quantum = variance[i] / varies
					} else if varies := other.Figure - other.Fixed; varies > 0 {
						x.Quantum = variance[1-i] / varies
					}
				}
				if JudgeReading(ReadingPair{Subject: s, Reference: f}).Verdict != NoEvidence {
					alarms++
				}
			}
			t.Logf("%d APIs, %.1f calls of each: %.1f%%", apis, mean, 100*float64(alarms)/pairs)
			if share := float64(alarms) / pairs; share > limit {
				t.Errorf("%d APIs, %.1f calls of each: %.1f%% of the pairs give an alarm, more than %.1f%%", apis, mean, 100*share, 100*limit)
			}
		}
	}
}

// TestNothingVaries checks that a task without energy has no dispersion.
func TestNothingVaries(t *testing.T) {
	n := &Noise{Prior: 0.1, shift: 1}
	for _, mean := range []float64{0, -1} {
		if d := n.dispersion(&row{}, mean); d != 0 {
			t.Errorf("the mean %v has the dispersion %v", mean, d)
		}
	}
}
