package finding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/units"
)

// v8 writes a CPU profile of V8. Each function has a number of samples, one per millisecond.
func v8(t *testing.T, name string, samples map[string]int) string {
	t.Helper()
	var nodes, kids, ids, deltas []string
	at := 0
	for i, function := range []string{"load", "sort", "read", "(program)", "(idle)"} {
		url := "file:///shop/" + function + ".js"
		if function == "read" || function[0] == '(' {
			url = "" // V8's own frames and native functions have no script.
		}
		nodes = append(nodes, fmt.Sprintf(`{"id":%d,"callFrame":{"functionName":%q,"url":%q,"lineNumber":1,"columnNumber":1}}`, i+2, function, url))
		kids = append(kids, fmt.Sprint(i+2))
		for range samples[function] {
			ids, deltas = append(ids, fmt.Sprint(i+2)), append(deltas, "1000")
			at += 1000
		}
	}
	text := fmt.Sprintf(`{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1,"columnNumber":-1},"children":[%s]},%s],"startTime":0,"endTime":%d,"samples":[%s],"timeDeltas":[%s]}`,
		strings.Join(kids, ","), strings.Join(nodes, ","), at, strings.Join(ids, ","), strings.Join(deltas, ","))
	path := filepath.Join(t.TempDir(), name+".cpuprofile")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestElapsedTimeCannotBeJudged has V8 profiles. V8 marks idle time, but not the time in which a
// function waits for a file, for another thread, or for a processor. So a function that takes
// longer is no finding, and a gate that it would fail cannot be judged.
func TestElapsedTimeCannotBeJudged(t *testing.T) {
	read := func(load int) *analysis.Result {
		r, err := analysis.Compare(t.Context(), analysis.Options{
			Subject:   analysis.Side{Path: v8(t, "subject", map[string]int{"load": 200, "sort": 600, "(idle)": 50})},
			Reference: analysis.Side{Path: v8(t, "reference", map[string]int{"load": load, "sort": 20, "(idle)": 600})},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const waits = "may be threads that waited"
	// fires returns the result of a gate: "holds", "does not hold", or the error.
	fires := func(set *finding.Set, gate string) string {
		g, err := finding.ParseGate(gate)
		if err != nil {
			t.Fatal(err)
		}
		fired, err := g.Met(set)
		switch {
		case err != nil:
			return err.Error()
		case fired != nil:
			return "holds"
		}
		return "does not hold"
	}

	elapsed := finding.New(read(200))
	for gate, want := range map[string]string{
		"saving>5%": waits, "row>5%": waits, "row>10mJ": waits,
		"row>5% and total>5%": waits, "saving>99%": "does not hold", "row>99%": "does not hold", "unmatched>5%": "does not hold",
	} {
		if got := fires(elapsed, gate); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", gate, got, want)
		}
	}
	h := elapsed.Headline()
	if h.Rows != 0 || h.Savable != (finding.Interval{}) || !h.Elapsed || h.Verdict != finding.CannotTell {
		t.Errorf("the headline of elapsed time is %+v", h)
	}
	if s := elapsed.Standing(elapsed.Ranking()[0]); s.IsFinding || s.Doubt != finding.MayWait || !s.Unclear() || s.Costlier() || s.Saving.Least != 0 {
		t.Errorf("the first row of elapsed time is %+v", s)
	}
	sum := units.Energy(0)
	for _, p := range h.Portions {
		sum += p.Difference()
	}
	if sum != h.Difference {
		t.Errorf("the parts add up to %d, the difference is %d", sum, h.Difference)
	}

	// The same profiles, as if the time were processor time.
	r := read(200)
	r.Subject.Trace.Uncertain, r.Reference.Trace.Uncertain = 0, 0
	work := finding.New(r)
	for _, gate := range []string{"saving>5%", "row>5%", "row>10mJ"} {
		if got := fires(work, gate); got != "holds" {
			t.Errorf("%s of processor time: %s", gate, got)
		}
	}

	if h := work.Headline(); h.Rows != 1 || h.Elapsed {
		t.Errorf("the headline of processor time is %+v", h)
	}

	// Only a small part of the time is unknown. The row costs more even without it.
	r = read(700)
	r.Subject.Trace.Uncertain, r.Reference.Trace.Uncertain = r.Subject.Energy/5, r.Subject.Energy
	if most := finding.New(r); most.Headline().Rows != 1 || !most.Headline().Elapsed || fires(most, "row>5%") != "holds" {
		t.Errorf("with a fifth unknown, %d rows count, and the gate: %s", most.Headline().Rows, fires(most, "row>5%"))
	}
}

// TestStatedProcessorTime checks that the user may state that V8's elapsed time is processor time.
// A function that works longer is then a finding. Native functions may wait, so their time costs
// nothing.
func TestStatedProcessorTime(t *testing.T) {
	compare := func(subject map[string]int) *finding.Set {
		side := func(name string, samples map[string]int) analysis.Side {
			return analysis.Side{Path: v8(t, name, samples)}
		}
		r, err := analysis.Compare(t.Context(), analysis.Options{
			Subject: side("subject", subject), Reference: side("reference", map[string]int{"load": 200, "sort": 20, "(idle)": 600}),
			Ingest: ingest.Options{SampleType: "cpu"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return finding.New(r)
	}
	if h := compare(map[string]int{"load": 200, "sort": 600, "(idle)": 50}).Headline(); h.Rows != 1 || h.Elapsed || h.Savable.Most != h.Difference {
		t.Errorf("work is no finding: %+v", h)
	}
	if h := compare(map[string]int{"load": 200, "sort": 20, "read": 900, "(program)": 300, "(idle)": 50}).Headline(); h.Rows != 0 || h.Difference != 0 {
		t.Errorf("time in native functions costs energy: %+v", h)
	}
}
