package report_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// hog returns a fleet's claim that an app uses more energy on mobile data.
func hog() *claim.Claim {
	drain := claim.Drain{Excess: 0.0009, Half: 0.0003, Reference: 0.002}
	return &claim.Claim{
		App: "com.spotify", Judged: true, Hog: true, Clients: 12400, Drain: drain, At: drain,
		Conditions: []claim.Condition{{Feature: "network", Value: "mobile"}},
		Versions:   []claim.Version{{Name: "4.12", Drain: drain, Enough: true}, {Name: "4.10", Drain: claim.Drain{Excess: 0, Half: 1e-5}, Enough: true}, {Name: "4.9"}},
	}
}

// spotify compares two invented players, one of which streams. If model is set, the runs have the
// radio's energy.
func spotify(t *testing.T, model string) *analysis.Result {
	t.Helper()
	r, err := analysis.Compare(t.Context(), analysis.Options{
		Subject: analysis.Side{Path: "../testdata/cases/spotify-pandora83/subject.trace.gz"}, Reference: analysis.Side{Path: "../testdata/cases/spotify-pandora83/reference.trace.gz"},
		PowerModel: model, Voltage: units.DefaultVoltage,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const battery = 4000 * units.MilliampereHour

// suspicion compares the claim with a result.
func suspicion(t *testing.T, r *analysis.Result, c *claim.Claim, full units.Charge) (*analysis.Result, *finding.Suspicion) {
	t.Helper()
	s, err := finding.NewSuspicion(r, c, full)
	if err != nil {
		t.Fatal(err)
	}
	return s.SuspectsFirst(r), s
}

// TestSuspectsOrderAndMarkAlone checks that a claim changes only the order and the marks: suspects
// come first and are marked, and all amounts stay the same.
func TestSuspectsOrderAndMarkAlone(t *testing.T) {
	for _, model := range []string{"", "lte"} {
		r := spotify(t, model)
		plain := report.New(finding.New(r), "test", 0)
		first, s := suspicion(t, r, hog(), battery)
		made := report.New(finding.New(first).WithSuspicion(s), "test", 0)
		if s.Len() == 0 || !made.Suspects() || made.Fleet.Suspects != s.Len() {
			t.Fatalf("model %q: %d suspects", model, s.Len())
		}
		marked := 0
		for i, task := range made.Tasks {
			was := slices.IndexFunc(plain.Tasks, func(o report.Task) bool { return o.ID == task.ID })
			o := plain.Tasks[was]
			if o.Energy != task.Energy || o.Own != task.Own || o.Saving != task.Saving {
				t.Errorf("%s drains %d, and %d with a fleet", task.Method, o.Energy, task.Energy)
			}
			if task.Suspect == nil {
				continue
			}
			if marked++; i >= s.Len() {
				t.Errorf("the suspect %s is task %d of %d suspects", task.Method, i+1, s.Len())
			}
			if (task.Suspect.Energy == nil) != (model == "") {
				t.Errorf("model %q: %+v", model, task.Suspect)
			}
			if e := task.Suspect.Energy; e != nil && *e > task.Energy {
				t.Errorf("the component drained %d of the task's %d", *e, task.Energy)
			}
		}
		if marked != s.Len() || len(made.Tasks) != len(plain.Tasks) || plain.Summary != made.Summary {
			t.Errorf("model %q: %d of %d suspects are marked, %d of %d tasks listed", model, marked, s.Len(), len(made.Tasks), len(plain.Tasks))
		}
	}
}

// TestAgreement checks the words that state whether the runs agree with the fleet.
func TestAgreement(t *testing.T) {
	charged, plain := spotify(t, "lte"), spotify(t, "")
	shown := float64(charged.Subject.Energy)/charged.Subject.Trace.Elapsed.Seconds() - float64(charged.Reference.Energy)/charged.Reference.Trace.Elapsed.Seconds() // nJ/s
	full := float64(battery.Energy(units.DefaultVoltage))
	// alike returns a claim whose energy is the energy that the runs show, multiplied by a factor.
	alike := func(times float64) *claim.Claim {
		c := hog()
		c.At = claim.Drain{Excess: times * 100 * shown / full, Half: 5 * shown / full, Reference: 0.002}
		return c
	}
	short, silent := *charged, *charged
	shorter := *charged.Subject.Trace
	shorter.Elapsed = time.Second
	short.Subject.Trace = &shorter
	unknown := *charged.Subject.Trace
	unknown.Elapsed = 0
	silent.Subject.Trace = &unknown
	nothing := hog()
	nothing.Hog, nothing.Conditions, nothing.At, nothing.Drain = false, nil, claim.Drain{}, claim.Drain{}
	gps := alike(3)
	gps.Conditions = []claim.Condition{{Feature: "location", Value: "on"}}
	for name, test := range map[string]struct {
		r    *analysis.Result
		c    *claim.Claim
		full units.Charge
		want finding.Agreement
	}{
		"as much":          {charged, alike(1), battery, finding.Agrees},
		"the fleet more":   {charged, alike(3), battery, finding.ShowsLess},
		"the fleet less":   {charged, alike(0.3), battery, finding.ShowsMore},
		"no battery":       {charged, alike(1), 0, finding.NoBattery},
		"a second":         {&short, alike(1), battery, finding.TooShort},
		"no length":        {&silent, alike(1), battery, finding.NoDuration},
		"no hog":           {charged, nothing, battery, finding.NoFigure},
		"no model":         {plain, alike(30), battery, finding.ProcessorOnly},
		"no such account":  {charged, gps, battery, finding.NoSuchAccount},
		"no model, enough": {plain, alike(0.0001), battery, finding.ShowsMore},
	} {
		if test.full == 0 {
			without := *test.r
			without.Subject.Battery, without.Reference.Battery = 0, 0
			test.r = &without
		}
		_, s := suspicion(t, test.r, test.c, test.full)
		if s.Agreement != test.want {
			t.Errorf("%s: %s, want %s: runs %+v, fleet %+v", name, s.Agreement, test.want, s.Runs, s.Fleet)
		}
	}
}

// TestFleetInWords checks that an app without an excess has no suspect tasks, and that the words state
// this. The words also state that a subject uses less power.
func TestFleetInWords(t *testing.T) {
	r := spotify(t, "")
	innocent, rare := hog(), hog()
	innocent.Hog = false
	rare.Hog, rare.Judged, rare.Clients = false, false, 7
	for text, c := range map[string]*claim.Claim{
		"the fleet has com.spotify on 12,400 devices, where it is not a hog: there is nothing to compare these runs with": innocent,
		"the fleet has com.spotify on 7 devices, too few to judge it: there is nothing to compare these runs with":        rare,
	} {
		if _, s := suspicion(t, r, c, battery); s.Len() != 0 || words.Suspicion(s, r) != text {
			t.Errorf("%d suspects: %s", s.Len(), words.Suspicion(s, r))
		}
	}
	for text, p := range map[string]finding.PowerRange{
		"; the subject uses 500 mW less: ":                    {Known: true, Power: -500_000},
		"; the subject uses 500 mW (300 mW to 700 mW) less: ": {Known: true, Bounded: true, Power: -500_000, Least: -700_000, Most: -300_000},
		"; the subject uses 1.5 W more: ":                     {Known: true, Power: 1_500_000},
	} {
		if got := words.Suspicion(&finding.Suspicion{Claim: hog(), Runs: p, Agreement: finding.ShowsLess}, r); !strings.Contains(got, text) {
			t.Errorf("%q lacks %q", got, text)
		}
	}
}

// TestRepeatedRunsBoundTheirPower checks that repeated runs give the power an interval, and that a
// varying run widens it. The words then do not warn about a single run. Runs that may be equal do
// not agree with a fleet.
func TestRepeatedRunsBoundTheirPower(t *testing.T) {
	r := *spotify(t, "lte")
	runs := func(in *analysis.Input, vary ...float64) []analysis.Run {
		var all []analysis.Run
		for _, v := range vary {
			all = append(all, analysis.Run{Energy: units.Energy(float64(in.Energy) * v), Elapsed: in.Trace.Elapsed})
		}
		return all
	}
	c := hog()
	full := float64(battery.Energy(units.DefaultVoltage))
	shown := float64(r.Subject.Energy)/r.Subject.Trace.Elapsed.Seconds() - float64(r.Reference.Energy)/r.Reference.Trace.Elapsed.Seconds() // nJ/s
	c.At = claim.Drain{Excess: 100 * shown / full, Half: 5 * shown / full, Reference: 0.002}
	widths := map[bool]units.Power{}
	for _, noisy := range []bool{false, true} {
		by := map[bool]float64{false: 0.01, true: 0.1}[noisy]
		r.Subject.Runs, r.Reference.Runs = runs(&r.Subject, 1-by, 1, 1+by), runs(&r.Reference, 1-by, 1, 1+by)
		_, s := suspicion(t, &r, c, battery)
		p := s.Runs
		if want := map[bool]finding.Agreement{false: finding.Agrees, true: finding.TooNoisy}[noisy]; s.Agreement != want {
			t.Errorf("runs that draw %+v more have the agreement %q, want %q", p, s.Agreement, want)
		}
		if !p.Bounded || p.Least >= p.Power || p.Most <= p.Power {
			t.Errorf("the power is %+v", p)
		}
		widths[noisy] = p.Most - p.Least
		if text := words.Suspicion(s, &r); strings.Contains(text, "one run a side") || !strings.Contains(text, " to ") {
			t.Errorf("the sentence is: %s", text)
		}
	}
	if widths[true] < 5*widths[false] {
		t.Errorf("runs that vary ten times as much have an interval of %v, the others of %v", widths[true], widths[false])
	}
}

// programs are the formats that pass call trees to other programs and show no tasks.
var programs = []string{"pprof", "folded", "speedscope", "firefox", "perfetto"}

// TestFleetInRenderings checks that each format that lists tasks has the fleet's figure, lists suspect
// tasks first, and marks them. JSON must keep its schema.
func TestFleetInRenderings(t *testing.T) {
	schema := compileSchemas(t)["report"]
	for _, model := range []string{"", "lte"} {
		r, s := suspicion(t, spotify(t, model), hog(), battery)
		set := finding.New(r).WithSuspicion(s)
		made := report.New(set, "test", s.Len()+3)
		d := report.NewComparison(set, made)
		for _, format := range render.Names(report.Comparison) {
			if slices.Contains(programs, format) {
				continue
			}
			text := rendered(t, d, format, report.Options{Width: 500})
			switch format {
			case "json":
				validate(t, schema, []byte(text))
			case "html":
				p, err := readPage(text)
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				if err := p.Report.WriteJSON(&b); err != nil {
					t.Fatal(err)
				}
				text = b.String()
			}
			text = strings.ReplaceAll(text, `\`, "")
			if format != "csv" && !strings.Contains(text, made.Fleet.Figure) {
				t.Errorf("%s lacks %q:\n%s", format, made.Fleet.Figure, text)
			}
			rest := text
			for i := range made.Tasks[:s.Len()] {
				_, after, ok := strings.Cut(rest, made.Tasks[i].Suspect.Message)
				if rest = after; !ok {
					t.Errorf("%s lacks %q, or not in its place:\n%s", format, made.Tasks[i].Suspect.Message, text)
					break
				}
			}
		}
	}
}

// TestFleetGolden compares all formats with the cases of testdata/fleet. The fleet of hog has
// suspects in their runs.
func TestFleetGolden(t *testing.T) {
	eachCase(t, "testdata/fleet/*.txtar", func(t *testing.T, c *comparison, got *txtar.Archive) {
		r, s := suspicion(t, c.result, hog(), battery)
		made := report.New(finding.New(r).WithSuspicion(s), "test", 0)
		add := func(name, format string, o report.Options) {
			got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(rendered(t, report.NewComparison(finding.New(r), made), format, o))})
		}
		for _, format := range []string{"text", "markdown", "github", "gitlab", "junit", "csv", "sarif"} {
			add(format, format, report.Options{})
		}
		add("nested", "text", report.Options{Nest: true})
		flask := report.NewFlasks(finding.New(r).WithSuspicion(s), "test", 0, analysis.Prune{})
		for _, format := range []string{"text", "markdown"} {
			got.Files = append(got.Files, txtar.File{Name: "flask as " + format, Data: []byte(rendered(t, flask, format, report.Options{}))})
		}
		made.GroupBy(finding.New(r).WithSuspicion(s), finding.ByCaller, 0)
		add("by caller", "text", report.Options{})
	})
}

// TestGateOfFleets checks that --fail-on fleet-hog is true for a hog, and for the version in which
// it uses more energy.
func TestGateOfFleets(t *testing.T) {
	r := spotify(t, "")
	innocent, rare := hog(), hog()
	innocent.Hog = false
	rare.Judged = false
	for _, test := range []struct {
		gate string
		c    *claim.Claim
		met  bool
		err  string
	}{
		{"fleet-hog", hog(), true, ""},
		{"fleet-hog:4.12", hog(), true, ""},
		{"fleet-hog:4.10", hog(), false, ""},
		{"fleet-hog:4.9", hog(), false, "too few devices ran version 4.9"},
		{"fleet-hog:5.0", hog(), false, "too few devices ran version 5.0"},
		{"fleet-hog", innocent, false, ""},
		{"fleet-hog:4.12", innocent, false, ""},
		{"fleet-hog", rare, false, "too few devices ran com.spotify"},
		{"fleet-hog and saving>99%", hog(), false, ""},
		{"saving>99% or fleet-hog", hog(), true, ""},
		{"fleet-hog", nil, false, "--fleet"},
	} {
		g, err := finding.ParseGate(test.gate)
		if err != nil {
			t.Fatal(err)
		}
		var s *finding.Suspicion
		if test.c != nil {
			_, s = suspicion(t, r, test.c, 0)
		}
		met, err := g.Met(finding.New(r).WithSuspicion(s))
		if (met != nil) != test.met || (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s of %+v: %+v, %v", test.gate, test.c, met, err)
		}
	}
	for _, wrong := range []string{"fleet-hog:", "fleet-hog>5%"} {
		if _, err := finding.ParseGate(wrong); err == nil {
			t.Errorf("%q is a gate", wrong)
		}
	}
}
