package words_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestParts lists the sentences on bundles, fleets, gates, measured lines and noise. Each branch has a line.
func TestParts(t *testing.T) {
	var s speaker
	bundles(&s)
	fleets(&s)
	gates(&s)
	meteredLines(&s)
	noise(&s)
	runs(&s)
	s.hold(t, "testdata/parts.txt")
}

func bundles(s *speaker) {
	s.WriteString("# bundles\n")
	tail := []bundle.State{{Kind: model.Tail, Time: 30 * time.Second}, {Kind: model.Productive, Time: time.Hour}}
	rested := bundle.Bundle{Count: 3, Rests: 2, States: tail, Rested: 100 * time.Second, ShortestRest: 40 * time.Second, LongestRest: 60 * time.Second}
	close, alone, merged, once, even := rested, rested, rested, rested, rested
	close.Rested, alone.Count, merged.Others, once.Rests, even.LongestRest = 20*time.Second, 1, true, 1, even.ShortestRest
	waited := bundle.Bundle{Count: 1, States: tail, Rests: 1, Waits: 3, Waited: 40 * time.Second}
	for _, b := range []bundle.Bundle{rested, close, alone, merged, once, even, waited, {Count: 2}} {
		s.say(words.CountReason, &b)
		s.say(words.LengthReason, &b, []string{"A.a", "B.b", "C.c", "D.d"})
		s.say(words.LengthReason, &b, []string(nil))
	}
	in := &analysis.Input{Energy: 10 * units.Joule, Bundles: &analysis.Bundles{List: []bundle.Bundle{rested, waited}}}
	for _, code := range []finding.Code{finding.HeldWakelock, finding.LeftOn, finding.RepeatedIO, "tails"} {
		for _, caveat := range []finding.Caveat{"", finding.Unfinished, finding.ModelChoice} {
			w := &finding.Waste{
				Finding: finding.Finding{Code: code, Standing: finding.Standing{Saving: finding.Interval{Least: units.Joule, Most: 2 * units.Joule}}}, Component: "wifi", Caveat: caveat,
				Others: []finding.ModelShare{{Model: "lte", Share: 0.1}, {Model: "wifi", Share: 0.02}}, Bundles: []int{1}, Held: 5 * time.Second, Operations: 4,
			}
			s.say(words.Waste, w, in)
			w.Path, w.Method = []name.Method{{Name: "f"}}, name.OfClass("com.mine.Feed", "load", "")
			w.Bundles, w.Open, w.Idle = []int{0, 1}, 1, 2*time.Second
			s.say(words.Waste, w, in)
			w.Idle = w.Held
			s.say(words.Waste, w, in)
		}
	}
	s.say(words.NothingWasted, in)
	s.say(words.NothingWasted, &analysis.Input{})
	s.say(words.Bundled, 0.25, int64(3), int64(3))
	s.say(words.Bundled, 0.25, int64(2), int64(3))
	for _, x := range []finding.Spread{
		{Least: 12 * units.Joule, Most: 60 * units.Joule, LeastShare: 0.1, MostShare: 0.5, Widest: "wifi", Kind: model.Tail, Served: "network"},
		{Least: 12 * units.Joule, Most: 60 * units.Joule, Widest: "wifi", Kind: model.Ramp}, {Most: units.Joule, Widest: "gps", Timeout: true},
		{Most: units.Joule, Widest: "gps", Kind: model.Productive}, {Most: units.Joule, Widest: "gps", Kind: model.On},
	} {
		s.say(words.Spread, &x)
		s.say(words.SpreadOf, &x)
	}
}

