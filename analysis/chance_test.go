package analysis_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// rows lists the estimates of all rows of a comparison, with a name for each.
func rows(r *analysis.Result) (names []string, estimates []*repeats.Estimate) {
	add := func(name string, e *repeats.Estimate) {
		names, estimates = append(names, name), append(estimates, e)
	}
	add("total", &r.Chance.Total)
	taken := make(map[int32]bool)
	for i := range r.Tasks {
		t := &r.Tasks[i]
		path := r.Subject.Tree.Path(t.Node)
		add(path[len(path)-1], r.Chance.Task(t))
		taken[t.Peer] = true
	}
	for v := int32(1); int(v) < len(r.Reference.Tree.Nodes); v++ {
		if eflask.IsTask(r.Reference.Tree, v) && !taken[v] {
			path := r.Reference.Tree.Path(v)
			add("there "+path[len(path)-1], r.Chance.ReferenceTask(v))
		}
	}
	for i := range r.AppCode.Rows {
		add("code "+r.AppCode.Rows[i].Method.Short(), r.Chance.Code(&r.AppCode.Rows[i]))
	}
	add("code there", r.Chance.ReferenceCode())
	add("system", r.Chance.System())
	return names, estimates
}

// verdicts lists the rows that have a verdict, with their verdicts.
func verdicts(r *analysis.Result) string {
	var found []string
	names, estimates := rows(r)
	for i, e := range estimates {
		if analysis.Evident(e) {
			found = append(found, names[i]+" "+e.Verdict.String())
		}
	}
	slices.Sort(found)
	return strings.Join(found, ", ")
}

// lawful checks the estimates against the laws of Chance.
func lawful(t *testing.T, r *analysis.Result) {
	t.Helper()
	names, estimates := rows(r)
	for i, e := range estimates {
		if e == nil {
			continue
		}
		for _, x := range []float64{e.P, e.Q, e.Difference, e.Interval.Least, e.Interval.Most} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%s: %+v", names[i], e)
			}
		}
		if e.Interval.Least > e.Difference || e.Interval.Most < e.Difference {
			t.Errorf("%s: %+v lies outside of its interval", names[i], e)
		}
		if out := e.Interval.Least > 0 || e.Interval.Most < 0; out != (e.Verdict != repeats.NoEvidence) {
			t.Errorf("%s: the interval contradicts the verdict: %+v", names[i], e)
		}
	}
	if r.Chance.RunsFor(0.05) < 0 || r.Chance.RunsFor(0) != 0 || r.Chance.RunsFor(math.NaN()) != 0 {
		t.Errorf("%d runs", r.Chance.RunsFor(0.05))
	}
}

// A recorded is a run with samples.
type recorded struct {
	samples []trace.Sample
	trace   trace.Trace
}

// Scan implements trace.Recording.
func (r *recorded) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, r.trace.Clock, r.trace.Energy)
	return &r.trace, sink.Samples(slices.Clone(r.samples))
}

