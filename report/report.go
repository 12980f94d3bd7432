// Package report turns computed results into documents for people and programs.
//
// A [Document] has the results to show, and package render has the functions that write it. A
// [Report] is a comparison in diffprof's JSON. Other programs rely on this format:
// docs/report.schema.json. All outputs of a comparison show the figures of its Report.
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

// A Report is the result of comparing two recordings: the subject and the reference.
type Report struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Alpha         Alpha `json:"alpha"`
	Subject       Input `json:"subject"`
	Reference     Input `json:"reference"`
	// SameContent is set if both recordings are the same: see analysis.Result.
	SameContent bool `json:"sameContent"`
	// Counts says what is counted on both sides: "calls" or "samples". It is empty if neither is.
	Counts   string   `json:"counts"`
	Matching Matching `json:"matching"`
	Summary  Summary  `json:"summary"`
	// Repeats is set if both sides have several runs. Spread is a sentence about chance
	// differences, also for single runs.
	Repeats *Repeats `json:"repeats"`
	Spread  string   `json:"spread"`
	// Judgement is the result of the comparison.
	Judgement Judgement `json:"judgement"`
	// set is what the report was made from. It is nil if the report was read from a file.
	set *finding.Set
	// Fleet is what a fleet of devices shows about the app. It is absent unless requested.
	Fleet *Fleet `json:"fleet,omitempty"`
	// Packages has the energy by package. It is sorted by the larger energy of the two runs.
	Packages []PackageEnergy `json:"packages"`
	// Threads has the energy by thread, in the same order.
	Threads []ThreadEnergy `json:"threads"`
	// Comparability lists differences between the recordings that make comparing them harder.
	Comparability []Note `json:"comparability"`
	// Tasks are the subject's tasks (calls of the framework). Those that a fleet suspects come
	// first, then the largest possible savings. The caller of New limits their number.
	Tasks []Task `json:"tasks"`
	// AppCode is the energy of the app's own code. Tasks and AppCode are ranked together, and the
	// report has the first rows of the ranking.
	AppCode []AppCode `json:"appCode"`
	// GroupedBy is what the tasks of a group have in common: "method", "package" or "caller". It
	// and Groups are empty unless GroupBy was called.
	GroupedBy string  `json:"groupedBy"`
	Groups    []Group `json:"groups"`
	// AllGroups counts all groups, including groups that Groups omits.
	AllGroups int    `json:"-"`
	Warnings  []Note `json:"warnings"`
	// Bundles has the bundles of both runs. It is nil, and absent in JSON, unless requested.
	Bundles *BundleComparison `json:"bundles,omitempty"`
	// Methods has the methods of Tasks, AppCode, Groups and Bundles.
	Methods Methods `json:"methods"`
	// Ignored counts the tasks that are in Summary but not in Tasks, because they are ignored.
	Ignored int `json:"-"`
	// IgnoredCode is the same for app code.
	IgnoredCode int `json:"-"`
	// Voltage converts energy to charge, for renderings in µAh.
	Voltage units.Voltage `json:"-"`
}

// Tool identifies the program that wrote a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Alpha is the parameter α: the largest edit distance of two call paths that may match.
type Alpha struct {
	// Requested is "auto" or a number.
	Requested any `json:"requested"`
	Used      int `json:"used"`
	// Coverage has an entry for each α that was tried, sorted by α. Used is one of them.
	Coverage []Coverage `json:"coverage"`
}

// Coverage is how much was matched with one α. MatchedShare is the share of tasks, or 1 without
// tasks. Other fields are as in Summary.
type Coverage struct {
	Alpha              int          `json:"alpha"`
	Matched            int          `json:"matched"`
	MatchedShare       float64      `json:"matchedShare"`
	MatchedEnergy      units.Energy `json:"matchedNJ"`
	MatchedEnergyShare float64      `json:"matchedEnergyShare"`
}

// Matching is the size of the matching of the two call trees.
type Matching struct {
	// Pairs counts the matched nodes. Size counts those whose methods are equal. Both include the
	// roots.
	Size  int `json:"size"`
	Pairs int `json:"pairs"`
}

// Summary sums up the subject's energy over all tasks, listed or not. Energy in nested tasks counts
// once, for the innermost task.
type Summary struct {
	Tasks     int `json:"tasks"`
	Matched   int `json:"matched"`
	Unmatched int `json:"unmatched"`
	// Possible counts the unmatched tasks with a possible counterpart.
	Possible int `json:"perhaps"`
	// Message says how much was matched, such as "60 of 390 tasks matched".
	Message string `json:"message"`
	// LittleInCommon is set if the runs are too different to call differences savings: see
	// analysis.Summary.
	LittleInCommon bool `json:"littleInCommon"`
	// Savable is the least possible saving, Headline.SavableLeast.
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
