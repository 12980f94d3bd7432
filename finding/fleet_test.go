package finding_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// loaded compares two recordings of an app that loads pages over the network, under the model lte
// or without a power model. The subject reads three times, and the reference once.
func loaded(t *testing.T, model string) *analysis.Result {
	t.Helper()
	const read, work = "java.net.SocketInputStream.read([BII)I", "android.util.Xml.parse()V"
	side := func(reads int) analysis.Side {
		calls := []call{{1, 50_000, 10, work, false}}
		for i := range reads {
			calls = append(calls, call{1, 1000 + 10_000*i, 100, read, false})
		}
		return analysis.Side{Path: recorded(t, 60_000, calls...)}
	}
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: side(3), Reference: side(1), PowerModel: model, Alpha: analysis.AutoAlpha})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// hogging is a claim about an app that drains the battery of all clients.
func hogging(excess, half float64, conditions ...claim.Condition) *claim.Claim {
	d := claim.Drain{Excess: excess, Half: half, Reference: 0.004}
	return &claim.Claim{App: "com.nav", Judged: true, Hog: true, Clients: 50, Drain: d, At: d, Conditions: conditions}
}

// TestSuspects checks which tasks may cause a fleet's claim: those with energy of the component
// or, without a power model, those that call a method that uses it. They come first.
func TestSuspects(t *testing.T) {
	cellular, wifi := claim.Condition{Feature: "network", Value: "lte"}, claim.Condition{Feature: "network", Value: "wifi"}
	location := claim.Condition{Feature: "location", Value: "on"}
	for _, c := range []struct {
		name, model string
		claim       *claim.Claim
		want        string
	}{
		{"charged", "lte", hogging(0.01, 0.001, cellular), "SocketInputStream.read cellular, charged true"},
		{"asking", "", hogging(0.01, 0.001, wifi), "SocketInputStream.read wifi, charged false"},
		{"other component", "lte", hogging(0.01, 0.001, location), ""},
		{"no condition", "lte", hogging(0.01, 0.001), ""},
		{"no hog", "lte", &claim.Claim{App: "com.nav", Judged: true, Conditions: []claim.Condition{cellular}}, ""},
		{"bugs", "lte", &claim.Claim{App: "com.nav", Judged: true, Bugs: 2, Conditions: []claim.Condition{cellular}, At: claim.Drain{Excess: 0.01}}, "SocketInputStream.read cellular, charged true"},
	} {
		r := loaded(t, c.model)
		s, err := finding.NewSuspicion(r, c.claim, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		sorted := s.SuspectsFirst(r)
		for i := range sorted.Tasks {
			task := &sorted.Tasks[i]
			suspect, is := s.Suspect(task)
			if is != (i < s.Len()) {
				t.Errorf("%s: task %d of %d suspects is suspect: %v", c.name, i, s.Len(), is)
			}
			if !is {
				continue
			}
			got = append(got, fmt.Sprintf("%s %s, charged %v", r.Subject.Tree.Labels.Method(r.Subject.Tree.Nodes[task.Node].Label).Short(), suspect.Component, suspect.Charged))
			if suspect.Charged != (suspect.Energy > 0) || suspect.Charged == (suspect.Method != "") {
				t.Errorf("%s: %+v", c.name, suspect)
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: suspects %q, want %q", c.name, text, c.want)
		}
		if len(sorted.Tasks) != len(r.Tasks) || len(r.Tasks) < 2 {
			t.Errorf("%s: %d of %d tasks", c.name, len(sorted.Tasks), len(r.Tasks))
		}
	}
	var none *finding.Suspicion
	if r := loaded(t, ""); none.SuspectsFirst(r) != r {
		t.Error("without a claim the tasks are sorted")
	}
}

// TestAgreement changes one thing at a time in two runs that agree with a fleet's claim.
func TestAgreement(t *testing.T) {
	const battery = 3000 * units.MilliampereHour
	base := loaded(t, "lte")
	// excess is the subject's additional power as % of a full battery per second.
	excess := func(r *analysis.Result) float64 {
		microwatts := float64(r.Subject.Energy)/float64(r.Subject.Trace.Elapsed/time.Millisecond) - float64(r.Reference.Energy)/float64(r.Reference.Trace.Elapsed/time.Millisecond)
		return 100 * microwatts * 1000 / float64(battery.Energy(r.Voltage))
	}(base)
	cellular, gps := claim.Condition{Feature: "network", Value: "lte"}, claim.Condition{Feature: "location", Value: "on"}
	for _, c := range []struct {
		name    string
		claim   *claim.Claim
		battery units.Charge
		change  func(subject, reference *analysis.Input)
		want    finding.Agreement
	}{
		{"the same", hogging(excess, excess/10, cellular), battery, nil, finding.Agrees},
		{"at its upper end", hogging(excess*1.05, excess/10, cellular), battery, nil, finding.Agrees},
		{"less in the fleet", hogging(excess/2, excess/10, cellular), battery, nil, finding.ShowsMore},
		{"more in the fleet", hogging(excess*2, excess/10, cellular), battery, nil, finding.ShowsLess},
		{"a component that no run has", hogging(excess*2, excess/10, gps), battery, nil, finding.NoSuchAccount},
		{"no figure", hogging(0, 0, cellular), battery, nil, finding.NoFigure},
		{"an unknown interval", hogging(excess, math.NaN(), cellular), battery, nil, finding.NoFigure},
		{"no battery", hogging(excess, excess/10, cellular), 0, func(s, r *analysis.Input) { s.Battery, r.Battery = 0, 0 }, finding.NoBattery},
		{"unknown unit", hogging(excess, excess/10, cellular), battery, func(s, _ *analysis.Input) { s.Trace.Unstated = true }, finding.NoEnergy},
		{"unknown unit there", hogging(excess, excess/10, cellular), battery, func(_, r *analysis.Input) { r.Trace.Unstated = true }, finding.NoEnergy},
		{"no energy", hogging(excess, excess/10, cellular), battery, func(s, _ *analysis.Input) { s.Energy = 0 }, finding.NoEnergy},
		{"no energy there", hogging(excess, excess/10, cellular), battery, func(_, r *analysis.Input) { r.Energy = 0 }, finding.NoEnergy},
		{"no duration", hogging(excess, excess/10, cellular), battery, func(s, _ *analysis.Input) { s.Trace.Elapsed = 0 }, finding.NoDuration},
		{"no duration there", hogging(excess, excess/10, cellular), battery, func(_, r *analysis.Input) { r.Trace.Elapsed = 0 }, finding.NoDuration},
		{"a short run", hogging(excess, excess/10, cellular), battery, func(s, _ *analysis.Input) { s.Trace.Elapsed = 5*time.Second - 1 }, finding.TooShort},
		{"a short run there", hogging(excess, excess/10, cellular), battery, func(_, r *analysis.Input) { r.Trace.Elapsed = 5*time.Second - 1 }, finding.TooShort},
		{"long enough", hogging(excess/100, excess/1000, cellular), battery, func(s, r *analysis.Input) { s.Trace.Elapsed, r.Trace.Elapsed = 5*time.Second, 5*time.Second }, finding.ShowsMore},
	} {
		r := *base
		subject, reference := *base.Subject.Trace, *base.Reference.Trace
		r.Subject.Trace, r.Reference.Trace = &subject, &reference
		if c.change != nil {
			c.change(&r.Subject, &r.Reference)
		}
		s, err := finding.NewSuspicion(&r, c.claim, c.battery)
		if err != nil {
			t.Fatal(err)
		}
		if s.Agreement != c.want || s.Agreement.Known() != (c.want == finding.Agrees || c.want == finding.ShowsMore || c.want == finding.ShowsLess) {
			t.Errorf("%s: %s, want %s: the runs show %+v, the fleet %+v", c.name, s.Agreement, c.want, s.Runs, s.Fleet)
		}
		if s.Fleet.Known != (s.Battery > 0) || s.Fleet.Known && c.claim.Half == c.claim.Half && (s.Fleet.Least > s.Fleet.Power || s.Fleet.Most < s.Fleet.Power) {
			t.Errorf("%s: the fleet shows %+v", c.name, s.Fleet)
		}
		if c.want == finding.Agrees {
			if got := float64(s.Runs.Power) / float64(s.Fleet.Power); got < 0.9 || got > 1.1 {
				t.Errorf("%s: the runs show %d µW, the fleet %d µW", c.name, s.Runs.Power, s.Fleet.Power)
			}
		}
	}
	plain := loaded(t, "")
	s, err := finding.NewSuspicion(plain, hogging(1, 0.01, cellular), battery)
	if err != nil || s.Agreement != finding.ProcessorOnly {
		t.Errorf("without a power model: %v, %v", s.Agreement, err)
	}
}

// TestAgreementOfRepeatedRuns checks that runs that vary more than they differ are too noisy, and
// that bounds decide otherwise.
func TestAgreementOfRepeatedRuns(t *testing.T) {
	const battery = 3000 * units.MilliampereHour
	for _, c := range []struct {
		name  string
		runs  [2][]units.Energy
		claim float64 // % per hour
		want  finding.Agreement
	}{
		{"steady", [2][]units.Energy{{700, 705, 695, 702}, {400, 402, 398, 401}}, 300, finding.Agrees},
		{"steady, less", [2][]units.Energy{{700, 705, 695, 702}, {400, 402, 398, 401}}, 3000, finding.ShowsLess},
		{"steady, more", [2][]units.Energy{{700, 705, 695, 702}, {400, 402, 398, 401}}, 30, finding.ShowsMore},
		{"noisy", [2][]units.Energy{{1700, 105, 95, 1402}, {400, 1302, 98, 1001}}, 300, finding.TooNoisy},
	} {
		r := *loaded(t, "lte")
		for side, in := range []*analysis.Input{&r.Subject, &r.Reference} {
			for _, e := range c.runs[side] {
				in.Runs = append(in.Runs, analysis.Run{Energy: e * units.Millijoule, Elapsed: 10 * time.Second})
			}
		}
		// The runs differ by 30 mW. A claim of 30 mW is 100.
		percent := c.claim / 10 * 1e6 / 1e9 * 100 / (float64(battery.Energy(r.Voltage)) / 1e9)
		s, err := finding.NewSuspicion(&r, hogging(percent, percent/10, claim.Condition{Feature: "network", Value: "lte"}), battery)
		if err != nil {
			t.Fatal(err)
		}
		if s.Agreement != c.want || !s.Runs.Bounded || s.Runs.Least > s.Runs.Power || s.Runs.Most < s.Runs.Power {
			t.Errorf("%s: %s, want %s: the runs show %+v, the fleet %+v", c.name, s.Agreement, c.want, s.Runs, s.Fleet)
		}
	}
}

// TestAppsOfARun lists the names that a fleet may use for the app of a run.
func TestAppsOfARun(t *testing.T) {
	in := &analysis.Input{Trace: &trace.Trace{
		Processes: []trace.Process{{Name: "com.mine:sync"}, {Name: "com.other"}, {Name: "com.mine"}, {}},
		Threads:   []trace.Thread{{Process: 0, Events: 3}, {Process: 1}, {Process: 2, Events: 1}, {Process: 3, Events: 1}},
	}}
	in.Own.Packages = []string{"com.mine.feed.list", "org", "com.mine.feed"}
	if got, want := finding.Apps(in), []string{"com.mine", "com.mine.feed.list", "com.mine.feed"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	in.Trace.Processes = nil
	if got, want := finding.Apps(in), []string{"com.mine.feed.list", "com.mine.feed", "com.mine"}; !slices.Equal(got, want) {
		t.Errorf("without processes: got %q, want %q", got, want)
	}
}

// TestHogGate evaluates conditions on a fleet's claim.
func TestHogGate(t *testing.T) {
	set := finding.New(loaded(t, "lte"))
	versions := []claim.Version{{Name: "2.0", Enough: true, Drain: claim.Drain{Excess: 0.01, Half: 0.001}}, {Name: "1.9", Enough: true, Drain: claim.Drain{Excess: 0.01, Half: 0.02}}, {Name: "1.8"}, {Name: "1.7", Enough: true, Drain: claim.Drain{Excess: 0.01, Half: 0.01}}}
	hog := hogging(0.01, 0.001)
	hog.Versions = versions
	unsure, calm, few := hogging(0.01, 0.02), hogging(0.01, 0.001), hogging(0.01, 0.001)
	calm.Hog, few.Judged = false, false
	for _, c := range []struct {
		gate  string
		claim *claim.Claim
		met   bool
		err   string
	}{
		{"fleet-hog", hog, true, ""},
		{"fleet-hog", unsure, false, ""},
		{"fleet-hog", hogging(0.01, 0.01), false, ""}, // The least excess is exactly 0.
		{"fleet-hog", calm, false, ""},
		{"fleet-hog", few, false, "too few devices ran com.nav to judge it"},
		{"fleet-hog", nil, false, "give a file of diffprof fleet analyze with --fleet"},
		{"fleet-hog:2.0", hog, true, ""},
		{"fleet-hog:1.9", hog, false, ""},
		{"fleet-hog:1.7", hog, false, ""},
		{"fleet-hog:1.8", hog, false, "too few devices ran version 1.8 of com.nav to judge it"},
		{"fleet-hog:0.1", hog, false, "too few devices ran version 0.1 of com.nav to judge it"},
		{"fleet-hog:0.1", calm, false, ""},
	} {
		gate, err := finding.ParseGate(c.gate)
		if err != nil {
			t.Fatal(err)
		}
		if set.Suspicion = nil; c.claim != nil {
			if set.Suspicion, err = finding.NewSuspicion(set.Result, c.claim, 0); err != nil {
				t.Fatal(err)
			}
		}
		fired, err := gate.Met(set)
		if (len(fired) > 0) != c.met || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %+v, %v, want %v and %q", c.gate, fired, err, c.met, c.err)
		}
		if !gate.Measures(finding.FleetHog) || gate.Measures(finding.Total) || len(fired) > 0 && fired[0].Values[0].Claim != c.claim {
			t.Errorf("%s: %+v", c.gate, fired)
		}
		examined := gate.Examine(set)
		if len(examined) != 1 || len(examined[0].Conditions) != 1 || examined[0].Conditions[0].Holds != c.met || (examined[0].Conditions[0].Err != nil) != (c.err != "") || examined[0].Conditions[0].Always {
			t.Errorf("%s: examined as %+v", c.gate, examined)
		}
	}
}
