package text_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/group"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/git"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/history/trend/trendtest"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// goldens is the folder of the golden files, which package report writes: go test ./report -update.
// The tests here compare the sections in text, so that this package fails alone if it writes anything
// else.
const goldens = "../testdata"

// A golden is the sections of a golden file.
type golden map[string]string

// read reads a golden file.
func read(t *testing.T, file string) golden {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections := golden{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
	}
	return sections
}

// has compares a rendering with a section.
func (g golden) has(t *testing.T, section string, write func(w io.Writer) error) {
	t.Helper()
	want, ok := g[section]
	if !ok {
		t.Errorf("the golden file has no section %q", section)
		return
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("%s:\n%s\nwant:\n%s\nIf that is right, run go test ./report -update and read the diff.", section, b.String(), want)
	}
}

// compared compares the folded stacks of a golden file.
func compared(t *testing.T, g golden) *finding.Set {
	t.Helper()
	nano, err := units.ParseValueUnit("nJ")
	if err != nil {
		t.Fatal(err)
	}
	o := analysis.Options{Ingest: ingest.Options{Unit: nano}, Alpha: analysis.AutoAlpha, Coverage: true, Matching: eflask.Options{Threads: 1}}
	if given, ok := g["options.json"]; ok {
		if err := json.Unmarshal([]byte(given), &o); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(t.TempDir())
	for name, side := range map[string]*analysis.Side{"subject.folded": &o.Subject, "reference.folded": &o.Reference} {
		if err := os.WriteFile(name, []byte(g[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		side.Path = name
	}
	r, err := analysis.Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return finding.New(r)
}

// TestComparisons renders comparisons in all views.
func TestComparisons(t *testing.T) {
	files, err := filepath.Glob(goldens + "/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, file := range files {
		g := read(t, file)
		if g["subject.folded"] == "" || g["reference.folded"] == "" {
			continue
		}
		tried++
		t.Run(filepath.Base(file), func(t *testing.T) {
			top := struct{ Top int }{}
			if given, ok := g["options.json"]; ok {
				if err := json.Unmarshal([]byte(given), &top); err != nil {
					t.Fatal(err)
				}
			}
			set := compared(t, g)
			result := set.Result
			made := report.New(set, "test", top.Top)
			one, inputs := []*analysis.Input{&result.Subject}, []*analysis.Input{&result.Subject, &result.Reference}
			charge := units.MicroampereHour
			comparison := func(r *report.Report, o report.Options) func(io.Writer) error {
				return func(w io.Writer) error { return text.Comparison(w, r, o) }
			}
			g.has(t, "compare, 80 columns", comparison(made, report.Options{}))
			g.has(t, "compare, 140 columns, in colour, in µAh", comparison(made, report.Options{Width: 140, Color: true, Unit: &charge}))
			g.has(t, "compare, nested", comparison(made, report.Options{Nest: true}))
			grouped := report.New(set, "test", 1)
			grouped.GroupBy(set, finding.ByCaller, 0)
			g.has(t, "compare by caller", comparison(grouped, report.Options{}))
			g.has(t, "tree", func(w io.Writer) error {
				return text.Tree(w, report.NewTree(&result.Subject, "test", false, report.Prune{MinShare: 0.01}), report.Options{})
			})
			known, err := analysis.Platform(analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, given := g["options.json"]; !given {
				g.has(t, "packages", func(w io.Writer) error {
					return text.Packages(w, report.NewPackages(inputs, "test", known, 0), report.Options{})
				})
			}
			g.has(t, "flask of the first task", func(w io.Writer) error {
				return text.Write(w, report.NewFlasks(set, "test", min(0, len(result.Tasks)-1), analysis.Prune{}), report.Options{})
			})
			for _, c := range []struct {
				section string
				width   int
				inputs  []*analysis.Input
				options report.TopOptions
			}{
				{"top of the subject", 0, one, report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: -1}},
				{"top by saving, 140 columns", 140, inputs, report.TopOptions{Sort: report.BySaving, Grain: finding.EachMethod, Rows: 4, Method: -1}},
				{"top by library", 0, inputs, report.TopOptions{Sort: report.BySelf, Grain: finding.EachLibrary, Method: -1}},
				{"sandwich", 0, inputs, report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: busiest(inputs)}},
			} {
				g.has(t, c.section, func(w io.Writer) error {
					list := report.NewTop(finding.By(c.options.Grain, c.inputs...), c.inputs, "test", c.options)
					list.NoteInputs(result.Comparability, result.Warnings)
					return text.Write(w, &report.Document{View: report.ByMethod, Top: list}, report.Options{Width: c.width})
				})
			}
		})
	}
	if tried < 2 {
		t.Errorf("%d golden files have folded stacks on both sides", tried)
	}
}

// busiest returns the index of the method with the most callers and callees.
func busiest(inputs []*analysis.Input) int {
	table := finding.ByMethod(inputs...)
	links := make([]int, len(table.Methods))
	for _, l := range table.Links {
		links[l.Caller]++
		links[l.Callee]++
	}
	return slices.Index(links, slices.Max(links))
}

// booked makes the input of a recording with several accounts.
func booked(t *testing.T, stacks string) *analysis.Input {
	t.Helper()
	jvm := func(label string) name.Method { return name.Parse(label, name.JVM) }
	tree, tr, err := cct.Build(t.Context(), tracetest.Booked{Text: stacks, Only: -1, Method: jvm}, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Trees(t.Context(), tree, tree, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Subject.Path, r.Subject.Trace = "booked.trace", tr
	return &r.Subject
}

// TestComponents compares runs with several components.
func TestComponents(t *testing.T) {
	g := read(t, goldens+"/components/batched.txtar")
	subject, reference := booked(t, g["subject"]), booked(t, g["reference"])
	r, err := analysis.Trees(t.Context(), subject.Tree.Source, reference.Tree.Source, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Subject.Trace, r.Reference.Trace = subject.Trace, reference.Trace
	r.Subject.Path, r.Reference.Path = "single.trace", "batched.trace"
	set := finding.New(r)
	g.has(t, "text", func(w io.Writer) error {
		return text.Write(w, report.NewComparison(set, report.New(set, "test", 0)), report.Options{})
	})
}

// TestProfiles renders profiles of a run with several components.
func TestProfiles(t *testing.T) {
	g := read(t, goldens+"/profile/radio.txtar")
	in := booked(t, g["booked"])
	for section, c := range map[string]struct {
		options report.ProfileOptions
		width   int
	}{
		"80 columns":             {report.ProfileOptions{By: finding.EachMethod, Battery: units.MilliampereHour / 1000}, 0},
		"120 columns, own first": {report.ProfileOptions{By: finding.EachMethod, Sort: report.ByAll, Rows: 3}, 120},
		"by thread":              {report.ProfileOptions{By: finding.EachThread}, 0},
		"by process":             {report.ProfileOptions{By: finding.EachProcess}, 0},
	} {
		g.has(t, section, func(w io.Writer) error {
			d := &report.Document{View: report.EnergyProfile, Input: in, Profile: report.NewProfile(in, "test", c.options)}
			return text.Write(w, d, report.Options{Width: c.width})
		})
	}
}

// TestBundles renders the active periods of components.
func TestBundles(t *testing.T) {
	files, err := filepath.Glob(goldens + "/bundles/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files of bundles", err)
	}
	for _, file := range files {
		g := read(t, file)
		run := filepath.Join(t.TempDir(), "run.json")
		if err := os.WriteFile(run, []byte(g["run.json"]), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: run}, PowerModel: "passion", Bundles: true})
		if err != nil {
			t.Fatal(err)
		}
		in.Path = "run.json"
		var b bytes.Buffer
		if err := text.Profile(&b, report.NewProfile(in, "test", report.ProfileOptions{By: finding.EachMethod}), report.Options{}); err != nil {
			t.Fatal(err)
		}
		if want := g["bundles"]; len(want) < 100 || !strings.Contains(b.String(), want) {
			t.Errorf("%s: got\n%s\nwhich lacks\n%s", file, b.String(), want)
		}
	}
}

// TestApps renders a group of apps.
func TestApps(t *testing.T) {
	const cases = "../../testdata/cases"
	var members []group.Member
	for _, m := range [][2]string{{"pandora 5.7", "pandora57-pandora83/subject"}, {"pandora 8.3", "pandora57-pandora83/reference"}, {"spotify", "spotify-pandora83/subject"}} {
		found, err := filepath.Glob(filepath.Join(cases, m[1]+".trace*"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%d files are %s: %v", len(found), m[1], err)
		}
		members = append(members, group.Member{Name: m[0], Runs: found})
	}
	run, err := group.Run(t.Context(), members, group.Options{Compare: analysis.Options{Alpha: analysis.AutoAlpha, PowerProfile: filepath.Join(cases, "power_profile.xml")}})
	if err != nil {
		t.Fatal(err)
	}
	made := report.NewAppGroup(run, "test", 5)
	var without bytes.Buffer
	if err := text.Apps(&without, made, report.Options{}); err != nil {
		t.Fatal(err)
	}
	// In the golden file, a comparison failed, and the paths of the advice at the end are shorter.
	const advice = "\n\nCall trees: diffprof flask --task "
	want, wantEnd, _ := strings.Cut(read(t, goldens+"/group/music.txtar")["text"], advice)
	got, end, _ := strings.Cut(without.String(), advice)
	if len(want) < 1000 || got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if task, _, _ := strings.Cut(end, "\n"); !strings.HasPrefix(wantEnd, task) || strings.Contains(end, "<b>one</b>") || !strings.Contains(wantEnd, "<b>one</b>") {
		t.Errorf("got the end\n%s\nwant\n%s", end, wantEnd)
	}
}

// TestTrends renders the trends of a history, and the first commits that cost more.
func TestTrends(t *testing.T) {
	ctx, path := t.Context(), trendtest.News(t)
	trendtest.Add(t, path, history.Entry{Version: "<b>|1.9", Device: "Pixel 4", Scenario: "morning", Time: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)},
		"main;android.os.Handler.dispatchMessage;news.Settings.onClick 900000\n")
	store, err := history.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	entries, err := store.List(ctx, history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := trend.Read(ctx, entries, trendtest.Options(path))
	if err != nil {
		t.Fatal(err)
	}
	var named []*trend.Series
	for _, name := range []string{"Feed.onRefresh", "Settings.onClick"} {
		s, err := made.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		named = append(named, s)
	}
	bisect := func(context.Context, string, string) (*git.Bisection, error) {
		return &git.Bisection{Commits: 5, Middle: "abcdef0123456789", Steps: 3}, nil
	}
	blamed := report.NewTrend(made, "test", named...)
	for i, s := range named {
		blamed.SetNext(i, made.Next(ctx, s, bisect))
	}
	all := made.All()
	changed, listed := report.NewBlame(made, "test", all, 3)
	changed.SetNext(0, made.Next(ctx, listed[0], bisect))
	none, _ := report.NewBlame(made, "test", named[1:], 0)
	none.Judged = len(all)
	g := read(t, goldens+"/trend/history.txtar")
	for _, c := range []struct {
		section string
		view    report.View
		made    *report.Trend
	}{
		{"trend.text", report.OverCommits, report.NewTrend(made, "test", named...)},
		{"blame.text", report.Blamed, blamed},
		{"all.text", report.Blamed, changed},
		{"none.text", report.Blamed, none},
	} {
		g.has(t, c.section, func(w io.Writer) error {
			return text.Write(w, &report.Document{View: c.view, Trend: c.made}, report.Options{})
		})
	}
}
