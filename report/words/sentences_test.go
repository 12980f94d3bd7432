package words_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A speaker lists calls of functions with the texts that they return.
type speaker struct{ bytes.Buffer }

// say calls a function and notes its arguments and results. Scales and comparisons are not
// noted.
func (s *speaker) say(f any, args ...any) {
	v := reflect.ValueOf(f)
	name := runtime.FuncForPC(v.Pointer()).Name()
	name = name[strings.LastIndex(name, ".")+1:]
	in := make([]reflect.Value, len(args))
	var noted []string
	for i, a := range args {
		in[i] = reflect.ValueOf(a)
		if a == nil {
			in[i] = reflect.Zero(v.Type().In(i))
		}
		switch value := reflect.Indirect(in[i]); {
		case !value.IsValid():
			noted = append(noted, "none")
		case in[i].Kind() == reflect.Pointer && value.Kind() == reflect.Struct, value.Type() == reflect.TypeFor[words.Scale]():
		case value.Type() == reflect.TypeFor[units.Energy]():
			noted = append(noted, fmt.Sprint(value.Int()))
		case value.Type() == reflect.TypeFor[words.Setup]():
			fields, err := json.Marshal(value.Interface())
			if err != nil {
				panic(err)
			}
			noted = append(noted, string(fields))
		default:
			noted = append(noted, fmt.Sprintf("%+v", value.Interface()))
		}
	}
	var out []string
	call := v.Call
	if v.Type().IsVariadic() && len(args) == v.Type().NumIn() && in[len(in)-1].Kind() == reflect.Slice {
		call = v.CallSlice
	}
	for _, r := range call(in) {
		out = append(out, fmt.Sprint(r.Interface()))
	}
	fmt.Fprintf(s, "%s(%s)\n\t%s\n", name, strings.Join(noted, ", "), strings.Join(out, "\n\t"))
}