func fleets(s *speaker) {
	s.WriteString("# fleets\n")
	drain := claim.Drain{Excess: 0.0005, Half: 0.0001, Reference: 0.002}
	c := &claim.Claim{App: "com.app", Hog: true, Judged: true, Clients: 100, Drain: drain, At: drain, Versions: []claim.Version{{Name: "1.2", Drain: claim.Drain{Excess: 0.001, Half: 0.0002, Reference: 0.002}}}}
	none, few := *c, *c
	none.Hog, few.Hog, few.Judged, few.Clients = false, false, false, 1
	s.say(words.FleetHog, c, "1.2")
	s.say(words.FleetHog, c, "9")
	s.say(words.Suspicion, &finding.Suspicion{Claim: &none}, &analysis.Result{})
	s.say(words.Suspicion, &finding.Suspicion{Claim: &few}, &analysis.Result{})
	watts := func(least, power, most float64) finding.PowerRange {
		return finding.PowerRange{Known: true, Bounded: least < most, Power: units.Power(power * float64(units.Watt)), Least: units.Power(least * float64(units.Watt)), Most: units.Power(most * float64(units.Watt))}
	}
	for _, fleet := range []finding.PowerRange{{}, watts(0.1, 0.2, 0.3), watts(2, 2, 2)} {
		for _, runs := range []finding.PowerRange{{}, watts(0.001, 0.002, 0.003), watts(-3, -2, -1), watts(1e-5, 1e-5, 1e-5)} {
			for _, a := range []finding.Agreement{finding.Agrees, finding.NoFigure, finding.NoEnergy, finding.TooNoisy} {
				fmt.Fprintln(s, words.Suspicion(&finding.Suspicion{Claim: c, Fleet: fleet, Runs: runs, Agreement: a, Components: []string{"gps", "cellular"}}, &analysis.Result{}))
			}
		}
	}
	s.say(words.Suspicion, &finding.Suspicion{Claim: c, Agreement: finding.Agrees}, &analysis.Result{})
	for _, x := range [][2]float64{{0.001, 0.0001}, {0.0001, 0.0001}, {-0.001, 0.0001}, {-0.0001, 0.001}} {
		s.say(words.Drained, x[0], x[1])
		s.say(words.ExcessPerHour, x[0], x[1])
	}
	s.say(words.Suspect, finding.Suspect{Component: "gps", Charged: true, Energy: 3 * units.Joule}, words.ScalePerFigure(nil, 0))
	s.say(words.Suspect, finding.Suspect{Component: "gps", Method: "A.b"}, words.ScalePerFigure(nil, 0))
	s.say(words.SuspectOf, "gps used 3 J for it", "com.app", "1.8 %/h")
	for _, x := range [][2]float64{{0.0005, 0.002}, {0.00001, 0.002}, {0.00015, 0.002}, {0.00014, 0.002}} {
		s.say(words.Lives, x[0], x[1])
	}
}

func gates(s *speaker) {
	s.WriteString("# gates\n")
	gate, err := finding.ParseRunGate("wasted>5% or wasted>2mJ")
	if err != nil {
		panic(err)
	}
	half := finding.Interval{Least: units.Joule / 4, Most: units.Joule / 2}
	exact := finding.Interval{Least: units.Joule, Most: units.Joule}
	share := finding.Condition{Measure: finding.Wasted, Text: "wasted>5%"}
	amount := finding.Condition{Measure: finding.Wasted, Text: "wasted>2mJ", InEnergy: true}
	for _, fired := range [][]finding.FiredAlternative{
		{{Text: "wasted>5%", Values: []finding.ConditionValue{{Condition: share, Share: 0.5, Energy: units.Joule, Base: 2 * units.Joule, Interval: half}}}},
		{{Text: "wasted>5%", Values: []finding.ConditionValue{{Condition: share, Share: 0.5, Energy: units.Joule, Base: 2 * units.Joule, Interval: exact}}},
			{Text: "wasted>2mJ", Values: []finding.ConditionValue{{Condition: amount, Energy: units.Joule, Interval: half}}}},
		{{Text: "wasted>2mJ and wasted>5%", Values: []finding.ConditionValue{{Condition: amount, Energy: units.Joule, Interval: exact}, {Condition: share, Share: 0.5, Energy: units.Joule, Base: 2 * units.Joule, Interval: exact}}}},
	} {
		fmt.Fprintln(s, words.RunGateFailure(gate, fired, units.DefaultVoltage))
	}
	one := finding.Gate{}
	r := &analysis.Result{Chance: &analysis.Chance{}, Subject: analysis.Input{Trace: &trace.Trace{}}, Reference: analysis.Input{Trace: &trace.Trace{}}}
	set := &finding.Set{Result: r}
	for _, m := range []string{finding.Saving, finding.Unmatched, finding.Total} {
		for _, in := range []bool{false, true} {
			for _, known := range []bool{false, true} {
				for _, i := range []finding.Interval{exact, {Least: -units.Joule, Most: half.Most}} {
					fmt.Fprintln(s, words.GateFailure(set, one, []finding.FiredAlternative{{Text: m + ">3%", Values: []finding.ConditionValue{{Condition: finding.Condition{Measure: m, Text: m + ">3%", InEnergy: in}, Share: 0.5, Energy: units.Joule, Base: 2 * units.Joule, Interval: i, Known: known}}}}))
				}
			}
		}
	}
	for _, whole := range []units.Energy{0, 2 * units.Joule} {
		fmt.Fprintln(s, words.GateFailure(set, one, []finding.FiredAlternative{{Text: "evidence", Values: []finding.ConditionValue{{Condition: finding.Condition{Measure: finding.Evidence, Text: "evidence"}, TotalCostlier: true, Energy: units.Joule, Base: whole, Interval: half}}}}))
	}
	claims := &claim.Claim{App: "com.app", Hog: true, Clients: 9}
	fmt.Fprintln(s, words.GateFailure(set, one, []finding.FiredAlternative{{Text: "fleet-hog", Values: []finding.ConditionValue{{Condition: finding.Condition{Measure: finding.FleetHog, Text: "fleet-hog"}, Claim: claims}}}}))
}

