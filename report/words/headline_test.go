package words

import (
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestEvenly checks the factor by which all rows cost more, and the conclusion from it.
func TestEvenly(t *testing.T) {
	const all, most = "All 3 matched rows cost more by about the same factor: they use about ", "1,200 of 1,300 matched rows cost more by about the same factor: they use about "
	lasting := func(here, there time.Duration) *analysis.Result {
		return &analysis.Result{
			Subject: analysis.Input{Trace: &trace.Trace{Elapsed: here}}, Reference: analysis.Input{Trace: &trace.Trace{Elapsed: there}},
		}
	}
	unknown := lasting(0, 0)
	for _, c := range []struct {
		result   *analysis.Result
		headline finding.Headline
		want     string
	}{
		{unknown, finding.Headline{CommonFactor: repeats.CommonFactor{Factor: 1.2, Along: 3, Rows: 3}, Rows: 3}, all + "20% more, so they may have one cause."},
		{unknown, finding.Headline{CommonFactor: repeats.CommonFactor{Factor: 1.2, Along: 1200, Rows: 1300}, Rows: 3}, most + "20% more, so they may have one cause."},
		{unknown, finding.Headline{CommonFactor: repeats.CommonFactor{Factor: 1.05, Along: 3, Rows: 3}, Verdict: finding.More}, all + "5.0% more, and no single row costs more than chance explains."},
		{unknown, finding.Headline{CommonFactor: repeats.CommonFactor{Factor: 2, Along: 3, Rows: 3}, Verdict: finding.CannotTell, Basis: analysis.FromRepeats}, all + "100% more, which may be chance."},
		{lasting(9*time.Second, 8*time.Second), finding.Headline{CommonFactor: repeats.CommonFactor{Factor: 1.5, Along: 3, Rows: 3}, Verdict: finding.CannotTell}, all + "50% more. A slower run of the same program looks like that: record several runs of each side."},
		{lasting(12*time.Second, 8*time.Second), finding.Headline{CommonFactor: repeats.CommonFactor{Factor: 1.6, Along: 3, Rows: 3}, Verdict: finding.CannotTell}, all + "60% more. The recordings last 12 s and 8 s: the longer run did more, or was slower. If it did more, normalize by duration."},
	} {
		if got := commonFactor(c.result, &c.headline); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestRecorded checks the sentence about a difference that the recorder made.
func TestRecorded(t *testing.T) {
	const recording = "Most of the difference is the work of recording, not of the app."
	portion := func(code finding.PartCode, subject, reference units.Energy) finding.Portion {
		return finding.Portion{Code: code, Subject: subject * units.Millijoule, Reference: reference * units.Millijoule}
	}
	for _, c := range []struct {
		name                  string
		recorder, rest, there units.Energy
		want                  string
	}{
		{"all", 100, 0, 0, recording},
		{"most", 60, 40, 0, "Parts of the difference: recording the run +60.0 mJ, the unclear rest +40.0 mJ. " + recording},
		{"some", 40, 60, 0, "Parts of the difference: recording the run +40.0 mJ, the unclear rest +60.0 mJ."},
		{"of less", 0, 0, 100, recording},
		{"against the difference", 100, 0, 300, "Parts of the difference: recording the run +100 mJ, the unclear rest -300 mJ."},
	} {
		h := &finding.Headline{Portions: []finding.Portion{portion(finding.Recorder, c.recorder, 0), portion(finding.Unclear, c.rest, c.there)}}
		if c.name == "of less" {
			h.Portions = []finding.Portion{portion(finding.Recorder, 0, c.there)}
		}
		for _, p := range h.Portions {
			h.Difference += p.Difference()
		}
		if got := split(h, ScalePerFigure(nil, units.Volt)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestUnshown checks the reasons why more runs do not show a difference.
func TestUnshown(t *testing.T) {
	noise := func(source analysis.BuildSource) *analysis.Chance {
		c := &analysis.Chance{}
		c.Builds.Total, c.Builds.Source = 0.02, source
		return c
	}
	after := noise(analysis.BuildsAssumed)
	after.Order.Sequence = repeats.OneAfterOther
	const text = " With 2.0% noise between builds, more runs do not show a difference of 1.0%"
	for _, c := range []struct {
		chance *analysis.Chance
		want   string
	}{
		{&analysis.Chance{}, ""},
		{after, " Record the sides in turn."},
		{noise(analysis.BuildsStated), text + "."},
		{noise(analysis.BuildsAssumed), text + ", but recordings of equal builds (--equal-build) may show that this noise is smaller."},
	} {
		if got := detectionLimit(c.chance, &finding.Headline{MinRelevant: 0.01}); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
