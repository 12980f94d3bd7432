package report

import (
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A View selects what a Document shows of its inputs.
type View uint8

// The views.
const (
	// Comparison shows a comparison's tasks, and how they were found.
	Comparison View = iota
	// OneTask shows the two flasks of one task. WholeRun shows both whole runs.
	OneTask
	WholeRun
	// Contexts shows the call tree of one input.
	Contexts
	// PackageList shows the owner of each package of some inputs.
	PackageList
	// Description shows the properties of files.
	Description
	// ByMethod shows the energy of each method over all its contexts.
	ByMethod
	// ByApp shows the tasks that the apps of a group have in common.
	ByApp
	// Variation shows the smallest difference that repeated runs could show.
	Variation
	// Ledger shows the entries of a history.
	Ledger
	// FullRecording shows one whole input as recorded, for other programs.
	FullRecording
	// EnergyProfile shows the energy of one run by method, thread and component.
	EnergyProfile
	// CommitTrend shows the energy of runs, tasks or methods for each commit. CommitBlame shows the
	// commits since which their energy changed.
	CommitTrend
	CommitBlame
	// CostTable shows the content of a table of API costs.
	CostTable
	// ByLine shows the energy of each source line.
	ByLine
	// Diagnosis shows what keeps a gate (a --fail-on condition) from working.
	Diagnosis
)

// A Document has computed results, ready for rendering. Fields that its view does not show are nil.
// It is immutable and safe for concurrent reading.
type Document struct {
	View View
	// Doctor is set for Diagnosis.
	Doctor *Doctor
	// Set has the findings for Comparison, OneTask and WholeRun. Renderings use it for details that
	// Report and Flask lack.
	Set *finding.Set
	// Report has the tasks that a Comparison lists, the task of OneTask, or none.
	Report *Report
	// Task is the index of OneTask's task in Result.Tasks, or analysis.WholeRun.
	Task int
	// Flask is set for OneTask and WholeRun.
	Flask *Flask
	// Costs is set for CostTable.
	Costs *APITable
	// Input is set for Contexts and FullRecording. Renderings use it for details that Tree lacks.
	Input    *analysis.Input
	Tree     *Tree
	Packages *Packages
	Info     *Info
	Top      *Top
	Lines    *Lines
	Noise    *Noise
	History  *History
	Apps     *AppGroup
	Profile  *Profile
	Trend    *Trend
	// Version is the version of the program. It is set for FullRecording.
	Version string
}

// Options control the rendering. The zero value renders plain text for 80 columns. A rendering
// ignores options that do not apply to it.
type Options struct {
	// Unit is the unit of energy, and the first unit if the reader can choose. If it is nil, the
	// unit suits the figures.
	Unit *units.Unit
	// Voltage converts energy to charge. 0 means the document's voltage, or units.DefaultVoltage.
	Voltage units.Voltage
	// Width is the number of columns. 0 means 80. Text uses at least 60 and at most 500 columns.
	Width int
	// Root is the folder to which paths of source files are relative. If it is empty, paths do not
	// change.
	Root string
	// Links is the prefix of links to source files, or "" for no links. A link is the prefix, the
	// path below Root, and "#L" with a line.
	Links string
	// Color enables colors.
	Color bool
	// Nest lists a task after the task that contains it, indented.
	Nest bool
}

// NewComparison makes a document from a set and its report.
func NewComparison(set *finding.Set, made *Report) *Document {
	return &Document{View: Comparison, Set: set, Report: made, Task: analysis.WholeRun}
}

// NewFlasks makes the document of one task, or of the whole run if task is analysis.WholeRun.
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

// RelativePath returns a path relative to the folder root, with slashes. ok is false if the path is
// not below root, or if root is empty.
func RelativePath(root, path string) (below string, ok bool) {
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
