package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/units"
)

// TestBundlesGolden renders the bundles of recorded runs on eprof's phone passion. A case has a
// recording as "run.json", and the bundles of the text report as "bundles".
func TestBundlesGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/bundles/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases in testdata/bundles", err)
	}
	schemas := compileSchemas(t)
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		run := filepath.Join(t.TempDir(), "run.json")
		if err := os.WriteFile(run, archive.Files[0].Data, 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: run}, PowerModel: "passion", Bundles: true})
		if err != nil {
			t.Fatal(err)
		}
		in.Path = "run.json"
		made := report.NewProfile(in, "test", report.ProfileOptions{By: finding.EachMethod})
		d := &report.Document{View: report.EnergyProfile, Input: in, Profile: made}
		var text, json bytes.Buffer
		for format, w := range map[string]*bytes.Buffer{"text": &text, "json": &json} {
			renderer, _ := render.Find(report.EnergyProfile, format)
			if err := renderer.Render(w, d, report.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		doc, err := jsonschema.UnmarshalJSON(&json)
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas["profile"].Validate(doc); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		adds(t, in, made.Bundles)
		covers(t, in, made)
		paired(t, run, schemas["report"])
		_, shown, _ := strings.Cut(text.String(), "Active periods")
		shown, _, _ = strings.Cut(shown, "Flat profile")
		got := &txtar.Archive{Comment: archive.Comment, Files: append(archive.Files[:1:1], txtar.File{Name: "bundles", Data: []byte("Active periods" + shown)})}
		if *update {
			if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || !bytes.Equal(want, txtar.Format(got)) {
			t.Errorf("%s: rewrite it with -update, and read the difference\n%s", file, shown)
		}
	}
}

// adds checks that the bundles of each component add up to its energy.
func adds(t *testing.T, in *analysis.Input, b *report.Bundles) {
	t.Helper()
	components, sum := units.Energy(0), units.Energy(0)
	for i := range in.Components {
		components += in.Components[i].Energy()
	}
	for _, bundle := range b.List {
		states := units.Energy(0)
		for _, s := range bundle.States {
			states += s.Energy
		}
		if bundle.Use+bundle.Tail != bundle.Energy || states != bundle.Energy {
			t.Errorf("%s: use %d and tail %d, states %d, all %d nJ", bundle.Component, bundle.Use, bundle.Tail, states, bundle.Energy)
		}
		sum += bundle.Energy
	}
	if sum != components || b.Energy != sum {
		t.Errorf("bundles have %d nJ, components %d", sum, components)
	}
	known := make(map[string]bool)
	for _, w := range b.Findings {
		if known[w.ID] {
			t.Errorf("two findings are %s", w.ID)
		}
		known[w.ID] = true
		if w.Saving > w.Energy || w.Saving <= 0 {
			t.Errorf("%s saves %d of %d nJ", w.Code, w.Saving, w.Energy)
		}
	}
}

// covers compares the time line of a page with the run. The time line must begin with the
// recording, and not with the first activity of a component. Each span must be at the place that
// the bundles state.
func covers(t *testing.T, in *analysis.Input, p *report.Profile) {
	t.Helper()
	o := p.Overview(in)
	if o.Begin != 0 || o.End < int64(in.Trace.Elapsed) {
		t.Errorf("the time line of a run of %v goes from %d to %d ns", in.Trace.Elapsed, o.Begin, o.End)
	}
	begins := make(map[int64]bool)
	for _, lane := range o.Lanes {
		for _, s := range lane.Spans {
			begins[s[0]] = true
			if s[0] < o.Begin || s[1] > o.End {
				t.Errorf("%s has a span from %d to %d ns, the time line goes from %d to %d", lane.Component, s[0], s[1], o.Begin, o.End)
			}
		}
	}
	for _, b := range p.Bundles.List {
		if !begins[b.Begin] {
			t.Errorf("%s has a bundle at %d ns, and no span that begins there", b.Component, b.Begin)
		}
	}
}

// paired compares the bundles of a run with themselves.
func paired(t *testing.T, run string, schema *jsonschema.Schema) {
	t.Helper()
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: run}, Reference: analysis.Side{Path: run}, PowerModel: "passion", Bundles: true})
	if err != nil {
		t.Fatal(err)
	}
	made := report.New(finding.New(r), "test", 0)
	var json bytes.Buffer
	if err := report.WriteJSON(&json, report.NewComparison(finding.New(r), made), report.Options{}); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&json)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	b := made.Bundles
	if len(b.Pairs) != len(b.Subject.List) || len(b.Pairs) == 0 {
		t.Errorf("%d bundles make %d pairs with themselves", len(b.Subject.List), len(b.Pairs))
	}
	for _, p := range b.Pairs {
		if p.Subject == nil || p.Reference == nil || p.Difference != 0 {
			t.Errorf("a bundle differs from itself: %+v", p)
		}
	}
}
