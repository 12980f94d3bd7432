package words

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestReasons states why a task uses more. Samples can miss a call, so a call that was not sampled is
// only not shown.
func TestReasons(t *testing.T) {
	counted, sampled := trace.CountedCalls, trace.EstimatedCalls
	for _, c := range []struct {
		found              eflask.Found
		kind               analysis.ReasonKind
		node               int32
		subject, reference trace.Calls
		want               string
	}{
		{eflask.Exact, analysis.MoreCalls, 0, counted, counted, "most of the difference comes from the number of calls: 7 compared with 3"},
		{eflask.Unmatched, analysis.Lacking, 0, counted, counted, "most of it is under M"},
		{eflask.Exact, analysis.Lacking, 5, counted, counted, "most of the difference is under M, which the reference does not call there"},
		{eflask.Exact, analysis.Lacking, 0, sampled, counted, "most of the difference is under M, which the reference does not call there"},
		{eflask.Exact, analysis.Lacking, 0, counted, sampled, "most of the difference is under M, which the reference does not show there"},
		{eflask.Exact, analysis.Lacking, -1, counted, sampled, "most of the difference is under M, which only the reference calls there"},
		{eflask.Exact, analysis.Lacking, -1, sampled, counted, "most of the difference is under M, which only the reference shows there"},
		{eflask.Exact, analysis.Dearer, 0, counted, counted, "most of the difference is under M"},
		{eflask.Unmatched, analysis.Self, 0, counted, counted, ""},
		{eflask.Exact, analysis.Self, 0, counted, counted, "most of the difference is in the method itself"},
		{eflask.Exact, analysis.Spread, 0, counted, counted, "the difference is spread over many callees"},
	} {
		r := runs()
		r.Subject.Trace.Calls, r.Reference.Trace.Calls = c.subject, c.reference
		task := eflask.Task{Found: c.found, Calls: 7, PeerCalls: 3}
		if got := why(r, &task, analysis.Reason{Kind: c.kind, Subject: c.node}, func(string) string { return "M" }); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

// TestSavings states what could be saved, for each verdict.
func TestSavings(t *testing.T) {
	within := func(least, most units.Energy) finding.Interval {
		return finding.Interval{Least: least * mJ, Most: most * mJ}
	}
	for _, c := range []struct {
		h    finding.Headline
		want string
		not  string
	}{
		{finding.Headline{AllRows: 5, Doubt: finding.LittleInCommon, Rows: 2, Savable: within(1, 2)}, "little in common", "saved"},
		{finding.Headline{AllRows: 5, Savable: within(0, 10)}, "but the system does: up to 10.0 mJ could be saved, 5.0% of", "~"},
		{finding.Headline{AllRows: 5, Verdict: finding.More}, "The whole run costs more than chance explains, but no task", "saved"},
		{finding.Headline{AllRows: 5}, "No task or app code costs more than chance explains.", "saved"},
		{finding.Headline{AllRows: 5, Rows: 2, Verdict: finding.Less, Savable: within(10, 20)}, "Yet some rows cost more: 10.0 mJ could be saved, 5.0% of", "including"},
		{finding.Headline{AllRows: 5, Rows: 2, Verdict: finding.CannotTell, Savable: within(10, 20)}, "Some rows clearly cost more: 10.0 mJ could be saved, 5.0% of", "including"},
		{finding.Headline{AllRows: 5, Rows: 2, Verdict: finding.Less}, "2 rows cost more, but other rows of the same work cost less", "saved,"},
		{finding.Headline{AllRows: 5, Rows: 1, Verdict: finding.CannotTell}, "1 row costs more, but other rows of the same work cost less", "saved,"},
		{finding.Headline{AllRows: 5, Rows: 2, Verdict: finding.More, Savable: within(10, 10)}, "10.0 mJ could be saved, 5.0% of", "including"},
		{finding.Headline{AllRows: 5, Rows: 2, Verdict: finding.More, Savable: within(10, 20)}, "10.0 mJ could be saved, 5.0% of new.csv; 20.0 mJ including the system.", "moved"},
		{finding.Headline{AllRows: 5, Rows: 2, Verdict: finding.More, Savable: within(10, 20), Moved: 10 * mJ}, "20.0 mJ including code that may have moved", "the system"},
		{finding.Headline{AllRows: 5, Rows: 2, Verdict: finding.More, Savable: within(10, 20), Moved: 9 * mJ}, "20.0 mJ including the system, and code that may have moved", "all rows"},
		{finding.Headline{AllRows: 5, Rows: 2, Verdict: finding.More, Savable: within(10, 20), Moved: 6 * mJ, Shifted: 4 * mJ}, "calls, and what all rows use more.", "the system"},
		{finding.Headline{AllRows: 5, Rows: 2, Verdict: finding.More, Savable: within(10, 20), Moved: 6 * mJ, Shifted: 3 * mJ}, "including the system, and code", "~"},
	} {
		c.h.Subject = 200 * mJ
		if got := saving(runs(), &c.h, ScalePerFigure(nil, 0)); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%+v: %q, want %q without %q", c.h, got, c.want, c.not)
		}
	}
}

// TestRecorderCauses checks when the work of recording is most of a difference.
func TestRecorderCauses(t *testing.T) {
	for _, c := range []struct {
		recorder, all units.Energy
		want          bool
	}{{6, 10, true}, {5, 10, false}, {-6, 10, false}, {-6, -10, true}, {-5, -10, false}, {6, -10, false}, {1, 0, false}, {0, 0, false}} {
		h := &finding.Headline{Difference: c.all, Portions: []finding.Portion{{Code: finding.System, Subject: 1}, {Code: finding.Recorder, Subject: max(c.recorder, 0), Reference: max(-c.recorder, 0)}}}
		if got := recorded(h); got != c.want {
			t.Errorf("%d of %d: %v", c.recorder, c.all, got)
		}
	}
	if recorded(&finding.Headline{Difference: 5}) {
		t.Error("a run without a recorder's work has some")
	}
}
