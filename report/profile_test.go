package report_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/reporttest"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/units"
)

// TestProfileGolden renders profiles of runs with several components. A case has a recording
// as "booked".
func TestProfileGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/profile/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases in testdata/profile", err)
	}
	schema := compileSchemas(t)["profile"]
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in := reporttest.Booked(t, string(archive.Files[0].Data))
		got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1:1]}
		for _, r := range []struct {
			name, format string
			options      report.ProfileOptions
			how          report.Options
		}{
			{"80 columns", "text", report.ProfileOptions{By: finding.EachMethod, Battery: units.MilliampereHour / 1000}, report.Options{}},
			{"120 columns, own first", "text", report.ProfileOptions{By: finding.EachMethod, Sort: report.ByAll, Rows: 3}, report.Options{Width: 120}},
			{"by thread", "text", report.ProfileOptions{By: finding.EachThread}, report.Options{}},
			{"by process", "text", report.ProfileOptions{By: finding.EachProcess}, report.Options{}},
			{"Markdown", "markdown", report.ProfileOptions{By: finding.EachMethod, Rows: 4}, report.Options{}},
			{"JSON", "json", report.ProfileOptions{By: finding.EachMethod}, report.Options{}},
		} {
			var b bytes.Buffer
			renderer, _ := render.Find(report.EnergyProfile, r.format)
			made := report.NewProfile(in, "test", r.options)
			if err := renderer.Render(&b, &report.Document{View: report.EnergyProfile, Input: in, Profile: made}, r.how); err != nil {
				t.Fatal(err)
			}
			if r.format == "json" {
				validate(t, schema, b.Bytes())
			}
			got.Files = append(got.Files, txtar.File{Name: r.name, Data: b.Bytes()})
		}
		hold(t, file, got)
	}
}

// TestTopByComponent checks that a list of methods has the energy of each component, and validates
// its JSON.
func TestTopByComponent(t *testing.T) {
	in := reporttest.Booked(t, bookedTexts(t)["radio"])
	top := report.NewTop(finding.ByMethod(in), []*analysis.Input{in}, "test", report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: -1})
	var shown, data bytes.Buffer
	if err := errors.Join(text.Top(&shown, top, report.Options{}), top.WriteJSON(&data)); err != nil {
		t.Fatal(err)
	}
	validate(t, compileSchemas(t)["top"], data.Bytes())
	if !strings.Contains(shown.String(), "cellular 34 + 420 tail") {
		t.Errorf("no components in\n%s", shown.String())
	}
	for _, row := range top.Rows {
		if drained(row.Subject.Components) != row.Subject.Inclusive {
			t.Errorf("%s: components %v of %d", row.Method, row.Subject.Components, row.Subject.Inclusive)
		}
	}
}

// TestComponentsCompared renders the comparison of runs with several components. It shows their
// energy in each task on both sides, and the component that causes most of a saving.
func TestComponentsCompared(t *testing.T) {
	const file = "testdata/components/batched.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	subject, reference := reporttest.Booked(t, string(archive.Files[0].Data)), reporttest.Booked(t, string(archive.Files[1].Data))
	r, err := analysis.Trees(t.Context(), subject.Tree.Source, reference.Tree.Source, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Subject.Trace, r.Reference.Trace = subject.Trace, reference.Trace
	r.Subject.Path, r.Reference.Path = "single.trace", "batched.trace"
	made := report.New(finding.New(r), "test", 0)
	d := report.NewComparison(finding.New(r), made)
	got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:2:2]}
	for _, format := range []string{"text", "markdown", "json"} {
		var b bytes.Buffer
		renderer, _ := render.Find(report.Comparison, format)
		if err := renderer.Render(&b, d, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if format == "json" {
			validate(t, compileSchemas(t)["report"], b.Bytes())
			continue // The schema and the sums below check enough.
		}
		got.Files = append(got.Files, txtar.File{Name: format, Data: b.Bytes()})
	}
	for _, task := range made.Tasks {
		if drained(task.Components) != task.Energy || task.Peer != nil && drained(task.Peer.Components) != task.Peer.Energy {
			t.Errorf("%s: components %v of %d", task.Method, task.Components, task.Energy)
		}
	}
	hold(t, file, got)
}

// TestProfileAddsUp checks that the exclusive energies of each kind of rows add up to the run's
// energy. So must threads, libraries and components. The links of a method must add up to the
// method's energy.
func TestProfileAddsUp(t *testing.T) {
	inputs := map[string]*analysis.Input{}
	for file, text := range bookedTexts(t) {
		inputs[file] = reporttest.Booked(t, text)
	}
	for name, pair := range pairs(t) {
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: pair[0]}, Ingest: stated(t)})
		if err != nil {
			t.Fatal(err)
		}
		inputs[name] = in
	}
	for name, in := range inputs {
		for _, grain := range finding.Grains() {
			p := report.NewProfile(in, "test", report.ProfileOptions{By: finding.Grain(grain)})
			for what, rows := range map[string][]report.ProfileRow{"rows": p.Rows, "threads": p.Threads, "libraries": p.Libraries} {
				var sum units.Energy
				for i := range rows {
					sum += rows[i].Exclusive
					if e := rows[i].Exclusive; len(p.Components) > 0 && drained(rows[i].ExclusiveBy) != e {
						t.Errorf("%s by %s: components of %s have %d of %d", name, grain, rows[i].Method, drained(rows[i].ExclusiveBy), e)
					}
					if e := rows[i].Inclusive; len(p.Components) > 0 && drained(rows[i].InclusiveBy) != e {
						t.Errorf("%s by %s: components of %s have %d of %d in all", name, grain, rows[i].Method, drained(rows[i].InclusiveBy), e)
					}
				}
				if sum != in.Energy {
					t.Errorf("%s by %s: %s have %d of %d", name, grain, what, sum, in.Energy)
				}
			}
			if len(p.Components) > 0 && drained(p.Components) != in.Energy {
				t.Errorf("%s: components have %d of %d", name, drained(p.Components), in.Energy)
			}
			for _, e := range p.Graph {
				row := &p.Rows[e.Row]
				if below := row.Exclusive + linked(e.Callees); below != row.Inclusive {
					t.Errorf("%s: %s has %d, of which %d is told", name, row.Method, row.Inclusive, below)
				}
				if above := linked(e.Callers); row.Method != cct.RootLabel && above != row.Inclusive {
					t.Errorf("%s: %s has %d, its callers %d", name, row.Method, row.Inclusive, above)
				}
			}
		}
	}
}

// bookedTexts returns the texts of the recordings in the golden cases.
func bookedTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	cases, err := filepath.Glob("testdata/profile/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(file), ".txtar")] = string(archive.Files[0].Data)
	}
	return texts
}

func drained(list []report.Component) (sum units.Energy) {
	for i := range list {
		sum += list[i].Energy()
	}
	return sum
}

func linked(list []report.GraphLink) (sum units.Energy) {
	for _, l := range list {
		sum += l.All
	}
	return sum
}