// hold compares the list with a golden file.
func (s *speaker) hold(t *testing.T, path string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, s.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(s.Bytes(), want) {
		return
	}
	is, was := strings.Split(s.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(is), len(was)) {
		if is[i] != was[i] {
			t.Fatalf("%s: line %d is\n%s\nwant\n%s\nread the difference after go test ./report/words -update", path, i+1, is[i], was[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", path, len(is), len(was))
}

func to[T any](v T) *T { return &v }

// TestSentences lists the sentences that need no comparison. Each case of a function has its own
// line.
func TestSentences(t *testing.T) {
	var s speaker
	scale := words.ScalePerFigure(nil, units.DefaultVoltage)
	for _, v := range []words.Verdict{words.OnlyHere, words.Perhaps, words.Dearer, words.Cheaper, words.Same, words.Unclear} {
		s.say(words.Verdict.Words, v)
		s.say(words.Verdict.Mark, v)
		s.say(words.Saving, v, units.Energy(1_234_567), scale)
		s.say(words.Saving, v, units.Energy(0), scale)
		s.say(words.Saving, v, units.Energy(-5_000), scale)
	}
	for _, k := range []finding.Kind{finding.SubjectOnlyKind, finding.PossibleKind, finding.DearerKind, finding.CheaperKind, finding.SameKind} {
		for _, saving := range []units.Energy{0, 5} {
			s.say(words.VerdictOf, finding.Standing{Kind: k}, saving)
			s.say(words.VerdictOf, finding.Standing{Kind: k, Doubt: finding.Chance}, saving)
		}
	}
	for _, code := range []string{"path", "hierarchy", "moved", "delegate", "renamed", "likeness", ""} {
		for _, distance := range []int{0, 1, 2} {
			s.say(words.Match, code, distance)
		}
	}
	s.say(words.Intermediary, "", "")
	s.say(words.Intermediary, "OkHttp", "")
	s.say(words.Intermediary, "", "a.B")
	s.say(words.Intermediary, "OkHttp", "a.B")
	for _, kind := range []trace.Calls{trace.NoCalls, trace.CountedCalls, trace.EstimatedCalls} {
		for _, n := range []int64{0, 1, 1234} {
			s.say(words.Times, kind, n)
			s.say(words.Part, kind, n, int64(1234), units.Energy(n), units.Energy(1234), scale)
		}
		s.say(words.Part, kind, int64(5), int64(4), units.Energy(3), units.Energy(1234), scale)
		s.say(words.Part, kind, int64(4), int64(4), units.Energy(3), units.Energy(1234), scale)
		s.say(words.Counts, []trace.Calls{kind, kind})
	}
	for _, e := range []units.Energy{-2000, 0, 2000} {
		s.say(words.Split, e, units.Energy(0), scale)
		s.say(words.Split, e, units.Energy(3000), scale)
		s.say(words.Split, e, units.Energy(-3000), scale)
	}
	for _, n := range []int{0, 1, 2} {
		s.say(words.Rows, n, 0)
		s.say(words.Rows, n, 1)
		s.say(words.Rows, n, 3)
		s.say(words.Ignored, finding.Removed{Tasks: n})
		s.say(words.Ignored, finding.Removed{Code: n, Wastes: n})
		s.say(words.Inside, n)
		s.say(words.MatchedTasks, n, 3, n, units.Energy(n), units.Energy(3), "energy")
		s.say(words.MoreLines, n)
		s.say(words.MeanOf, n)
		s.say(words.APISums, n)
		s.say(words.APIOverloads, n)
		s.say(words.Needed, n)
		s.say(words.Repeat, n, "1.2")
		s.say(words.Entries, n)
		s.say(words.Between, n, "a", "b", "c", 3)
		s.say(words.GroupSpread, 1, n+1)
		s.say(words.GroupSpread, n+1, n+1)
		s.say(words.GroupUnsaved, n, errors.New("no space"))
		s.say(words.SteadyTrend, n, 4, 0.2)
		s.say(words.Judged, 1000, n, 0.05)
		s.say(words.Machine, int64(n), []string{"idle", "sending"})
		s.say(words.InputOutput, 0.25, n, 3)
		s.say(words.TopUnlisted, "method", n, 0, "0.1%")
		s.say(words.TopUnlisted, "class", n, 2, "0.1%")
		s.say(words.PathCounts, int64(n), int64(n), int64(n), int64(n))
		s.say(words.PathCounts, int64(7), int64(0), int64(n), int64(0))
	}
	for _, by := range []string{"method", "package", "caller", "library", "class", "line", "thread", "component"} {
		s.say(words.Grouped, by, false)
		s.say(words.Grouped, by, true)
		s.say(words.RowNoun, by)
		s.say(words.ProfileTitle, by, "self", "energy")
		s.say(words.TopTitle, by, "self", "energy")
		s.say(words.TopTitle, by, "all", "total")
		s.say(words.TopTitle, by, "saving", "energy")
		s.say(words.LinesLegend, false, by)
		s.say(words.LinesTitle, true, "line", by, "energy")
		s.say(words.LinesTitle, false, "line", by, "energy")
	}
	for _, b := range []bool{false, true} {
		s.say(words.TaskOrder, b, b)
		s.say(words.TaskOrder, b, !b)
		s.say(words.DifferenceHeading, b)
		s.say(words.WasteHeading, b)
		s.say(words.OutsideSystem, b)
		s.say(words.NoTasks, b)
		s.say(words.TopLegend, b)
		s.say(words.ListingLegend, b)
		s.say(words.Repeats, []string{"one", "two"}, b)
		s.say(words.MeasuredToo, "by samples", b)
	}
	for _, f := range []eflask.Found{eflask.Exact, eflask.Path} {
		for _, e := range []eflask.Evidence{
			{Likelihood: 1, Name: 1, Below: eflask.Unknown, Around: eflask.Unknown},
			{Likelihood: eflask.Unknown, Name: 1, Below: eflask.Unknown, Around: eflask.Unknown},
			{Likelihood: 0.84, Name: 0.6, Below: 0.7, Around: 0.4, Rival: 0.3},
			{Likelihood: 0.999, Name: 1, Below: 0, Around: 0},
			{Likelihood: 1, Stated: 0.5, OtherCallers: true, Name: 1, Below: 0.25, Around: eflask.Unknown},
		} {
			s.say(words.Confidence, f, e)
		}
	}
	for _, share := range []float64{0, 0.0001, 0.3, 1} {
		s.say(words.Bundled, share, int64(3), int64(100))
		s.say(words.Chance, share)
		s.say(words.LinesUncounted, share)
		s.say(words.LinesUnsampled, share, 0.4)
		s.say(words.Heat, share)
		s.say(words.LinePrecision, "lines", share, 12.0, 3.5, "")
		s.say(words.LinePrecision, "methods", share, 12.0, 3.5, "use --symfs")
		s.say(words.LinePrecision, "methods", share, 12.0, 0.0, "use --symfs")
		s.say(words.LinePrecision, "nothing", share, 0.0, 0.0, "use --symfs")
		s.say(words.PathCost, share, int64(0), int64(0))
		s.say(words.PathCost, share, int64(5_000_000), int64(3))
		s.say(words.Battery, units.Energy(5e9), share, units.Charge(3000e6), units.DefaultVoltage)
	}
	for _, reason := range []string{"length", "sampled-vs-instrumented", "other"} {
		s.say(words.GroupUnranked, 1, 3, map[string]int{reason: 1})
		s.say(words.GroupUnranked, 3, 3, map[string]int{reason: 1, "length": 2})
	}
	s.say(words.GroupEqual, "a", "b")
	s.say(words.GroupOneApp, []string{"a", "b", "c"})
	s.say(words.GroupNoTasks, "a")
	s.say(words.NoRepeats, "a", "b")
	s.say(words.BetweenUnknown, "a", "b", "the folder is no repository")
	s.say(words.Since, "1.2", "1.2", "1.2")
	s.say(words.Since, "1.2", "1.1", "1.3")
	for _, growth := range []*float64{nil, to(0.25), to(-0.1)} {
		s.say(words.Growth, growth)
		s.say(words.DetectableGrowth, growth)
		s.say(words.HistoryShown, "this history", 3, 5, growth, nil)
		s.say(words.HistoryShown, "this history", 1, 1, growth, to(0.1))
		s.say(words.NoiseTotal, 5, 0.03, growth, 0, 0.1, 0.8)
		s.say(words.NoiseTotal, 1, 0.03, growth, 7, 0.1, 0.8)
		s.say(words.NoiseSetup, words.Setup{Sought: 0.05, Least: growth, AloneRuns: 4})
		s.say(words.NoiseSetup, words.Setup{Sought: 0.05, Least: growth, Runs: 3, AloneLeast: to(0.01), Builds: analysis.BuildNoise{Total: 0.02}})
		s.say(words.GrowthShown, 3, growth, 0.0, &analysis.Chance{})
		s.say(words.GrowthShown, 1, growth, 0.07, &analysis.Chance{})
		s.say(words.LastingChange, units.Energy(5e6), to(units.Energy(4e6)), to(units.Energy(6e6)), growth, scale)
		s.say(words.LastingChange, units.Energy(-5e6), nil, nil, growth, scale)
	}
	s.say(words.NoiseLegend, 5, 100, 0.1, 0.8, 0.05)
	for _, least := range []units.Energy{100, 2000, 3000} {
		in := finding.Interval{Least: least, Most: 3000}
		s.say(words.Interval, units.Energy(3000), in, scale)
		s.say(words.LineFigure, scale, units.Energy(3000), least, units.Energy(3300))
		s.say(words.Estimate, units.Energy(3000), least, units.Energy(3300), "regression", scale)
	}
	for _, verdict := range []string{"regression", "improvement", "no evidence", "same", ""} {
		s.say(words.Shown, verdict)
		s.say(words.Spent, scale, units.Energy(5000), to(int64(3)), true, verdict)
		s.say(words.Spent, scale, units.Energy(5000), nil, false, verdict)
	}
	for _, name := range []string{"cpu", "cellular", "wifi", "gps", "screen", "disk", "other"} {
		s.say(words.Component, name)
	}
	s.say(words.Drain, "cellular", units.Energy(5e6), units.Energy(2e6), units.Energy(0), nil, nil, scale)
	s.say(words.Drain, "cellular", units.Energy(5e6), units.Energy(0), units.Energy(3e6), to(units.Energy(4e6)), to(units.Energy(6e6)), scale)
	s.say(words.Usage, trace.Usage{})
	s.say(words.Usage, trace.Usage{Working: time.Second, Waiting: 3 * time.Second, Unknown: time.Second})
	s.say(words.Usage, trace.Usage{Working: time.Second, Unrecorded: time.Second})
	for _, d := range []finding.Doubt{finding.NoDoubt, finding.TwoKinds, finding.LittleInCommon, finding.PossibleCounterpart, finding.MayWait, finding.ByModel, finding.Chance} {
		s.say(words.Doubt, d)
	}
	s.say(words.APIShare, int64(1), int64(3))
	s.say(words.APISites, int64(1), int64(3))
	s.say(words.APICalls, "Activity.finish", int64(1), units.Energy(5), units.Energy(5), scale)
	s.say(words.APICalls, "Activity.finish", int64(3), units.Energy(5), units.Energy(15), scale)
	s.say(words.APICosts, int64(1), int64(2), int64(0), "android.*")
	s.say(words.APICosts, int64(2), int64(2), int64(1), "android.*")
	s.say(words.Activity, "main", 2.5)
	s.say(words.BatteryUseLegend, "b.txt", units.Charge(5e6), units.Charge(5e6), units.Charge(5e6))
	s.say(words.BatteryUseLegend, "b.txt", units.Charge(5e6), units.Charge(4e6), units.Charge(6e6))
	s.say(words.ShareOf, "a.B.c", units.Energy(1), units.Energy(3))
	s.say(words.TopMethods, []string{"a"}, 0.1)
	s.say(words.TopMethods, []string{"a", "b"}, 0.0)
	s.hold(t, "testdata/sentences.txt")
}

// TestComparisons lists the sentences on the comparisons of the reports' golden files.
func TestComparisons(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	nano, err := units.ParseValueUnit("nJ")
	if err != nil {
		t.Fatal(err)
	}
	var s speaker
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		o := analysis.Options{Ingest: ingest.Options{Unit: nano}, Alpha: analysis.AutoAlpha, Coverage: true, Matching: eflask.Options{Threads: 1}}
		dir := t.TempDir()
		for _, f := range archive.Files {
			path := filepath.Join(dir, f.Name)
			switch name, _, _ := strings.Cut(f.Name, "."); {
			case f.Name == "options.json":
				if err := json.Unmarshal(f.Data, &o); err != nil {
					t.Fatal(err)
				}
			case name == "subject":
				o.Subject.Path = path
			case name == "reference":
				o.Reference.Path = path
			default:
				continue
			}
			if err := os.WriteFile(path, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasSuffix(o.Subject.Path, ".calls") {
			continue // Only the tests of package report can make a trace from this section.
		}
		r, err := analysis.Compare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "\n== %s\n", filepath.Base(file))
		set := finding.New(r)
		scale := words.ScalePerFigure(nil, r.Voltage)
		for _, sentence := range words.NewHeadline(set, scale).Sentences() {
			fmt.Fprintln(&s, sentence)
		}
		s.say(words.Matched, r)
		s.say(words.Basis, r)
		s.say(words.Untested, &r.Subject, &r.Reference)
		s.say(words.BothRuns, r, units.Energy(5000), units.Energy(3000), int64(4), scale)
		for task := range r.Tasks {
			s.say(words.Finding, set, task, scale)
			s.say(words.Moved, r, task, scale)
		}
		for row := range r.AppCode.Rows {
			s.say(words.CodeFinding, set, row, scale)
		}
	}
	s.hold(t, "testdata/comparisons.txt")
}
