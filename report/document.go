package report

import (
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A View is the part of its inputs that a Document shows.
type View uint8

// The views.
const (
	// Comparison is a comparison's tasks, with what led to them.
	Comparison View = iota
	// OneTask is the two flasks of a single task, WholeRun those of both runs.
	OneTask
	WholeRun
	// Contexts is the tree of one input.
	Contexts
	// PackageList is whose code each package of some inputs is taken for.
	PackageList
	// Description is what files are.
	Description
	// ByMethod is what each method drained over all of its contexts.
	ByMethod
	// ByApp is what the apps of a group have in common.
	ByApp
	// Varying is what difference repeated runs could show.
	Varying
	// Ledger is what a history has kept.
	Ledger
	// Recorded is one input whole, as it was recorded, for other programs.
	Recorded
	// EnergyProfile is where the energy of one run went, by method, thread and component.
	EnergyProfile
	// OverCommits is what something drained, commit by commit; Blamed is since when.
	OverCommits
	Blamed
)

// A Document holds what was computed and is to be rendered. What its view does not
// show is nil. It is not changed once made and may be read concurrently.
type Document struct {
	View View
	// Set is what the comparison of the first three views found, for renderings that show more
	// of it than Report and Flask hold.
	Set *finding.Set
	// Report has the tasks that a Comparison lists, the task of OneTask, or none.
	Report *Report
	// Task is the index in Result.Tasks of OneTask's, else analysis.WholeRun.
	Task int
	// Flask is set for OneTask and WholeRun.
	Flask *Flask
	// Input is set for Contexts and Recorded, for renderings that show more than Tree has.
	Input    *analysis.Input
	Tree     *Tree
	Packages *Packages
	Info     *Info
	Top      *Top
	Noise    *Noise
	History  *History
	Apps     *AppGroup
	Profile  *Profile
	Trend    *Trend
	// Version is the version of the program. It is set for Recorded.
	Version string
}

// Options say how to render. The zero value is plain text for 80 columns. Renderings
// leave out what they do not know.
type Options struct {
	// Unit is the unit of energy, and the first unit if the reader can choose. If it is nil, the
	// unit suits the figures.
	Unit *units.Unit
	// Voltage turns energy into charge; 0 is the document's, or units.DefaultVoltage.
	Voltage units.Voltage
	// Width is the number of columns to use; 0 is 80. Text uses 60 at least and 500
	// at most.
	Width int
	// Root is the folder that paths of source files are shown relative to; empty leaves them.
	Root string
	// Links is what a path below Root, with #L and a line, makes an address of; empty for no
	// links.
	Links string
	// Color says whether to use colours.
	Color bool
	// Nest says whether to list tasks behind the one that they lie inside of, indented.
	Nest bool
}

// NewComparison makes a document of a set and of a report of it.
func NewComparison(set *finding.Set, made *Report) *Document {
	return &Document{View: Comparison, Set: set, Report: made, Task: analysis.WholeRun}
}

// NewFlasks makes a document of a set's task, or of analysis.WholeRun.
func NewFlasks(set *finding.Set, version string, task int, p analysis.Prune) *Document {
	d := &Document{View: WholeRun, Set: set, Task: task, Flask: NewFlask(set, set.Result.Flask(task, p))}
	var shown []finding.Ranked
	if task != analysis.WholeRun {
		d.View = OneTask
		shown = []finding.Ranked{{Index: task}}
	}
	d.Report = newReport(set, version, shown)
	return d
}

// Below is a path as seen from a folder, with slashes; ok is false if it lies outside, or no
// folder is named.
func Below(root, path string) (below string, ok bool) {
	absolute, err := filepath.Abs(path)
	if err != nil || root == "" {
		return "", false
	}
	below, err = filepath.Rel(root, absolute)
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(below), true
}
