// Package report turns computed results into documents for people and programs.
//
// A [Document] has the results to show. Package render has the table of renderers, which write
// documents. A [Report] is a comparison in diffprof's JSON. Its format is a contract with other
// programs, described by docs/report.schema.json. All renderings of a comparison show the figures of
// its Report.
//
// Laws of every Report:
//
//   - the matched, the unmatched and the outside energy of its Summary add up to the subject's energy
//     exactly, even if Tasks omits tasks;
//   - the same sums hold for the reference, and the fields of each Outside add up to the outside
//     energy;
//   - the energies of its Packages add up to the energy of each run, and so do the energies of its
//     Threads;
//   - each Energy is an exact integer, and each share is the quotient of two energies;
//   - the same comparison gives the same bytes;
//   - arrays are never null. Values that do not exist are null, such as the peer of an unmatched task,
//     or the split of a task without call counts.
//
// New fields may be added at any time. The meaning of a field only changes with [SchemaVersion]. A
// Report is immutable and safe for concurrent reading.
package report

import (
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// SchemaVersion is the version of the JSON that this package writes.
const SchemaVersion = 1

// A Report is a finished comparison.
type Report struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Alpha         Alpha `json:"alpha"`
	Subject       Input `json:"subject"`
	Reference     Input `json:"reference"`
	// SameContent is analysis.Result.SameContent.
	SameContent bool `json:"sameContent"`
	// Counts names the kind of the numbers of calls on both sides: "calls" or "samples". It is empty
	// if there are none. See words.Counts.
	Counts   string   `json:"counts"`
	Matching Matching `json:"matching"`
	Summary  Summary  `json:"summary"`
	// Repeats describes repeated runs. It is nil if a side has one run. Spread describes in words
	// how far figures may be off by chance. It is also set for single runs.
	Repeats *Repeats `json:"repeats"`
	Spread  string   `json:"spread"`
	// Judgement is the result of the comparison.
	Judgement Judgement `json:"judgement"`
	// set is the source of the report. It is nil for a report that was read from a file.
	set *finding.Set
	// Fleet has a fleet's figures for the subject's app. It is absent unless requested.
	Fleet *Fleet `json:"fleet,omitempty"`
	// Packages divide the energy by package. They are sorted by their energy in the run in which
	// they use more.
	Packages []PackageEnergy `json:"packages"`
	// Threads has the energy by thread, in the same order.
	Threads []ThreadEnergy `json:"threads"`
	// Comparability has the differences between the two recordings that affect the comparison.
	Comparability []Note `json:"comparability"`
	// Tasks are the subject's tasks: suspects first, then by possible saving. The list has at most
	// as many tasks as the caller of New requested.
	Tasks []Task `json:"tasks"`
	// AppCode is the energy of the app's own code, sorted by possible saving. Tasks and AppCode are
	// parts of one ranking, and the report has the first rows of this ranking.
	AppCode []AppCode `json:"appCode"`
	// GroupedBy is the common property of the tasks of a group: "method", "package" or "caller".
	// GroupedBy and Groups are empty unless GroupBy was called.
	GroupedBy string  `json:"groupedBy"`
	Groups    []Group `json:"groups"`
	// AllGroups counts all groups, including groups that Groups omits.
	AllGroups int    `json:"-"`
	Warnings  []Note `json:"warnings"`
	// Bundles has the bundles of both runs. It is nil, and absent in JSON, unless requested.
	Bundles *BundleComparison `json:"bundles,omitempty"`
	// Methods has the methods of Tasks, AppCode, Groups and Bundles.
	Methods Methods `json:"methods"`
	// Ignored is the number of tasks that Summary includes but Tasks omits. Warnings states this.
	Ignored int `json:"-"`
	// IgnoredCode is the corresponding number for app code.
	IgnoredCode int `json:"-"`
	// Voltage converts energy to charge, for renderings in µAh.
	Voltage units.Voltage `json:"-"`
}

// Tool identifies the program that wrote a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Alpha is the largest distance allowed between the paths of a pair.
type Alpha struct {
	// Requested is "auto" or an int.
	Requested any `json:"requested"`
	Used      int `json:"used"`
	// Coverage has one entry per α that was tried, including Used, sorted by α.
	Coverage []Coverage `json:"coverage"`
}

// Coverage is the matched part of the subject at one α. Its fields have the same meaning as in
// Summary. MatchedShare is the share of matched tasks, 1 if there are no tasks.
type Coverage struct {
	Alpha              int          `json:"alpha"`
	Matched            int          `json:"matched"`
	MatchedShare       float64      `json:"matchedShare"`
	MatchedEnergy      units.Energy `json:"matchedNJ"`
	MatchedEnergyShare float64      `json:"matchedEnergyShare"`
}

// Matching has the size of a matching.
type Matching struct {
	// Size is the number of pairs whose methods count as equal. Pairs is the number of all pairs.
	// Both include the roots.
	Size  int `json:"size"`
	Pairs int `json:"pairs"`
}

// Summary sums up the subject's energy over all its tasks, including tasks that are not listed. The
// energy of a nested task counts only for the innermost task, so no energy counts twice.
type Summary struct {
	Tasks     int `json:"tasks"`
	Matched   int `json:"matched"`
	Unmatched int `json:"unmatched"`
	// Perhaps counts the tasks in Unmatched that have a possible counterpart.
	Perhaps int `json:"perhaps"`
	// Message describes the matched part in words.
	Message string `json:"message"`
	// LittleInCommon is set if the runs have little in common: see analysis.Summary. Differences
	// are then not called savings.
	LittleInCommon bool `json:"littleInCommon"`
	// Savable is Headline.ActLeast.
	Savable              units.Energy `json:"savableNJ"`
	MatchedEnergy        units.Energy `json:"matchedNJ"`
	UnmatchedEnergy      units.Energy `json:"unmatchedNJ"`
	OutsideTasksEnergy   units.Energy `json:"outsideTasksNJ"`
	MatchedEnergyShare   float64      `json:"matchedEnergyShare"`
	UnmatchedEnergyShare float64      `json:"unmatchedEnergyShare"`
	// The fields of Outside add up to OutsideTasksEnergy.
	Outside Outside     `json:"outside"`
	AppCode CodeSummary `json:"appCode"`
	// Reference sums up the reference's energy.
	Reference RunSummary `json:"reference"`
}

// A Note is a warning, or a difference between the inputs that affects the comparison.
type Note struct {
	// Code is stable, for programs.
	Code string `json:"code"`
	// Message is one sentence for people.
	Message string `json:"message"`
	// Severity is "warning" or "info" in Report.Comparability, and absent in other lists.
	Severity string `json:"severity,omitempty"`
}

// notes converts warnings to notes. It never returns nil.
func notes(warnings []trace.Warning) []Note {
	list := make([]Note, len(warnings))
	for i, w := range warnings {
		list[i] = Note{Code: w.Code, Message: w.Message}
	}
	return list
}

// comparability converts differences between two recordings to notes. It never returns nil.
func comparability(unlike []trace.Warning) []Note {
	list := notes(unlike)
	for i := range list {
		list[i].Severity = "warning"
	}
	return list
}
