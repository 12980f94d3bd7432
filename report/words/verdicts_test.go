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

const mJ = units.Millijoule

// runs returns the result of a comparison of two files, without rows.
func runs() *analysis.Result {
	return &analysis.Result{
		Subject:   analysis.Input{Path: "new.csv", Trace: &trace.Trace{Elapsed: time.Second}, Energy: 200 * mJ},
		Reference: analysis.Input{Path: "old.csv", Trace: &trace.Trace{Elapsed: time.Second}, Energy: 100 * mJ},
		Chance:    &analysis.Chance{},
	}
}

// TestVerdicts checks the sentence about both runs, for each verdict.
func TestVerdicts(t *testing.T) {
	base := finding.Headline{Subject: 200 * mJ, Reference: 100 * mJ, Difference: 100 * mJ, MinRelevant: 0.01}
	within := finding.Interval{Least: 50 * mJ, Most: 150 * mJ}
	for _, c := range []struct {
		name string
		make func(h *finding.Headline, r *analysis.Result)
		want string
	}{
		{"more", func(h *finding.Headline, _ *analysis.Result) { h.Verdict, h.Interval = finding.More, within },
			"new.csv uses 100 mJ more than old.csv: 200 mJ compared with 100 mJ, +100.0% (+50.0% to +150.0%)."},
		{"less", func(h *finding.Headline, _ *analysis.Result) {
			h.Verdict, h.Subject, h.Difference = finding.Less, 40*mJ, -60*mJ
		}, "new.csv uses 60.0 mJ less than old.csv: 40.0 mJ compared with 100 mJ, -60.0%."},
		{"more than nothing", func(h *finding.Headline, _ *analysis.Result) { h.Verdict, h.Reference = finding.More, 0 },
			"new.csv uses 100 mJ more than old.csv: 200 mJ compared with 0 nJ."},
		{"no difference that matters", func(h *finding.Headline, _ *analysis.Result) {
			h.Verdict, h.Subject, h.Difference = finding.NoDifference, 101*mJ, mJ
		}, "No difference in total that matters (1.0%): new.csv uses 101 mJ, old.csv uses 100 mJ, +1.0%."},
		{"no difference at all", func(h *finding.Headline, _ *analysis.Result) {
			h.Verdict, h.Subject, h.Difference = finding.NoDifference, 100*mJ, 0
		}, "No difference in total: new.csv uses 100 mJ, old.csv uses 100 mJ."},
		{"no difference within an interval", func(h *finding.Headline, _ *analysis.Result) {
			h.Verdict, h.Subject, h.Difference, h.Interval = finding.NoDifference, 100*mJ, 0, finding.Interval{Least: -mJ, Most: mJ}
		}, "No difference in total that matters (1.0%): new.csv uses 100 mJ, old.csv uses 100 mJ, 0.0% (-1.0% to +1.0%)."},
		{"equal rows", func(h *finding.Headline, _ *analysis.Result) {
			h.Verdict, h.Equal, h.Subject, h.Difference = finding.NoDifference, true, 100*mJ, 0
		}, "No difference: new.csv uses 100 mJ, old.csv uses 100 mJ, and every row is equal. The files look like copies of one recording."},
		{"equal numbers of calls", func(h *finding.Headline, r *analysis.Result) {
			h.Verdict, h.Equal, h.Subject, h.Difference, r.Chance.Basis = finding.NoDifference, true, 100*mJ, 0, analysis.FromCounts
		}, "No difference: new.csv uses 100 mJ, old.csv uses 100 mJ, and both make equal numbers of calls."},
		{"unclear", func(h *finding.Headline, _ *analysis.Result) {
			h.Verdict, h.Interval = finding.CannotTell, finding.Interval{Least: -50 * mJ, Most: 250 * mJ}
		}, "Unclear which uses more: new.csv 200 mJ, old.csv 100 mJ, +100.0% (-50.0% to +250.0%)."},
		{"by the model", func(h *finding.Headline, _ *analysis.Result) {
			h.ByModel, h.Model = true, finding.Interval{Least: -10 * mJ, Most: 300 * mJ}
		}, "Unclear which uses more: new.csv 200 mJ, old.csv 100 mJ. The result depends on assumed figures of the power model: the difference is between -10.0 mJ and 300 mJ."},
		{"elapsed time", func(h *finding.Headline, _ *analysis.Result) {
			h.Elapsed, h.SubjectLeast, h.ReferenceLeast = true, 20*mJ, 30*mJ
		}, "Unclear which uses more: new.csv 20.0 to 200 mJ, old.csv 30.0 to 100 mJ, because threads may have waited in part of the time."},
		{"damaged times", func(h *finding.Headline, r *analysis.Result) {
			h.Elapsed, h.SubjectLeast, h.ReferenceLeast = true, 20*mJ, 30*mJ
			r.Subject.Trace.Uncertain = mJ
			r.Subject.Trace.Warnings = []trace.Warning{{Code: trace.ImpossibleTime}}
		}, "Unclear which uses more: new.csv 20.0 to 200 mJ, old.csv 30.0 to 100 mJ, because a part of the times is damaged."},
		{"uncertain times", func(h *finding.Headline, r *analysis.Result) {
			h.Elapsed, h.SubjectLeast, h.ReferenceLeast = true, 20*mJ, 30*mJ
			r.Reference.Trace.Uncertain = mJ
		}, "Unclear which uses more: new.csv 20.0 to 200 mJ, old.csv 30.0 to 100 mJ, because the recordings do not show how much of the time was work."},
		{"same content", func(h *finding.Headline, _ *analysis.Result) { h.Verdict = finding.SameContent },
			"new.csv and old.csv have the same content: 200 mJ each."},
		{"same content of one name", func(h *finding.Headline, r *analysis.Result) {
			h.Verdict, r.Reference.Path = finding.SameContent, "new.csv"
		}, "Both files have the same content: 200 mJ each."},
		{"same recordings", func(h *finding.Headline, r *analysis.Result) {
			h.Verdict, r.Subject.Runs = finding.SameContent, []analysis.Run{{}}
		}, "The two sides are the same recordings: 200 mJ per run on each side."},
		{"two kinds", func(h *finding.Headline, _ *analysis.Result) { h.Verdict = finding.NotComparable },
			"new.csv and old.csv have figures of two kinds, which cannot be compared."},
		{"nothing", func(h *finding.Headline, _ *analysis.Result) { h.Verdict = finding.NothingRecorded },
			"Neither new.csv nor old.csv recorded any energy."},
	} {
		h, r := base, runs()
		c.make(&h, r)
		if got := verdict(r, &h, ScalePerFigure(nil, units.Volt)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestWithoutKnown checks the difference without the rows that a baseline accepts.
func TestWithoutKnown(t *testing.T) {
	s := ScalePerFigure(nil, units.Volt)
	for want, h := range map[string]finding.Headline{
		"":                                       {Reference: 100 * mJ, Remainder: finding.Remainder{Difference: 5 * mJ}},
		" Without 1 known row: +5.00 mJ, +5.0%.": {Reference: 100 * mJ, Remainder: finding.Remainder{Excluded: 1, Difference: 5 * mJ}},
		" Without 3 known rows: -5.00 mJ, -5.0% (-9.0% to -1.0%).": {Reference: 100 * mJ,
			Remainder: finding.Remainder{Excluded: 3, Difference: -5 * mJ, Interval: finding.Interval{Least: -9 * mJ, Most: -mJ}}},
	} {
		if got := withoutKnown(&h, s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestPossibleSavings checks the sentence about what could be saved.
func TestPossibleSavings(t *testing.T) {
	some, exact := finding.Interval{Least: 20 * mJ, Most: 50 * mJ}, finding.Interval{Least: 20 * mJ, Most: 20 * mJ}
	base := finding.Headline{Subject: 200 * mJ, Reference: 100 * mJ, Difference: 100 * mJ, AllRows: 9}
	for _, c := range []struct {
		name string
		make func(h *finding.Headline)
		want string
	}{
		{"little in common", func(h *finding.Headline) { h.Doubt, h.Rows, h.Savable = finding.LittleInCommon, 2, some },
			"These runs have little in common, so no difference is called a saving."},
		{"the system", func(h *finding.Headline) { h.Savable = some },
			"No task or app code costs more than chance explains, but the system does: up to 50.0 mJ could be saved, 25.0% of new.csv."},
		{"only the whole", func(h *finding.Headline) { h.Verdict = finding.More },
			"The whole run costs more than chance explains, but no task and no app code does so by itself."},
		{"nothing", func(h *finding.Headline) { h.Verdict = finding.Less }, "No task or app code costs more than chance explains."},
		{"yet some", func(h *finding.Headline) { h.Verdict, h.Rows, h.Savable = finding.Less, 2, some },
			"Yet some rows cost more: 20.0 mJ could be saved, 10.0% of new.csv."},
		{"clearly some", func(h *finding.Headline) { h.Verdict, h.Rows, h.Savable = finding.CannotTell, 2, some },
			"Some rows clearly cost more: 20.0 mJ could be saved, 10.0% of new.csv."},
		{"balanced", func(h *finding.Headline) { h.Verdict, h.Rows = finding.More, 1 },
			"1 row costs more, but other rows of the same work cost less by the same amount, so there is nothing to save."},
		{"exact", func(h *finding.Headline) { h.Verdict, h.Rows, h.Savable = finding.More, 2, exact },
			"20.0 mJ could be saved, 10.0% of new.csv."},
		{"exact with a factor", func(h *finding.Headline) {
			h.Verdict, h.Rows, h.Savable, h.CommonFactor = finding.More, 2, exact, repeats.CommonFactor{Factor: 1.05, Along: 9, Rows: 9}
		}, "20.0 mJ could be saved, 10.0% of new.csv. All 9 matched rows cost more by about the same factor: they use about 5.0% more, so they may have one cause."},
		{"only a factor", func(h *finding.Headline) {
			h.Verdict, h.CommonFactor = finding.More, repeats.CommonFactor{Factor: 1.5, Along: 8, Rows: 9}
		},
			"8 of 9 matched rows cost more by about the same factor: they use about 50% more, and no single row costs more than chance explains."},
		{"including the system", func(h *finding.Headline) { h.Verdict, h.Rows, h.Savable = finding.More, 2, some },
			"20.0 mJ could be saved, 10.0% of new.csv; 50.0 mJ including the system."},
		{"including moved code", func(h *finding.Headline) {
			h.Verdict, h.Rows, h.Savable, h.Moved = finding.More, 2, some, 30*mJ
		}, "20.0 mJ could be saved, 10.0% of new.csv; 50.0 mJ including code that may have moved, been renamed, or replaced other calls."},
		{"including everything", func(h *finding.Headline) {
			h.Verdict, h.Rows, h.Savable, h.Moved, h.Shifted = finding.More, 2, some, 10*mJ, 10*mJ
		}, "20.0 mJ could be saved, 10.0% of new.csv; 50.0 mJ including the system, and code that may have moved, been renamed, or replaced other calls, and what all rows use more."},
	} {
		h := base
		c.make(&h)
		if got := saving(runs(), &h, ScalePerFigure(nil, units.Volt)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestNothingToCompare checks the reason why a comparison has no rows: it names the largest part
// that belongs to no row.
func TestNothingToCompare(t *testing.T) {
	const none = "There is no task or app code to compare"
	for _, c := range []struct {
		name                                string
		system, toplevel, recorder, waiting units.Energy
		more                                finding.Interval
		want                                string
	}{
		{name: "nothing at all", want: none + "."},
		{name: "the system", system: 150 * mJ, toplevel: 50 * mJ,
			want: none + ": 75.0% of new.csv is code of the system or of libraries that no app code calls; name the app's packages with --app-package if some of it is the app's."},
		{name: "no method", system: 50 * mJ, toplevel: 150 * mJ, want: none + ": 75.0% of new.csv has no method."},
		{name: "the recorder", toplevel: 50 * mJ, recorder: 100 * mJ, waiting: 50 * mJ, want: none + ": 50.0% of new.csv is the recorder's own work."},
		{name: "waiting", recorder: 50 * mJ, waiting: 100 * mJ, more: finding.Interval{Most: 60 * mJ},
			want: none + ": 50.0% of new.csv is waiting. The system uses 60.0 mJ more, which is more than chance explains."},
	} {
		r := runs()
		o := &r.Summary.Outside
		o.System, o.Toplevel, o.Recorder, o.Waiting = c.system, c.toplevel, c.recorder, c.waiting
		if got := saving(r, &finding.Headline{Subject: 200 * mJ, Savable: c.more}, ScalePerFigure(nil, units.Volt)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestParts checks the list of the parts of a difference, where small parts are one.
func TestParts(t *testing.T) {
	portion := func(code finding.PartCode, rows int, d units.Energy) finding.Portion {
		return finding.Portion{Code: code, Rows: rows, Subject: max(0, d), Reference: max(0, -d)}
	}
	h := finding.Headline{Difference: 100 * mJ}
	codes := []finding.PartCode{
		finding.CostlierTasks, finding.CheaperTasks, finding.SubjectOnlyTasks, finding.ReferenceOnly, finding.CostlierOwn, finding.CheaperOwn,
		finding.SubjectOnlyOwn, finding.ReferenceOnlyOwn, finding.MovedTasks, finding.PossibleTasks, finding.PossibleOwn,
		finding.System, finding.Recorder, finding.Waiting, finding.NoMethod, finding.Unclear,
	}
	for i, code := range codes {
		d := units.Energy(i+1) * mJ
		if i%2 == 1 {
			d = -d
		}
		h.Portions = append(h.Portions, portion(code, 1+i%2, d))
	}
	const want = "Parts of the difference: 1 task costing more +1.00 mJ, 2 tasks costing less -2.00 mJ, 1 task only here +3.00 mJ, 2 tasks only there -4.00 mJ, " +
		"app code costing more +5.00 mJ, app code costing less -6.00 mJ, app code only here +7.00 mJ, app code only there -8.00 mJ, 1 moved task +9.00 mJ, " +
		"2 tasks perhaps matched -10.0 mJ, app code perhaps matched +11.0 mJ, the system's own work -12.0 mJ, recording the run +13.0 mJ, waiting -14.0 mJ, " +
		"outside of any method +15.0 mJ, the unclear rest -16.0 mJ."
	s := ScalePerFigure(nil, units.Volt)
	if got := split(&h, s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, c := range []struct {
		small units.Energy
		want  string
	}{
		{0, "Parts of the difference: app code costing more +1000 mJ, app code costing less -500 mJ."},
		{5 * mJ, "Parts of the difference: app code costing more +1000 mJ, app code costing less -500 mJ, smaller parts +15.0 mJ."},
		{-5 * mJ, "Parts of the difference: app code costing more +1000 mJ, app code costing less -500 mJ, smaller parts -15.0 mJ."},
		{mJ, "Parts of the difference: app code costing more +1000 mJ, app code costing less -500 mJ."},
	} {
		h := finding.Headline{Difference: 500 * mJ, Portions: []finding.Portion{
			portion(finding.CostlierOwn, 1, units.Joule), portion(finding.CheaperOwn, 1, -500*mJ),
			portion(finding.System, 1, c.small), portion(finding.Waiting, 1, c.small), portion(finding.Unclear, 1, c.small),
		}}
		if got := split(&h, s); got != c.want {
			t.Errorf("small parts of %v:\ngot  %s\nwant %s", c.small, got, c.want)
		}
	}
}

// TestDoubts checks that every doubt has its own sentence, and that no doubt has none.
func TestDoubts(t *testing.T) {
	seen := map[string]finding.Doubt{"": finding.NoDoubt}
	for _, d := range []finding.Doubt{finding.TwoKinds, finding.LittleInCommon, finding.PossibleCounterpart, finding.MayWait, finding.ByModel, finding.Chance} {
		if other, ok := seen[Doubt(d)]; ok {
			t.Errorf("%v and %v: %q", d, other, Doubt(d))
		}
		seen[Doubt(d)] = d
	}
	if got := Doubt(finding.NoDoubt); got != "" {
		t.Errorf("no doubt: %q", got)
	}
}

// TestBases checks the sentence about the uncertainty of a comparison, for each of its sources.
func TestBases(t *testing.T) {
	for _, c := range []struct {
		chance analysis.Chance
		want   string
	}{
		{analysis.Chance{Basis: analysis.FromSamples}, "Only one run on each side: intervals come from the numbers of samples, and small differences may be chance."},
		{analysis.Chance{Basis: analysis.FromSetting, Noise: 0.03}, "Only one run on each side: intervals come from the stated noise of a run, 3.0%."},
		{analysis.Chance{}, "Only one run on each side, noise assumed: small differences may be chance."},
		{analysis.Chance{Basis: analysis.FromCounts}, "Only one run on each side: " + CountsBasis},
	} {
		r := runs()
		r.Chance = &c.chance
		if got := Basis(r); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestCaveats checks the warnings about the totals.
func TestCaveats(t *testing.T) {
	warn := func(codes ...string) (all []trace.Warning) {
		for _, c := range codes {
			all = append(all, trace.Warning{Code: c, Message: "the sides look swapped"})
		}
		return all
	}
	for _, c := range []struct {
		all, here, there []trace.Warning
		want             string
	}{
		{nil, nil, nil, ""},
		{warn(analysis.Swapped, "other"), nil, nil, " The sides look swapped."},
		{warn(analysis.ProcessorOnly), nil, nil, " Energies include only the processor; the warnings name the other components that were used."},
		{nil, warn("unsampled-time"), nil, " Much of the processor time is missing in new.csv; the warnings say how much."},
		{nil, nil, warn("other", "coarse-timer"), " Much of the processor time is missing in old.csv; the warnings say how much."},
		{nil, warn("coarse-timer"), warn("unsampled-time"), " Much of the processor time is missing in new.csv and in old.csv; the warnings say how much."},
	} {
		r := runs()
		r.Warnings, r.Subject.Trace.Warnings, r.Reference.Trace.Warnings = c.all, c.here, c.there
		if got := caveats(r); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
