// Package render is the table of renderings: the writer for each [report.View] in each format.
// Commands and the language server look up renderers in it and have no knowledge of formats.
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
	// Name is the format's name in --format. Extension is the extension of its files.
	Name, Extension string
	// Views are the views that can be written in the format.
	Views []report.View
	// Top is the default number of tasks in a Comparison, 0 for all tasks. Rows is the number of
	// rows in the call trees of a task. If RowsExcludePath is set, Rows does not include the call
	// path.
	Top, Rows       int
	RowsExcludePath bool
	// Contexts is the default limit of contexts in a tree. It is set if the format shows a tree as a
	// whole.
	Contexts int
	// Rankings is the number of call trees of a group shown side by side.
	Rankings int
	// Bundles is set if the format always shows bundles (active periods of components) of a run
	// with a power model, even if they were not requested.
	Bundles bool
	// Wastes is set if the format always shows energy that components used without need, for a run
	// with a power model. Findings is set if the format shows nothing else about a single run.
	Wastes, Findings bool
	// Coverage is set if a Comparison shows the matched share at each α (tolerance of the
	// matching).
	Coverage bool
	// Lines is set if a Recorded run keeps the source lines of its samples.
	Lines bool
	// Binary is set if people cannot read the format.
	Binary bool
	// Render writes a document of one of the views. It returns w's errors.
	Render func(w io.Writer, d *report.Document, o report.Options) error
	// Timeline writes the calls of a run while they are played, for Recorded runs with times. It is nil
	// for formats without time. version is diffprof's version.
	Timeline func(w io.Writer, in *analysis.Input, version string) profile.Timeline
}

// table lists the formats, the default of each view first.
var table = []Renderer{
	{
		Name: "text", Extension: ".txt", Top: 20, Rows: 60, RowsExcludePath: true, Render: text.Write,
		Views: []report.View{report.Comparison, report.OneTask, report.WholeRun, report.Contexts, report.PackageList, report.Description, report.ByMethod, report.ByLine, report.EnergyProfile, report.Variation, report.Ledger, report.ByApp, report.CommitTrend, report.CommitBlame, report.CostTable, report.Diagnosis},
	},
	{
		Name: "json", Extension: ".json", Coverage: true, Render: report.WriteJSON,
		Views: []report.View{report.Comparison, report.OneTask, report.WholeRun, report.Contexts, report.PackageList, report.Description, report.ByMethod, report.ByLine, report.EnergyProfile, report.Variation, report.Ledger, report.ByApp, report.CommitTrend, report.CommitBlame, report.CostTable, report.Diagnosis, report.FullRecording},
	},
	{Name: "html", Extension: ".html", Top: 500, Contexts: 20_000, Rankings: 400, Coverage: true, Bundles: true, Render: html.Write, Views: []report.View{report.Comparison, report.Contexts, report.EnergyProfile, report.ByApp, report.CommitTrend, report.CommitBlame}},
	{
		Name: "markdown", Extension: ".md", Top: 10, Wastes: true, Render: markdown.Write,
		Views: []report.View{report.Comparison, report.OneTask, report.ByMethod, report.ByLine, report.EnergyProfile, report.ByApp, report.CommitTrend, report.CommitBlame},
	},
	{Name: "sarif", Extension: ".sarif", Wastes: true, Findings: true, Render: check.SARIF, Views: findingViews},
	{Name: "github", Extension: ".github.txt", Wastes: true, Findings: true, Render: check.GitHub, Views: findingViews},
	{Name: "gitlab", Extension: ".gitlab.json", Wastes: true, Findings: true, Render: check.GitLab, Views: findingViews},
	{Name: "junit", Extension: ".junit.xml", Wastes: true, Findings: true, Render: check.JUnit, Views: findingViews},
	{Name: "csv", Extension: ".csv", Wastes: true, Render: check.CSV, Views: findingViews},
	{Name: "pprof", Extension: ".pprof", Binary: true, Lines: true, Render: profiled(profile.Pprof), Views: profiles},
	{Name: "folded", Extension: ".folded", Render: profiled(profile.Folded), Views: profiles},
	{Name: "speedscope", Extension: ".speedscope.json", Render: profiled(profile.Speedscope), Views: profiles},
	{Name: "firefox", Extension: ".firefox.json", Render: profiled(profile.Firefox), Views: profiles},
	{Name: "perfetto", Extension: ".perfetto-trace", Binary: true, Render: profiled(profile.Perfetto), Timeline: profile.PerfettoTimeline, Views: profiles},
	{Name: "chrome", Extension: ".chrome.json", Render: profiled(profile.Chrome), Timeline: profile.ChromeTimeline, Views: []report.View{report.FullRecording}},
}

// findingViews are the views with findings that build servers show.
var findingViews = []report.View{report.Comparison, report.EnergyProfile}

// profiles are the views that can be written as profiles of other programs.
var profiles = []report.View{report.FullRecording, report.Comparison}

// profiled converts a writer of profiles to a renderer.
func profiled(write func(io.Writer, *profile.Profile) error) func(io.Writer, *report.Document, report.Options) error {
	return func(w io.Writer, d *report.Document, _ report.Options) error { return write(w, profile.New(d)) }
}

// Names returns the formats of a view, its default first.
func Names(v report.View) []string {
	var names []string
	for _, r := range table {
		if slices.Contains(r.Views, v) {
			names = append(names, r.Name)
		}
	}
	return names
}

// Find returns the renderer for a view in the format with this name.
func Find(v report.View, name string) (r Renderer, ok bool) {
	return find(v, func(r Renderer) bool { return r.Name == name })
}

// ForFile returns the renderer for a view in the format that a file's name implies: the one with the
// longest matching extension.
func ForFile(v report.View, path string) (r Renderer, ok bool) {
	name := strings.ToLower(filepath.Base(path))
	if strings.HasSuffix(name, ".htm") {
		name += "l"
	}
	for _, other := range table {
		if slices.Contains(other.Views, v) && strings.HasSuffix(name, other.Extension) && len(other.Extension) > len(r.Extension) {
			r, ok = other, true
		}
	}
	return r, ok
}

func find(v report.View, is func(Renderer) bool) (Renderer, bool) {
	i := slices.IndexFunc(table, func(r Renderer) bool { return is(r) && slices.Contains(r.Views, v) })
	if i < 0 {
		return Renderer{}, false
	}
	return table[i], true
}