func meteredLines(s *speaker) {
	s.WriteString("# measured lines\n")
	for _, grade := range []string{"lines", "methods", "nothing"} {
		for _, reason := range []string{"", "few", "shift", "unlike", "unpredicted", "standing"} {
			for _, minutes := range []float64{0, 12.5} {
				s.say(words.MeteredPrecision, grade, reason, int64(-3e6), 1200, 34, 1, minutes)
			}
		}
	}
	s.say(words.MeteredPrecision, "nothing", "shift", int64(3e6), 1, 2, 3, 0.0)
	for _, subject := range []string{"", "a"} {
		for _, reference := range []string{"", "b"} {
			s.say(words.MeteredBoth, subject, reference, subject+reference == "ab")
		}
	}
	s.say(words.MeteredPairsTitle, "line")
	for _, verdict := range []string{"more", "less", "unclear"} {
		for _, each := range []string{"less", "unclear"} {
			for _, often := range []int{-1, 0, 1} {
				s.say(words.MeteredWhy, verdict, each, often, int64(3), int64(4))
			}
		}
	}
	s.say(words.MeteredWhy, "more", "unclear", 0, int64(3), int64(0))
	s.say(words.MeteredWhy, "less", "unclear", 0, int64(0), int64(3))
	s.say(words.MeteredOpen, 2, "line")
	s.say(words.MeteredWindows, int64(2e9), int64(3e9))
	s.say(words.MeteredPrinted, 1)
	for _, reason := range []string{"few", "shift", "standing", "sparse", "untimed", "another reason"} {
		s.say(words.MeterUnused, "a meter", reason, int64(2e9))
	}
	s.say(words.MeterSource, []string{"a", "b"}, int64(99e9), int64(100e9), int64(1e8), 1000)
	s.say(words.MeterSource, []string{"a"}, int64(98e9), int64(100e9), int64(1e8), 1000)
	for _, known := range []bool{false, true} {
		s.say(words.MeterPowers, int64(300_000), int64(1_000_000), known, 0.1)
	}
	s.say(words.MeteredOtherCalls, 1, int64(1))
	s.say(words.MeteredOtherCalls, 2, int64(1200))
	s.say(words.MeteredSource, []string{"a", "b"}, int64(99e9), int64(100e9), int64(1e8), 1000)
	s.say(words.MeteredSource, []string{"a"}, int64(98e9), int64(100e9), int64(1e8), 1000)
	for _, way := range []string{"printed", "times", "lines"} {
		for _, opcodes := range []int{0, 5} {
			for _, joined := range []float64{0, 0.05} {
				s.say(words.MeteredFit, way, opcodes, 0.3, 0.98765, 0.01, joined, 0.1, 0.2)
			}
		}
		for _, known := range []bool{false, true} {
			s.say(words.MeteredPowers, way, int64(123456), int64(7890), known, 0.1)
		}
	}
	for _, halves := range []float64{0.2, 0.21} {
		for _, scaled := range []float64{0.995, 0.99} {
			for _, unjudged := range []int{0, 1} {
				s.say(words.MeteredDoubts, halves, scaled, unjudged)
			}
		}
	}
	s.say(words.MeteredParts, units.Energy(1), units.Energy(2), units.Energy(3), units.Energy(4), units.Energy(5), units.Energy(6), units.Energy(7))
	s.say(words.MeteredOthers, 3, "2 J")
	s.say(words.MeteredEvent, "", int64(1), "2 J")
	s.say(words.MeteredEvent, "A.b:3", int64(2), "2 J")
	s.say(words.UndividedParts, []string{"a", "b"})
}

