package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	meter "github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// TestRelativePath makes paths relative to a folder. Paths outside of it have none.
func TestRelativePath(t *testing.T) {
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Dir(folder)
	for _, c := range []struct {
		root, path, want string
		ok               bool
	}{
		{folder, "small_test.go", "small_test.go", true},
		{root, "small_test.go", "report/small_test.go", true},
		{root, folder, "report", true},
		{folder, "..", "", false},
		{folder, filepath.Join("..", "other", "a.go"), "", false},
		{folder, "..hidden", "..hidden", true},
		{"", "small_test.go", "", false},
	} {
		if got, ok := report.RelativePath(c.root, c.path); got != c.want || ok != c.ok {
			t.Errorf("%s in %q is %q %v, want %q %v", c.path, c.root, got, ok, c.want, c.ok)
		}
	}
}

// TestOtherCalls lists more calls than reports for people show.
func TestOtherCalls(t *testing.T) {
	var m report.Metered
	scale := words.ScalePerFigure(nil, 0)
	for i := range 12 {
		if got := m.OtherCalls(scale); (got != "") != (i > 10) {
			t.Errorf("%d calls: the others are %q", i, got)
		}
		m.Calls = append(m.Calls, report.MeteredEvent{Count: int64(1 + i), Energy: units.Energy(100+i) * units.Millijoule})
	}
	if got, want := m.OtherCalls(scale), scale.Energy(221*units.Millijoule)+"  "+words.MeteredOtherCalls(2, 23); got != want || len(m.ListedCalls()) != 10 {
		t.Errorf("the others are %q, want %q", got, want)
	}
}

// TestNamesOfSeries checks the names of series of a trend. A long line of source text is cut.
func TestNamesOfSeries(t *testing.T) {
	made := &report.Trend{Methods: report.Methods{}}
	for _, label := range []string{"p.A.a()V", "p.B.b()V", "p.C.c()V"} {
		made.Methods[label] = name.Parse(label, name.JVM)
	}
	for want, s := range map[string]report.TrendSeries{
		"the whole run": {Kind: "run"},
		"A.a":           {Kind: "method", Method: "p.A.a()V"},
		"A.a, from B.b": {Kind: "task", Method: "p.A.a()V", Path: []string{"p.C.c()V", "p.B.b()V", "p.A.a()V"}},
		"A.a:7 (x = 1)": {Kind: "line", Method: "p.A.a()V", Line: 7, Text: "x = 1"},
		"A.a:7 (" + strings.Repeat("é", 60) + ")":  {Kind: "line", Method: "p.A.a()V", Line: 7, Text: strings.Repeat("é", 60)},
		"A.a:8 (" + strings.Repeat("é", 59) + "…)": {Kind: "line", Method: "p.A.a()V", Line: 8, Text: strings.Repeat("é", 61)},
	} {
		if got := made.Name(&s); got != want {
			t.Errorf("%+v is %q, want %q", s, got, want)
		}
	}
}

// TestEvident checks which verdicts are evidence.
func TestEvident(t *testing.T) {
	for verdict, want := range map[string]bool{repeats.Costlier.String(): true, repeats.Cheaper.String(): true, repeats.NoEvidence.String(): false} {
		if got := (&report.Evidence{Verdict: verdict}).Evident(); got != want {
			t.Errorf("%s is evident: %v", verdict, got)
		}
	}
	if (*report.Evidence)(nil).Evident() {
		t.Error("no evidence is evident")
	}
}

// TestDoubtsOfMeasuredLines checks that lines with measured energy have no warning about a missing
// clock, and that other lines do.
func TestDoubtsOfMeasuredLines(t *testing.T) {
	warnings := []report.Note{{Code: meter.Unclocked}, {Code: "other"}}
	measured := &report.Lines{Warnings: warnings, Reference: &report.Input{}, MeteredPairs: &report.MeteredPairs{}}
	for want, l := range map[int]*report.Lines{1: measured, 2: {Warnings: warnings}} {
		if got := l.Doubts(); len(got) != want || got[len(got)-1].Code != "other" {
			t.Errorf("doubts %v, want %d", got, want)
		}
	}
	if len(warnings) != 2 || warnings[0].Code != meter.Unclocked {
		t.Errorf("the warnings became %v", warnings)
	}
}