// build makes the tree of a run. Each line has the frames of a stack, its energy, and its number of
// calls or samples.
func build(t *testing.T, counted trace.Calls, lines string) *cct.Tree {
	t.Helper()
	run := &recorded{trace: trace.Trace{Calls: counted, Threads: []trace.Thread{{ID: 1}}}}
	methods := make(map[string]trace.MethodID)
	for line := range strings.Lines(lines) {
		fields := strings.Fields(line)
		var energy, count int64
		if _, err := fmt.Sscan(fields[1], &energy); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(fields[2], &count); err != nil {
			t.Fatal(err)
		}
		s := trace.Sample{Energy: units.Energy(energy), Count: count}
		if counted == trace.CountedCalls {
			s.Calls, s.Count = count, 0
		}
		for _, label := range strings.Split(fields[0], ";") {
			id, known := methods[label]
			if !known {
				id = trace.MethodID(len(run.trace.Methods))
				methods[label] = id
				run.trace.Methods = append(run.trace.Methods, name.Parse(label, name.JVM))
			}
			s.Stack = append(s.Stack, id)
		}
		run.samples = append(run.samples, s)
	}
	tree, _, err := cct.Build(t.Context(), run, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const click = "android.view.View.performClick()Z;com.mine.Main.onClick()V"

// steady are the stacks that both runs have, with their energies and numbers.
const steady = click + ";com.mine.Sort.run()V 5000000 50\n" + click + ";android.util.Log.d()I 3000000 30\n" +
	click + ";java.io.File.exists()Z 2000000 20\n" + click + ";java.net.URL.open()V 900000 9\nandroid.os.Handler.handle()V 400000 4\n"

// TestVerdictsOfOneRun checks the verdicts with one run per side, sampled and instrumented.
func TestVerdictsOfOneRun(t *testing.T) {
	for what, c := range map[string]struct {
		counted            trace.Calls
		subject, reference string
		basis              analysis.Basis
		want               string
	}{
		"the same": {trace.CountedCalls, "", "", analysis.Assumed, ""},
		"thirty times as much": {
			trace.CountedCalls, click + ";com.mine.Slow.run()V 30000000 1\n", click + ";com.mine.Slow.run()V 1000000 1\n", analysis.Assumed,
			"code Slow.run costlier",
		},
		"a tenth more": {
			trace.CountedCalls, click + ";com.mine.Slow.run()V 1100000 1\n", click + ";com.mine.Slow.run()V 1000000 1\n", analysis.Assumed, "",
		},
		"called here and not there": {
			trace.CountedCalls, click + ";android.net.Uri.parse()V 2000 5\n", "", analysis.Assumed, "android.net.Uri.parse()V costlier",
		},
		"called there and not here": {
			trace.CountedCalls, "", click + ";android.net.Uri.parse()V 2000 5\n" + click + ";com.mine.Old.run()V 100000 1\n", analysis.Assumed,
			"code there cheaper, there android.net.Uri.parse()V cheaper",
		},
		"twice as many calls of equal cost": {
			trace.CountedCalls, click + ";android.net.Uri.parse()V 2000000 200\n", click + ";android.net.Uri.parse()V 1000000 100\n", analysis.Assumed,
			"android.net.Uri.parse()V costlier",
		},
		"four samples against one": {
			trace.NoCalls, click + ";android.net.Uri.parse()V 400000 4\n", click + ";android.net.Uri.parse()V 100000 1\n", analysis.FromSamples, "",
		},
		"sixty samples against two": {
			trace.NoCalls, click + ";android.net.Uri.parse()V 6000000 60\n", click + ";android.net.Uri.parse()V 200000 2\n", analysis.FromSamples,
			"android.net.Uri.parse()V costlier",
		},
		"two samples here and none there": {
			trace.NoCalls, click + ";android.net.Uri.parse()V 200000 2\n", "", analysis.FromSamples, "",
		},
		"twenty methods there, each seen once": {
			trace.NoCalls, "", strings.Repeat(click+";com.mine.OldN.run()V 100000 1\n", 20), analysis.FromSamples, "",
		},
		"a method there": {
			trace.NoCalls, "", click + ";com.mine.Old.run()V 6000000 60\n", analysis.FromSamples, "code there cheaper",
		},
		"a task of which the caller has the samples": {
			trace.NoCalls, click + ";com.mine.Lev.run()V 1000000 10\n" + click + ";com.mine.Lev.run()V;java.lang.String.charAt(I)C 4000000 40\n",
			click + ";com.mine.Lev.run()V 5000000 50\n", analysis.FromSamples, "",
		},
	} {
		t.Run(what, func(t *testing.T) {
			number := func(s string) string {
				for i := range strings.Count(s, "OldN") {
					s = strings.Replace(s, "OldN", fmt.Sprintf("Old%c", 'A'+i), 1)
				}
				return s
			}
			s, r := build(t, c.counted, steady+number(c.subject)), build(t, c.counted, steady+number(c.reference))
			here, err := analysis.Trees(t.Context(), s, r, analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			back, err := analysis.Trees(t.Context(), r, s, analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			lawful(t, here)
			lawful(t, back)
			got := strings.ReplaceAll(verdicts(here), "total costlier, ", "")
			got = strings.TrimSuffix(strings.TrimSuffix(got, "total costlier"), ", ")
			if here.Chance.Basis != c.basis || got != c.want {
				t.Errorf("from %s: %q, want %q", here.Chance.Basis, verdicts(here), c.want)
			}
			if a, b := here.Chance.Total, back.Chance.Total; a.Difference != -b.Difference || a.Interval.Least != -b.Interval.Most {
				t.Errorf("%+v is mirrored as %+v", a, b)
			}
			for i := range here.Tasks {
				task := &here.Tasks[i]
				e := here.Chance.Task(task)
				if task.Peer >= 0 || e == nil {
					continue
				}
				if m := back.Chance.ReferenceTask(task.Node); m == nil || m.Interval.Least != -e.Interval.Most || m.Difference != -e.Difference {
					t.Errorf("%+v is mirrored as %+v", e, m)
				}
			}
		})
	}
}

// TestNoiseOfSetting checks that a stated noise replaces the assumed noise.
func TestNoiseOfSetting(t *testing.T) {
	s := build(t, trace.CountedCalls, steady+click+";com.mine.Slow.run()V 12000000 1\n")
	r := build(t, trace.CountedCalls, steady+click+";com.mine.Slow.run()V 10000000 1\n")
	for noise, want := range map[float64]string{0: "", 0.005: "code Slow.run costlier, total costlier", 0.1: ""} {
		got, err := analysis.Trees(t.Context(), s, r, analysis.Options{Noise: noise, MinRelevant: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		lawful(t, got)
		if verdicts(got) != want || (got.Chance.Basis == analysis.FromSetting) != (noise > 0) || got.MinRelevant != 0.01 {
			t.Errorf("with a noise of %v: %q from %s, want %q", noise, verdicts(got), got.Chance.Basis, want)
		}
	}
}

// TestChanceOfLittle compares runs without energy, with one sample, and with one empty side.
func TestChanceOfLittle(t *testing.T) {
	runs := []string{"", click + " 0 1\n", click + " 1 1\n", click + ";android.util.Log.d()I 1 1\n", "android.os.Handler.handle()V 7 0\n"}
	for _, counted := range []trace.Calls{trace.NoCalls, trace.CountedCalls} {
		for _, s := range runs {
			for _, r := range runs {
				got, err := analysis.Trees(t.Context(), build(t, counted, s), build(t, counted, r), analysis.Options{})
				if err != nil {
					t.Fatal(err)
				}
				lawful(t, got)
				if (counted == trace.NoCalls || s == "" || r == "") && verdicts(got) != "" {
					t.Errorf("%q against %q: %s", s, r, verdicts(got))
				}
			}
		}
	}
}

// real has patterns of file names. The files of a pattern are repeated runs of one program.
var real = []string{"pprof/pyroscope-kafka-cpu-*", "jfr/cortex-kafka-cpu-*", "time/aa*.cpuprofile"}

// repeated lists the recordings of a pattern, or skips the test.
func repeated(t *testing.T, pattern string) []string {
	t.Helper()
	files, _ := filepath.Glob("../../shared/data/" + pattern)
	if len(files) == 0 {
		t.Skip("there are no real recordings")
	}
	return files
}

// TestRealRepeatsShowNothing compares each two runs of one program. Hardly any pair may show a
// difference.
func TestRealRepeatsShowNothing(t *testing.T) {
	pairs, bad := 0, 0
	for _, pattern := range real {
		files := repeated(t, pattern)
		for i, subject := range files {
			for k, reference := range files {
				if testing.Short() && (i+k)%4 != 0 {
					continue
				}
				r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}, Alpha: analysis.AutoAlpha})
				if err != nil {
					t.Fatal(err)
				}
				lawful(t, r)
				if subject == reference {
					if verdicts(r) != "" || r.Chance.Total.Difference != 0 {
						t.Errorf("%s against itself: %s", subject, verdicts(r))
					}
					continue
				}
				pairs++
				if saved := costlier(r); saved > 0.03*float64(r.Subject.Energy) {
					bad++
					t.Logf("%s against %s: %s, %.1f%%", filepath.Base(subject), filepath.Base(reference), verdicts(r), 100*saved/float64(r.Subject.Energy))
				}
			}
		}
	}
	if bad > 2 {
		t.Errorf("%d of %d pairs of equal programs seem to differ", bad, pairs)
	}
}

// costlier returns an upper bound of the possible saving. It is not exact, because it also adds
// rows that are inside other rows.
func costlier(r *analysis.Result) float64 {
	sum := 0.0
	for i := range r.Tasks {
		if e := r.Chance.Task(&r.Tasks[i]); e != nil && e.Verdict == repeats.Costlier {
			sum += float64(r.Tasks[i].Saving)
		}
	}
	for i := range r.AppCode.Rows {
		if e := r.Chance.Code(&r.AppCode.Rows[i]); e != nil && e.Verdict == repeats.Costlier {
			sum += float64(r.AppCode.Rows[i].Saving)
		}
	}
	return sum
}

// TestNoiseOfRealSamples repeats the measurements behind the constants: how much the numbers of
// samples vary between runs of one program. Small numbers vary like independent counts. Large
// numbers vary by at most RowNoise.
func TestNoiseOfRealSamples(t *testing.T) {
	for _, pattern := range real[:2] {
		var few, fewMean, many, manySquares float64
		files := repeated(t, pattern)
		for i, subject := range files {
			for _, reference := range files[i+1:] {
				r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}, Alpha: analysis.AutoAlpha})
				if err != nil {
					t.Fatal(err)
				}
				// A sample of these recordings is 10 ms.
				const sample = 4_440_000
				_, estimates := rows(r)
				for _, e := range estimates[1 : len(estimates)-2] {
					if e == nil {
						continue
					}
					n, m := e.Subject.Median/sample, e.Reference.Median/sample
					mean, square := (n+m)/2, (n-m)*(n-m)/2
					if mean < 4 {
						few, fewMean = few+square, fewMean+mean
					} else {
						many, manySquares = many+square-mean, manySquares+mean*mean
					}
				}
			}
		}
		counts, common := few/fewMean, many/manySquares
		t.Logf("%s: few samples vary %.2f times as counts, many by %.3f beyond that (%.0f%%)", pattern, counts, common, 100*math.Sqrt(common))
		if counts < 0.8 || counts > 1.2 {
			t.Errorf("few samples vary %.2f times as counts do", counts)
		}
		if common < 0.04 || common > analysis.RowNoise*analysis.RowNoise {
			t.Errorf("many samples vary by %.3f beyond counts, and %.3f is assumed", common, analysis.RowNoise*analysis.RowNoise)
		}
	}
}

// TestRunsFor checks the number of runs against the variation of few samples and the assumed noise.
func TestRunsFor(t *testing.T) {
	tree := build(t, trace.CountedCalls, steady)
	r, err := analysis.Trees(t.Context(), tree, tree, analysis.Options{Noise: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	few, many := r.Chance.RunsFor(0.5), r.Chance.RunsFor(0.05)
	if few < 2 || few > 5 || many < 60 || many > 75 || r.Chance.RunsFor(1e-6) != 0 {
		t.Errorf("%d runs show a half, %d a twentieth", few, many)
	}
}
