package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// TestAPICostDocuments validates two documents against their schemas and compares them: a profile
// with API costs and Android's estimate, and a table that was checked.
func TestAPICostDocuments(t *testing.T) {
	schemas := compileSchemas(t)
	dump := filepath.Join(t.TempDir(), "dump.txt")
	if err := os.WriteFile(dump, []byte("  Estimated power use (mAh):\n    Capacity: 1000, Computed drain: 10, actual drain: 30-31\n"+
		"    Global\n      cpu: 8 apps: 7 duration: 1m\n      screen: 2 apps: 0\n    UID u0a1: 7 ( cpu=7 )\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := analysis.Options{Subject: analysis.Side{Path: "../testdata/apicosts/new.trace"}, APICosts: "../testdata/apicosts/costs.csv", APIGuess: true}
	in, err := analysis.Read(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	use, err := analysis.ReadBatteryUse(t.Context(), dump, o)
	if err != nil {
		t.Fatal(err)
	}
	p := report.NewProfile(in, "test", report.ProfileOptions{BatteryUse: use, Battery: 3000 * units.MilliampereHour, Activities: []report.Activity{{Name: "browsing", Hours: 9.5}}})
	var b bytes.Buffer
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	validate(t, schemas["profile"], b.Bytes())
	if len(p.BatteryUse.Notes) != 2 || *p.BatteryUse.Components[0].Apps != 7*units.MilliampereHour || p.BatteryUse.Components[0].Share != 0.8 {
		t.Errorf("%+v", p.BatteryUse)
	}
	overview := p.Overview(in)
	if c := overview.APICosts; c.AllAPIs != len(p.APICosts.APIs) || c.Costed+guessed(p) != in.Energy || overview.Methods[c.Routines[0].Method].Scope == "" || c.Legend == "" {
		t.Errorf("%+v of %v", c, in.Energy)
	}

	table, err := analysis.ReadAPICosts(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	known, err := analysis.Platform(o)
	if err != nil {
		t.Fatal(err)
	}
	toast := name.OfClass("android.widget.Toast", "show", "()V")
	sites := map[name.Method]int64{
		toast: 3, name.OfClass("android.widget.Toast", "cancel", "()V"): 2,
		name.OfClass("android.content.ContentValues", "<init>", "()V"): 1, name.OfClass("java.util.List", "size", "()I"): 7,
	}
	app := &analysis.APISites{Path: "app.apk", Survey: apicost.NewSurvey(table, sites, known.Supertypes), Unclear: 4}
	for _, made := range []*report.APITable{
		report.NewAPITable("costs.csv", "test", table, nil, nil), report.NewAPITable("costs.csv", "test", table, in, nil), report.NewAPITable("costs.csv", "test", table, nil, app),
	} {
		b.Reset()
		if err := made.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		validate(t, schemas["api-costs"], b.Bytes())
		if s := made.Sites; s != nil && (s.Sites != 6 || s.Costed != 3 || s.Share != 0.5 || s.Elsewhere != 7 || s.APIs[0].Method != toast.Label() ||
			s.APIs[0].Joules != "0.0006" || s.Missing[0].Sites != 2 || s.Missing[1].Reason != "no-cost") {
			t.Errorf("%+v", s)
		}
	}
}

// guessed returns the energy of the guesses.
func guessed(p *report.Profile) (sum units.Energy) {
	for _, m := range p.APICosts.Missing {
		sum += m.Energy
	}
	return sum
}
