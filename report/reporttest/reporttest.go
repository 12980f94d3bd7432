// Package reporttest makes the documents of the golden files of package report, for tests of the
// packages that write these documents. go test ./report -update writes the files. Each format
// compares only its own sections, so a change of one format fails only the test of its package.
package reporttest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
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
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// goldens is the folder of the golden files, for packages in folders of report.
const goldens = "../testdata"

// A Golden has the sections of a golden file, by name.
type Golden map[string]string

// Read reads a golden file of package report.
func Read(t *testing.T, file string) Golden {
	t.Helper()
	return read(t, filepath.Join(goldens, file))
}

func read(t *testing.T, file string) Golden {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections := Golden{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
	}
	return sections
}

// Has fails the test unless a rendering equals a section.
func (g Golden) Has(t *testing.T, section string, write func(w io.Writer) error) {
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

// A Comparison compares the folded stacks of a golden file.
type Comparison struct {
	Golden
	Set *finding.Set
	// Report is made with the options of the file.
	Report *report.Report
	// Defaults is set if the file has no options.
	Defaults bool
}

// Comparisons calls the function each for every golden file with folded stacks on both sides.
func Comparisons(t *testing.T, each func(t *testing.T, c *Comparison)) {
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
		t.Run(filepath.Base(file), func(t *testing.T) { each(t, compared(t, g)) })
	}
	if tried < 2 {
		t.Errorf("%d golden files have folded stacks on both sides", tried)
	}
}

func compared(t *testing.T, g Golden) *Comparison {
	t.Helper()
	nano, err := units.ParseValueUnit("nJ")
	if err != nil {
		t.Fatal(err)
	}
	o := analysis.Options{Ingest: ingest.Options{Unit: nano}, Alpha: analysis.AutoAlpha, Coverage: true, Matching: eflask.Options{Threads: 1}}
	var top struct{ Top int }
	given, options := g["options.json"]
	if options {
		for _, to := range []any{&o, &top} {
			if err := json.Unmarshal([]byte(given), to); err != nil {
				t.Fatal(err)
			}
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
	set := finding.New(r)
	return &Comparison{g, set, report.New(set, "test", top.Top), !options}
}

// Subject returns the subject only.
func (c *Comparison) Subject() []*analysis.Input { return []*analysis.Input{&c.Set.Result.Subject} }

// Inputs returns the subject and the reference.
func (c *Comparison) Inputs() []*analysis.Input {
	return []*analysis.Input{&c.Set.Result.Subject, &c.Set.Result.Reference}
}

// Top lists methods of inputs, with the warnings of the comparison.
func (c *Comparison) Top(o report.TopOptions, inputs []*analysis.Input) *report.Top {
	made := report.NewTop(finding.ByGrain(o.Grain, inputs...), inputs, "test", o)
	made.NoteInputs(c.Set.Result.Comparability, c.Set.Result.Warnings)
	return made
}

// Flask returns the flask of the first task, or of the whole run if there are no tasks.
func (c *Comparison) Flask() *report.Document {
	return report.NewFlasks(c.Set, "test", min(0, len(c.Set.Result.Tasks)-1), analysis.Prune{})
}

// Busiest returns the index of the method of some inputs with the most callers and callees.
func Busiest(inputs []*analysis.Input) int {
	table := finding.ByMethod(inputs...)
	links := make([]int, len(table.Methods))
	for _, l := range table.Links {
		links[l.Caller]++
		links[l.Callee]++
	}
	return slices.Index(links, slices.Max(links))
}

// Booked returns the input of a recording whose energy is divided among several components.
func Booked(t *testing.T, stacks string) *analysis.Input {
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

// Profile returns the energy profile of an input.
func Profile(in *analysis.Input, o report.ProfileOptions) *report.Document {
	return &report.Document{View: report.EnergyProfile, Input: in, Profile: report.NewProfile(in, "test", o)}
}

// Components returns the comparison of the two inputs of components/batched.txtar, which have
// several components.
func Components(t *testing.T) (Golden, *report.Document) {
	t.Helper()
	g := Read(t, "components/batched.txtar")
	subject, reference := Booked(t, g["subject"]), Booked(t, g["reference"])
	r, err := analysis.Trees(t.Context(), subject.Tree.Source, reference.Tree.Source, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Subject.Trace, r.Reference.Trace = subject.Trace, reference.Trace
	r.Subject.Path, r.Reference.Path = "single.trace", "batched.trace"
	set := finding.New(r)
	return g, report.NewComparison(set, report.New(set, "test", 0))
}

// Apps returns the comparison of three apps. In its golden file, group/music.txtar, a comparison
// failed, and the paths of the advice at the end are shorter.
func Apps(t *testing.T) (Golden, *report.AppGroup) {
	t.Helper()
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
	return Read(t, "group/music.txtar"), report.NewAppGroup(run, "test", 5)
}

// TrendsFile is the golden file of Trends.
const TrendsFile = "trend/history.txtar"

// Trends calls the function each with the sections of TrendsFile and their documents: the trends of
// a made-up history, and the first commits that cost more. A section's name ends with a dot and its
// format.
func Trends(t *testing.T, each func(section string, d *report.Document)) {
	t.Helper()
	ctx, path := t.Context(), trendtest.News(t)
	// An entry with one run, and with a name that is markup.
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
	for _, c := range []struct {
		section string
		view    report.View
		made    *report.Trend
	}{
		{"trend.", report.CommitTrend, report.NewTrend(made, "test", named...)},
		{"blame.", report.CommitBlame, blamed},
		{"all.", report.CommitBlame, changed},
		{"none.", report.CommitBlame, none},
	} {
		each(c.section, &report.Document{View: c.view, Trend: c.made})
	}
}
