// Package render is the table of renderings: how to write each [report.View] in each
// format. Commands and the language server look up in it and know no format.
package render

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/check"
	"github.com/diffprof/diffprof/report/html"
	"github.com/diffprof/diffprof/report/markdown"
	"github.com/diffprof/diffprof/report/profile"
	"github.com/diffprof/diffprof/report/text"
)

// A Renderer writes documents in one format.
type Renderer struct {
	// Name is what --format calls the format, Extension what files of it end with.
	Name, Extension string
	// Shows are the views that the format has.
	Shows []report.View
	// Top is the default number of tasks in a Comparison, 0 for all. Rows is the number of rows in
	// a flask. If PathApart is set, the call path is not counted.
	Top, Rows int
	PathApart bool
	// Contexts is set where a tree is shown whole unless told: it is how many contexts at most.
	Contexts int
	// Rankings is how many call trees of a group are shown side by side.
	Rankings int
	// Bundles is set where the run of a power model is shown with its bundles, asked for or not.
	Bundles bool
	// Wastes is set where findings of components are shown, asked for or not, if a power model is
	// given; Findings is set where nothing else of a single run is shown.
	Wastes, Findings bool
	// Coverage is set where a Comparison shows what matches at each α.
	Coverage bool
	// Binary is set where the format is not for people's eyes.
	Binary bool
	// Render writes a document of one of the views. It fails with w's errors.
	Render func(w io.Writer, d *report.Document, o report.Options) error
	// Timeline writes the calls of a run as they are played, for Recorded where the run has moments; nil
	// for formats without time. version is diffprof's.
	Timeline func(w io.Writer, in *analysis.Input, version string) profile.Timeline
}

// table lists the formats, the default of each view first.
var table = []Renderer{
	{
		Name: "text", Extension: ".txt", Top: 20, Rows: 60, PathApart: true, Render: text.Write,
		Shows: []report.View{report.Comparison, report.OneTask, report.WholeRun, report.Contexts, report.PackageList, report.Description, report.ByMethod, report.EnergyProfile, report.Varying, report.Ledger, report.ByApp, report.OverCommits, report.Blamed},
	},
	{
		Name: "json", Extension: ".json", Coverage: true, Render: report.WriteJSON,
		Shows: []report.View{report.Comparison, report.OneTask, report.WholeRun, report.Contexts, report.PackageList, report.Description, report.ByMethod, report.EnergyProfile, report.Varying, report.Ledger, report.ByApp, report.OverCommits, report.Blamed, report.Recorded},
	},
	{Name: "html", Extension: ".html", Top: 500, Contexts: 20_000, Rankings: 400, Coverage: true, Bundles: true, Render: html.Write, Shows: []report.View{report.Comparison, report.Contexts, report.EnergyProfile, report.ByApp, report.OverCommits, report.Blamed}},
	{
		Name: "markdown", Extension: ".md", Top: 10, Wastes: true, Render: markdown.Write,
		Shows: []report.View{report.Comparison, report.OneTask, report.ByMethod, report.EnergyProfile, report.ByApp, report.OverCommits, report.Blamed},
	},
	{Name: "sarif", Extension: ".sarif", Wastes: true, Findings: true, Render: check.SARIF, Shows: checked},
	{Name: "github", Extension: ".github.txt", Wastes: true, Findings: true, Render: check.GitHub, Shows: checked},
	{Name: "gitlab", Extension: ".gitlab.json", Wastes: true, Findings: true, Render: check.GitLab, Shows: checked},
	{Name: "junit", Extension: ".junit.xml", Wastes: true, Findings: true, Render: check.JUnit, Shows: checked},
	{Name: "csv", Extension: ".csv", Wastes: true, Render: check.CSV, Shows: checked},
	{Name: "pprof", Extension: ".pprof", Binary: true, Render: profiled(profile.Pprof), Shows: profiles},
	{Name: "folded", Extension: ".folded", Render: profiled(profile.Folded), Shows: profiles},
	{Name: "speedscope", Extension: ".speedscope.json", Render: profiled(profile.Speedscope), Shows: profiles},
	{Name: "firefox", Extension: ".firefox.json", Render: profiled(profile.Firefox), Shows: profiles},
	{Name: "perfetto", Extension: ".perfetto-trace", Binary: true, Render: profiled(profile.Perfetto), Timeline: profile.PerfettoTimeline, Shows: profiles},
	{Name: "chrome", Extension: ".chrome.json", Render: profiled(profile.Chrome), Timeline: profile.ChromeTimeline, Shows: []report.View{report.Recorded}},
}

// checked are the views whose findings build servers show.
var checked = []report.View{report.Comparison, report.EnergyProfile}

// profiles are the views that are written as profiles of other programs.
var profiles = []report.View{report.Recorded, report.Comparison}

// profiled renders documents by a writer of profiles.
func profiled(write func(io.Writer, *profile.Profile) error) func(io.Writer, *report.Document, report.Options) error {
	return func(w io.Writer, d *report.Document, _ report.Options) error { return write(w, profile.New(d)) }
}

// Names returns the formats of a view, its default first.
func Names(v report.View) []string {
	var names []string
	for _, r := range table {
		if slices.Contains(r.Shows, v) {
			names = append(names, r.Name)
		}
	}
	return names
}

// Find returns the renderer of a view in the format with this name.
func Find(v report.View, name string) (r Renderer, ok bool) {
	return find(v, func(r Renderer) bool { return r.Name == name })
}

// ForFile returns the renderer of a view in the format that a file's name asks for: the one
// whose extension says most of it.
func ForFile(v report.View, path string) (r Renderer, ok bool) {
	name := strings.ToLower(filepath.Base(path))
	if strings.HasSuffix(name, ".htm") {
		name += "l"
	}
	for _, other := range table {
		if slices.Contains(other.Shows, v) && strings.HasSuffix(name, other.Extension) && len(other.Extension) > len(r.Extension) {
			r, ok = other, true
		}
	}
	return r, ok
}

func find(v report.View, is func(Renderer) bool) (Renderer, bool) {
	i := slices.IndexFunc(table, func(r Renderer) bool { return is(r) && slices.Contains(r.Shows, v) })
	if i < 0 {
		return Renderer{}, false
	}
	return table[i], true
}
