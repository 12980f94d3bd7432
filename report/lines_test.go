package report_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/units"
)

// writeLined writes a pprof file of a loop: Feed.bind:12 calls Feed.load, which spends most of its time
// at line 30. factor multiplies the time of that line.
func writeLined(t *testing.T, path string, factor int64) {
	t.Helper()
	bind := &profile.Function{ID: 1, Name: "com.example.Feed.bind", Filename: "Feed.java", StartLine: 10}
	load := &profile.Function{ID: 2, Name: "com.example.Feed.load", Filename: "Feed.java", StartLine: 29}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10_000_000,
		Function: []*profile.Function{bind, load}, DurationNanos: 5e9,
	}
	at := func(f *profile.Function, line int64) *profile.Location {
		l := &profile.Location{ID: uint64(len(p.Location) + 1), Line: []profile.Line{{Function: f, Line: line}}}
		p.Location = append(p.Location, l)
		return l
	}
	call, own := at(bind, 12), at(bind, 13)
	add := func(n int64, stack ...*profile.Location) {
		p.Sample = append(p.Sample, &profile.Sample{Location: stack, Value: []int64{n, n * 10_000_000}})
	}
	add(200*factor, at(load, 30), call)
	add(40, at(load, 31), call)
	add(4, at(load, 32), call)
	add(3, at(load, 33), call)
	add(60, own)
	add(9, at(bind, 0))
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLines renders the lines of a run and of two runs, and validates the JSON. The rows add up to the
// run.
func TestLines(t *testing.T) {
	schema, home := compileSchemas(t)["lines"], absolute(t, "testdata/lines/generated.txtar")
	got := &txtar.Archive{Comment: []byte("The lines of generated recordings. Written by go test ./report -update.\n")}
	t.Chdir(t.TempDir())
	writeLined(t, "new.pprof", 5)
	writeLined(t, "old.pprof", 1)
	for _, c := range []struct {
		golden, reference string
		byMethod          bool
		sort              string
	}{
		{"lines-one", "", false, report.BySelf}, {"lines-one-callees", "", false, report.ByAll}, {"lines-two", "old.pprof", false, report.BySelf},
		{"lines-methods", "old.pprof", true, report.BySelf}, {"lines-callees", "old.pprof", false, report.ByAll},
	} {
		o := analysis.Options{Subject: analysis.Side{Path: "new.pprof"}, Lines: true}
		var inputs []*analysis.Input
		if c.reference == "" {
			in, err := analysis.Read(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			inputs = append(inputs, in)
		} else {
			o.Reference.Path = c.reference
			r, err := analysis.Runs(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			inputs = append(inputs, &r.Subject, &r.Reference)
		}
		l := report.NewLines(inputs, "test", report.LinesOptions{Sort: c.sort, ByMethod: c.byMethod})
		var sum units.Energy
		for _, r := range l.Rows {
			sum += r.Subject.Own
		}
		if sum+l.Outside != inputs[0].Energy {
			t.Errorf("%s: rows of %d and %d outside, want %d", c.golden, sum, l.Outside, inputs[0].Energy)
		}
		found := l.Find("Feed.load")
		if len(found) != 1 {
			t.Fatalf("%s: %d methods Feed.load", c.golden, len(found))
		}
		var b bytes.Buffer
		if err := l.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		validate(t, schema, b.Bytes())
		b.Reset()
		if err := text.Lines(&b, l, report.Options{}); err != nil {
			t.Fatal(err)
		}
		got.Files = append(got.Files, txtar.File{Name: c.golden, Data: bytes.Clone(b.Bytes())})
		l.List("Feed.java", "", found[0], make([]string, 40), 29, 34)
		if two := c.reference != "" && !c.byMethod; l.Source != nil && (l.Source.Lines[1].Reference != nil) != two {
			t.Errorf("%s: the listing compares %+v", c.golden, l.Source.Lines[1])
		}
		if l.Source == nil || len(l.Source.Lines) != 6 || math.Abs(l.Source.Lines[1].Subject.OwnShare-0.90) > 0.05 {
			t.Errorf("%s: the listing is %+v", c.golden, l.Source)
		}
		b.Reset()
		if err := l.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		validate(t, schema, b.Bytes())
	}
	hold(t, home, got)
}

// absolute returns the absolute form of a path.
func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAdviceOnPositions reads a recording whose interpreted code has positions. Its lines need the APK.
func TestAdviceOnPositions(t *testing.T) {
	const path = "../../shared/data/simpleperf/aosp-perf_display_bitmaps.data"
	if _, err := os.Stat(path); err != nil {
		t.Skip("../shared/data is not here")
	}
	in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}, Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	got := report.NewLines([]*analysis.Input{in}, "test", report.LinesOptions{Sort: report.BySelf}).Precision()
	if want := "no sample has a source line: some samples have positions in DEX code"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMeteredPairs compares a run with measured energy with itself, and with a run whose meter
// shows three times the energy of everything. A higher power of the device could also explain this,
// so no single line may be reported to cost more.
func TestMeteredPairs(t *testing.T) {
	schema, folder := compileSchemas(t)["lines"], "../lines/metered/testdata/"
	table, err := os.ReadFile(folder + "simulated.csv")
	if err != nil {
		t.Fatal(err)
	}
	triple := filepath.Join(t.TempDir(), "triple.csv")
	if err := os.WriteFile(triple, bytes.Replace(table, []byte("energy_total_mJ"), []byte("energy_total_J"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, meter := range []string{folder + "simulated.csv", triple} {
		side := func(with string) analysis.Side {
			return analysis.Side{Path: folder + "simulated.calls", With: []string{with}}
		}
		o := analysis.Options{Subject: side(meter), Reference: side(folder + "simulated.csv"), Lines: true, Unprocessed: true}
		r, err := analysis.Runs(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		inputs := []*analysis.Input{&r.Subject, &r.Reference}
		show := report.LinesOptions{Sort: report.BySelf}
		for i, to := range []**metered.Result{&show.Metered, &show.MeteredReference} {
			if *to, err = analysis.Metered(t.Context(), inputs[i], o, i, false); err != nil {
				t.Fatal(err)
			}
		}
		l := report.NewLines(inputs, "test", show)
		if l.MeteredPairs == nil || len(l.MeteredPairs.Rows) < 50 {
			t.Fatalf("the pairs are %+v", l.MeteredPairs)
		}
		for _, p := range l.MeteredPairs.Rows {
			if p.Each != report.LineUnclear || meter != triple && (p.Why() != "unclear" || p.Saving != 0) {
				t.Errorf("%s:%d differs by %d: %s", p.Method, p.Line, p.Saving, p.Why())
			}
		}
		var b bytes.Buffer
		if err := l.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		validate(t, schema, b.Bytes())
		b.Reset()
		if err := text.Lines(&b, l, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if meter != triple && !strings.Contains(b.String(), "measured by meter") {
			t.Errorf("the heading does not have the measured energy:\n%s", b.String())
		}
	}
}

// TestMeteredJSON validates the JSON of measured lines. Its parts add up to the measured energy.
func TestMeteredJSON(t *testing.T) {
	schema, folder := compileSchemas(t)["lines"], "../lines/metered/testdata/"
	o := analysis.Options{Subject: analysis.Side{Path: folder + "simulated.calls", With: []string{folder + "simulated.csv"}}, Lines: true}
	in, err := analysis.Read(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []bool{false, true} {
		result, err := analysis.Metered(t.Context(), in, o, 0, printed)
		if err != nil || result == nil || result.Reason != "" {
			t.Fatalf("%+v, %v", result, err)
		}
		l := report.NewLines([]*analysis.Input{in}, "test", report.LinesOptions{Sort: report.BySelf, Metered: result})
		l.List("Sim.java", "", l.Find("Sim.m0")[0], make([]string, 30), 1, 21)
		if line := l.Source.Lines[15]; line.Metered == nil || line.Metered.Energy == nil || (line.Metered.Least == nil) != printed {
			t.Errorf("printed %v: the listing has %+v", printed, line.Metered)
		}
		var b bytes.Buffer
		if err := l.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		validate(t, schema, b.Bytes())
		if m := l.Metered; m.Lined+m.Unlined+m.Probes+m.Events+m.Idle+m.Rest != m.Metered || len(m.Rows) == 0 {
			t.Errorf("printed %v: the parts are %+v", printed, m)
		}
	}
}
