package words

import (
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestActivity formats times below and above a minute.
func TestActivity(t *testing.T) {
	for minutes, want := range map[float64]string{0.5: "x 30.0 s", 0.01: "x 0.6 s", 1: "x 1.0 min", 600: "x 600.0 min"} {
		if got := Activity("x", minutes); got != want {
			t.Errorf("%v minutes are %q, want %q", minutes, got, want)
		}
	}
}

// TestDriftOfABesideClock checks the words for a clock that runs fast, slow, or exactly. Times of a
// slow clock are multiplied by more than 1.
func TestDriftOfABesideClock(t *testing.T) {
	for want, p := range map[string]align.Place{
		"its clock is 12 ±3 ppm slow": {By: "bursts", Drift: 12e-6, DriftResidual: 3e-6},
		"its clock is 40 ±0 ppm fast": {By: "bursts", Drift: -40e-6},
		"by bursts of load (":         {By: "bursts", Correlation: 0.5},
		"by bursts of load, within 5": {By: "bursts", Residual: 5 * time.Millisecond},
	} {
		got := Place(p)
		if !strings.Contains(got, want) || strings.Contains(got, "ppm") != (p.Drift != 0) || strings.Contains(got, "within") != (p.Residual != 0) {
			t.Errorf("%+v is %q, without %q", p, got, want)
		}
	}
}

// TestCosts checks the parts of the text of a method.
func TestCosts(t *testing.T) {
	r := runs()
	r.Subject.Trace.Calls = trace.CountedCalls
	r.AppCode = &appcode.Comparison{Rows: []appcode.Row{{Side: appcode.Side{Energy: 30 * mJ}}, {Side: appcode.Side{Energy: 40 * mJ}, Peer: &appcode.Side{Energy: 10 * mJ}}}}
	set := &finding.Set{Result: r}
	scale := ScalePerFigure(nil, 0)
	for want, c := range map[string]struct {
		cost   finding.Cost
		saving units.Energy
	}{
		"50.0 mJ · 25.0%":                                        {finding.Cost{Energy: 50 * mJ}, 0},
		"50.0 mJ · 25.0% · could save 5.00 mJ":                   {finding.Cost{Energy: 50 * mJ}, 5 * mJ},
		"50.0 mJ · 25.0% · itself 30.0 mJ":                       {finding.Cost{Energy: 50 * mJ, Code: &finding.CodeFinding{Row: 0}}, 0},
		"50.0 mJ · 25.0% · itself 40.0 mJ compared with 10.0 mJ": {finding.Cost{Energy: 50 * mJ, Code: &finding.CodeFinding{Row: 1}}, 0},
		"50.0 mJ · 25.0% · 7 calls":                              {finding.Cost{Energy: 50 * mJ, Calls: 7}, 0},
	} {
		if got := Cost(set, &c.cost, c.saving, finding.Interval{}, scale); got != want {
			t.Errorf("%+v is %q, want %q", c.cost, got, want)
		}
	}
}

// TestLevels formats levels close to 100 %. A level below 100 % is never shown as 100 %.
func TestLevels(t *testing.T) {
	for x, want := range map[float64]string{0.95: "95%", 0.99: "99%", 0.994: "99%", 0.999: "99.9%", 0.9983: "99.8%", 0.99996: "99.996%", 1: "100.000000%"} {
		if got := level(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}

// TestUnitOfScale checks the symbols of a scale with one unit, and of a scale with a unit per figure.
func TestUnitOfScale(t *testing.T) {
	u, err := units.ParseUnit("mJ")
	if err != nil {
		t.Fatal(err)
	}
	if got := ScalePerFigure(&u, 0).Unit(); got != "mJ" {
		t.Errorf("the unit is %q", got)
	}
	if s := ScalePerFigure(nil, 0); s.Unit() != "" || s.Volts() != float64(units.DefaultVoltage)/1e6 {
		t.Errorf("the unit is %q at %v V", s.Unit(), s.Volts())
	}
	if s := ScalePerFigure(nil, 5*units.Volt); s.Volts() != 5 {
		t.Errorf("the voltage is %v V", s.Volts())
	}
}

// TestMeteredFigures checks the energy of one execution, which is rounded, and texts without
// executions or without a known energy.
func TestMeteredFigures(t *testing.T) {
	for _, c := range []struct {
		energy     units.Energy
		executions int64
		want       units.Energy
	}{{10, 1, 10}, {10, 3, 3}, {11, 3, 4}, {9, 2, 5}, {0, 5, 0}, {1000, 7, 143}} {
		if got := PerExecution(c.energy, c.executions); got != c.want {
			t.Errorf("%d over %d executions is %d, want %d", c.energy, c.executions, got, c.want)
		}
	}
	scale := ScalePerFigure(nil, 0)
	if got, want := MeteredFigure(scale, 300*mJ, 270*mJ, 330*mJ, 30), LineFigure(scale, 10*mJ, 9*mJ, 11*mJ)+" ×30"; got != want {
		t.Errorf("30 executions are %q, want %q", got, want)
	}
	if got, want := MeteredFigure(scale, 300*mJ, 270*mJ, 330*mJ, 0), LineFigure(scale, 300*mJ, 270*mJ, 330*mJ); got != want {
		t.Errorf("no executions are %q, want %q", got, want)
	}
	if got := MeteredLine(scale, 300*mJ, 0, 0, 0.5, 30, 2); strings.Contains(got, "300") || !strings.Contains(got, "30 executions on 2 paths") {
		t.Errorf("an unknown energy is %q", got)
	}
	known, never := MeteredLine(scale, 300*mJ, 270*mJ, 330*mJ, 0.5, 30, 2), MeteredLine(scale, 300*mJ, 270*mJ, 330*mJ, 0.5, 0, 2)
	if !strings.Contains(known, "300 mJ") || !strings.Contains(known, "10.0 mJ each") || !strings.Contains(known, "50.0%") || strings.Contains(never, "each") {
		t.Errorf("30 executions are %q, none are %q", known, never)
	}
}
