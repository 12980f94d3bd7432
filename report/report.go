// Package report turns what was computed into what people and programs read.
//
// A [Document] holds what is to be shown; package render has the table of renderers,
// which write documents. A [Report] is a comparison as diffprof's JSON has it: the
// contract that other programs rely on, described by docs/report.schema.json. All
// renderings of a comparison show the figures of its Report.
//
// Laws that every Report keeps:
//
//   - the matched, the unmatched and the outside energy of its Summary add up to
//     its subject's energy exactly, whatever is left out of Tasks;
//   - so do those of the reference to the reference's, and what Outside has of either
//     to the outside energy;
//   - so do the energies of its Packages, and of its Threads, on either side;
//   - each Energy is an exact integer, each share the quotient of two of them;
//   - the same comparison gives the same bytes;
//   - arrays are never null; a value that does not exist (the peer of an
//     unmatched task, the split of one without call counts) is.
//
// Fields are added without notice and change their meaning only with
// [SchemaVersion]. A Report is not changed once made and may be read
// concurrently.
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
	// Counts names the figures that say how often methods ran on either side:
	// "calls" or "samples", empty if there are none. See words.Counts.
	Counts   string   `json:"counts"`
	Matching Matching `json:"matching"`
	Summary  Summary  `json:"summary"`
	// Repeats says what repeated runs show; nil where either side has one run. Spread says to
	// people how far figures may be off by chance in either case.
	Repeats *Repeats `json:"repeats"`
	Spread  string   `json:"spread"`
	// Judgement is what the comparison comes to.
	Judgement Judgement `json:"judgement"`
	// set is what the report was made of; nil for a report that was read.
	set *finding.Set
	// Fleet has a fleet's figures for the subject's app. It is absent unless requested.
	Fleet *Fleet `json:"fleet,omitempty"`
	// Packages say where the energy went, most on either side first.
	Packages []PackageEnergy `json:"packages"`
	// Threads has the energy by thread, in the same order.
	Threads []ThreadEnergy `json:"threads"`
	// Comparability has the differences between the two recordings that affect the comparison.
	Comparability []Note `json:"comparability"`
	// Tasks are the subject's tasks: suspects first, then by possible saving. It has all of them or
	// as many as the caller of New requested.
	Tasks []Task `json:"tasks"`
	// AppCode is the energy of the app's own code, sorted by possible saving. Tasks and AppCode are
	// one ranking: the first few rows are the first of both.
	AppCode []AppCode `json:"appCode"`
	// GroupedBy says what the tasks of a group have in common: "method", "package" or
	// "caller". It is empty, and there are no Groups, unless GroupBy was called.
	GroupedBy string  `json:"groupedBy"`
	Groups    []Group `json:"groups"`
	// AllGroups counts the groups, those that Groups leaves out among them.
	AllGroups int    `json:"-"`
	Warnings  []Note `json:"warnings"`
	// Bundles has the bundles of both runs. It is nil, and absent in JSON, unless requested.
	Bundles *BundleComparison `json:"bundles,omitempty"`
	// Methods has the methods that Tasks, AppCode, Groups and Bundles name.
	Methods Methods `json:"methods"`
	// Ignored is the number of tasks that are in Summary but not listed. Warnings says so.
	Ignored int `json:"-"`
	// IgnoredCode is the same number for app code.
	IgnoredCode int `json:"-"`
	// Voltage turns energy into charge, for renderings in µAh.
	Voltage units.Voltage `json:"-"`
}

// Tool says what wrote a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Alpha is the largest distance allowed between the paths of a pair.
type Alpha struct {
	// Requested is "auto" or an int.
	Requested any `json:"requested"`
	Used      int `json:"used"`
	// Coverage has an entry for each α that was tried, Used among them, in their
	// order.
	Coverage []Coverage `json:"coverage"`
}

// Coverage is the matched part of the subject at one α. Its fields have the same meaning as in
// Summary. MatchedShare is the share of the tasks, 1 if there are none.
type Coverage struct {
	Alpha              int          `json:"alpha"`
	Matched            int          `json:"matched"`
	MatchedShare       float64      `json:"matchedShare"`
	MatchedEnergy      units.Energy `json:"matchedNJ"`
	MatchedEnergyShare float64      `json:"matchedEnergyShare"`
}

// Matching has the size of a matching.
type Matching struct {
	// Size is the number of pairs whose methods count as equal, Pairs that of all
	// pairs, roots included in both.
	Size  int `json:"size"`
	Pairs int `json:"pairs"`
}

// Summary adds the subject's energy up over all of its tasks, shown or not. A
// nested task's energy counts for the innermost task alone, so that nothing
// counts twice.
type Summary struct {
	Tasks     int `json:"tasks"`
	Matched   int `json:"matched"`
	Unmatched int `json:"unmatched"`
	// Perhaps counts those of Unmatched that have a counterpart perhaps.
	Perhaps int `json:"perhaps"`
	// Message says for people how much is matched.
	Message string `json:"message"`
	// LittleInCommon is the field of analysis.Summary. If it is set, no difference is called a
	// saving.
	LittleInCommon bool `json:"littleInCommon"`
	// Savable is Headline.ActLeast.
	Savable              units.Energy `json:"savableNJ"`
	MatchedEnergy        units.Energy `json:"matchedNJ"`
	UnmatchedEnergy      units.Energy `json:"unmatchedNJ"`
	OutsideTasksEnergy   units.Energy `json:"outsideTasksNJ"`
	MatchedEnergyShare   float64      `json:"matchedEnergyShare"`
	UnmatchedEnergyShare float64      `json:"unmatchedEnergyShare"`
	// Outside adds up to OutsideTasksEnergy.
	Outside Outside     `json:"outside"`
	AppCode CodeSummary `json:"appCode"`
	// Reference adds the reference's energy up.
	Reference RunSummary `json:"reference"`
}

// A Note is a warning, or a way in which the inputs are unlike.
type Note struct {
	// Code is stable and made for programs.
	Code string `json:"code"`
	// Message is one sentence made for people.
	Message string `json:"message"`
	// Severity is "warning" or "info" in Report.Comparability, absent elsewhere.
	Severity string `json:"severity,omitempty"`
}

// notes makes notes of warnings; never nil.
func notes(warnings []trace.Warning) []Note {
	list := make([]Note, len(warnings))
	for i, w := range warnings {
		list[i] = Note{Code: w.Code, Message: w.Message}
	}
	return list
}

// comparability makes notes of the differences between two recordings. It is never nil.
func comparability(unlike []trace.Warning) []Note {
	list := notes(unlike)
	for i := range list {
		list[i].Severity = "warning"
	}
	return list
}
