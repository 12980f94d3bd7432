package words

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/units"
)

// TestFleetClaims states what a fleet shows about hogs, bugs, modest apps and apps without data.
func TestFleetClaims(t *testing.T) {
	drain := claim.Drain{Excess: 0.001, Half: 0.0001}
	for want, c := range map[string]claim.Claim{
		"3.6 ± 0.36 %/h more, 9 devices":               {Hog: true, Judged: true, Clients: 9, Drain: drain},
		"3.6 ± 0.36 %/h more, a bug on 2 of 9 devices": {Bugs: 2, Judged: true, Clients: 9, At: drain},
		"not judged, 1 device":                         {Clients: 1},
		"no hog, 9 devices":                            {Judged: true, Clients: 9},
	} {
		if got := Fleet(&c); !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
	hog := claim.Claim{Hog: true, Judged: true, Clients: 9, Drain: claim.Drain{Excess: 0.001, Half: 0.0001, Reference: 0.002}}
	if got := Fleet(&hog); !strings.Contains(got, "per charge, 9 devices") {
		t.Errorf("a hog with a reference: %q", got)
	}
	for want, d := range map[string][2]float64{"3.6 ± 1.8 %/h": {0.001, 0.0005}, "perhaps nothing (1.8 ± 1.8 %/h)": {0.0005, 0.0005}, "nothing (-3.6 ± 1.8 %/h)": {-0.001, 0.0005}, "perhaps nothing (-1.8 ± 1.8 %/h)": {-0.0005, 0.0005}} {
		if got := Drained(d[0], d[1]); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	for want, d := range map[string][2]float64{"3.6 ± 1.8 %/h more": {0.001, 0.0005}, "perhaps nothing more (1.8 ± 1.8 %/h)": {0.0005, 0.0005}, "nothing more (-3.6 ± 1.8 %/h)": {-0.001, 0.0005}} {
		if got := ExcessPerHour(d[0], d[1]); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	for want, p := range map[string]finding.PowerRange{"20 mW more": {Power: 20 * units.Milliwatt}, "20 mW less": {Power: -20 * units.Milliwatt}, "20 mW (10 mW to 30 mW) less": {Bounded: true, Power: -20 * units.Milliwatt, Least: -30 * units.Milliwatt, Most: -10 * units.Milliwatt}} {
		if got := difference(p); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
	if got := difference(finding.PowerRange{}); !strings.HasSuffix(got, " more") {
		t.Errorf("no power is %q", got)
	}
	for _, c := range []struct {
		excess, reference float64
		about             bool
	}{{0.0001, 0.01, true}, {0.01, 0.01, false}} {
		if got := Lives(c.excess, c.reference); strings.HasPrefix(got, "about") != c.about {
			t.Errorf("%v above %v: %q", c.excess, c.reference, got)
		}
	}
}

// TestPartsOfADifference lists the parts of a difference with their signs, and sums up the smaller
// ones.
func TestPartsOfADifference(t *testing.T) {
	part := func(code finding.PartCode, here, there units.Energy) finding.Portion {
		return finding.Portion{Code: code, Subject: here * mJ, Reference: there * mJ}
	}
	codes := []finding.PartCode{finding.System, finding.Recorder, finding.Waiting}
	for _, c := range []struct {
		parts []finding.Portion
		want  []string
		not   string
	}{
		{[]finding.Portion{part(codes[0], 5, 0)}, nil, "Parts"},
		{[]finding.Portion{part(codes[0], 500, 0), part(codes[1], 0, 300), part(codes[2], 7, 7)}, []string{" +500 mJ", " -300 mJ"}, "smaller"},
		{[]finding.Portion{part(codes[0], 0, 5000), part(codes[1], 100, 0), part(codes[2], 49, 0)}, []string{" -5000 mJ", " +100 mJ", "smaller parts +49.0 mJ"}, "waiting"},
		{[]finding.Portion{part(codes[0], 500, 0), part(codes[1], 5, 0), part(codes[2], 0, 4)}, []string{" +500 mJ", " +5.00 mJ"}, "-4"},
	} {
		h := &finding.Headline{Portions: c.parts}
		for _, p := range c.parts {
			h.Difference += p.Difference()
		}
		mj, err := units.ParseUnit("mJ")
		if err != nil {
			t.Fatal(err)
		}
		got := split(h, ScalePerFigure(&mj, 0))
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: %q, without %q", c.parts, got, want)
			}
		}
		if strings.Contains(got, c.not) || c.want == nil && got != "" {
			t.Errorf("%+v: %q, with %q", c.parts, got, c.not)
		}
	}
}

// TestMovedCalls states the energy of calls that moved into a task or away from it.
func TestMovedCalls(t *testing.T) {
	for inside, want := range map[units.Energy]string{0: "", 5 * mJ: "moved calls inside it use 5.00 mJ in the reference", -5 * mJ: "calls that moved away use 5.00 mJ of the reference's task"} {
		r := &analysis.Result{Tasks: []eflask.Task{{Inside: inside}}}
		if got := Moved(r, 0, ScalePerFigure(nil, 0)); got != want {
			t.Errorf("%d: %q, want %q", inside, got, want)
		}
	}
	shifts := []eflask.Shift{{Energy: 3, SubjectEnergy: 1}, {Energy: 7, SubjectEnergy: 2}, {Energy: 7, SubjectEnergy: 3}, {Energy: 5, SubjectEnergy: 4}}
	if got := most(shifts); got.Energy != 7 || got.SubjectEnergy != 2 || sum(shifts) != 22 {
		t.Errorf("the largest shift is %+v, the sum %d", got, sum(shifts))
	}
}

// TestIgnoredRows counts ignored rows and findings.
func TestIgnoredRows(t *testing.T) {
	for _, c := range []struct {
		removed finding.Removed
		has     string
		not     string
	}{{finding.Removed{}, "", "0"}, {finding.Removed{Tasks: 2}, "2 task", "component"}, {finding.Removed{Code: 3}, "3 rows of app code", "component"}, {finding.Removed{Wastes: 1}, "1 finding of components", "row"}, {finding.Removed{Tasks: 1, Wastes: 2}, " and 2 findings of components", "0"}} {
		if got := Ignored(c.removed); !strings.Contains(got, c.has) || strings.Contains(got, c.not) {
			t.Errorf("%+v: %q", c.removed, got)
		}
	}
}

// TestRemedies says how many runs would show a difference, if it is unclear.
func TestRemedies(t *testing.T) {
	unclear := finding.Headline{Verdict: finding.CannotTell, Runs: 5, MinRelevant: 0.01}
	for _, c := range []struct {
		change func(h *finding.Headline)
		want   bool
	}{
		{func(*finding.Headline) {}, true}, {func(h *finding.Headline) { h.Verdict = finding.More }, false}, {func(h *finding.Headline) { h.Elapsed = true }, false}, {func(h *finding.Headline) { h.ByModel = true }, false},
		{func(h *finding.Headline) { h.Doubt = finding.LittleInCommon }, false}, {func(h *finding.Headline) { h.Runs = 0 }, false},
	} {
		h := unclear
		c.change(&h)
		if got := remedy(runs(), &h); got == " 5 runs on each side would show a difference of 1.0%." != c.want || !c.want && got != "" {
			t.Errorf("%+v: %q", h, got)
		}
	}
}

// TestNounOfPlainNumbers checks that numbers without a unit are a total, and not an energy.
func TestNounOfPlainNumbers(t *testing.T) {
	plain, nano := units.Plain, units.Nano
	if a, b, c := ScalePerFigure(&plain, 0).Noun(), ScalePerFigure(&nano, 0).Noun(), ScalePerFigure(nil, 0).Noun(); a != "total" || b != "energy" || c != "energy" {
		t.Errorf("%s, %s and %s", a, b, c)
	}
}