func noise(s *speaker) {
	s.WriteString("# noise\n")
	for _, gap := range []analysis.OrderGap{analysis.OtherClocks, analysis.OtherBoots, analysis.EqualStarts, ""} {
		s.say(words.Conditions, &analysis.Chance{Gap: gap})
	}
	for _, sequence := range []repeats.Sequence{repeats.InTurn, repeats.OneAfterOther} {
		for _, source := range []analysis.BuildSource{analysis.BuildsStated, analysis.BuildsEqual, analysis.BuildsHistory, analysis.BuildsAssumed, analysis.BuildsCounted} {
			c := &analysis.Chance{Builds: analysis.BuildNoise{Total: 0.02, Rows: 0.03, Source: source, Count: 4}}
			c.Order.Sequence = sequence
			s.say(words.Conditions, c)
			c.Order.Adjusted, c.Order.Trend, c.Builds.Rows = true, -0.004, 0.02
			s.say(words.Conditions, c)
		}
	}
	scale := words.ScalePerFigure(nil, 0)
	for _, c := range []change.Change{
		{Before: 1e9, Difference: 2e8, Interval: repeats.Interval{Least: 1e8, Most: 3e8}, P: 0.001}, {Difference: 2e8, Interval: repeats.Interval{Least: math.Inf(-1), Most: 3e8}, P: 0.04},
		{Before: 1e9, Difference: -2e8, Interval: repeats.Interval{Least: -3e8, Most: math.Inf(1)}, P: 0.01},
	} {
		since := &trend.LastChange{Change: c, Name: "1.2", First: "abc", Last: "def"}
		s.say(words.SinceBrief, since)
		s.say(words.SinceFull, since, scale)
	}
}

func runs(s *speaker) {
	s.WriteString("# runs\n")
	for _, p := range []trace.Provenance{trace.NoEnergy, trace.Given, trace.CPUTime, trace.WallTime, trace.CycleTime, trace.Measured, trace.Modelled, trace.Scaled, trace.APICost} {
		s.say(words.Provenance, &trace.Trace{Energy: p})
		s.say(words.Provenance, &trace.Trace{Energy: p, Unstated: true, Accounts: []trace.Account{{Component: "cpu"}, {Component: "wifi", Provenance: trace.Measured}}})
		s.say(words.Provenance, &trace.Trace{Energy: p, Unstated: true, Weight: "cycles", Accounts: []trace.Account{{Component: "cpu"}, {Component: "wifi", Provenance: trace.Modelled}}})
	}
	for k := range appcode.Kind(3) {
		s.say(words.CodeKind, &appcode.Row{Kind: k})
	}
	s.say(words.CodeKind, &appcode.Row{Side: appcode.Side{Method: name.OfSlice("inflate")}})
	for m := range appcode.Match(6) {
		s.say(words.CodeMatch, m)
	}
	scale := words.ScalePerFigure(nil, 0)
	for _, least := range []units.Energy{0, 1, units.Microjoule, units.Millijoule, units.Joule - 1, units.Joule, 2 * units.Joule} {
		s.say(words.Scale.Range, scale, &least, units.Joule)
	}
	s.say(words.Scale.Range, scale, (*units.Energy)(nil), units.Joule)
	for _, row := range []string{"(nobody's)", "main"} {
		s.say(words.RowName, row)
	}
	for _, clock := range []string{"cpu", "wall", ""} {
		s.say(words.ProfileLegend, clock)
	}
	for _, outside := range []float64{0.49, 0.5} {
		s.say(words.TopMethods, []string{"a 3%", "b 2%"}, outside)
		s.say(words.TopMethods, []string(nil), outside)
	}
}
