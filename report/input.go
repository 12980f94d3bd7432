package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// An Input is one of the two recordings. Times are in nanoseconds.
type Input struct {
	Path    string `json:"path"`
	Format  string `json:"format"`
	Methods int    `json:"methods"`
	// Threads counts the threads that have events.
	Threads int   `json:"threads"`
	Events  int64 `json:"events"`
	// CCTNodes and TreeNodes count the contexts before and after preprocessing,
	// the root included.
	CCTNodes  int          `json:"cctNodes"`
	TreeNodes int          `json:"treeNodes"`
	Energy    units.Energy `json:"energyNJ"`
	CPUTime   int64        `json:"cpuTimeNS"`
	// Provenance is where the energy comes from: "given", "cpu-time", "wall-time"
	// or "none".
	Provenance string `json:"provenance"`
	// Unit is UnknownUnit where the file states numbers and not their unit, else "nJ".
	Unit string `json:"unit"`
	// EnergyFrom says the same to people: "modelled from CPU time".
	EnergyFrom string `json:"energyFrom"`
	// WallTime is the length of the run, 0 if the recording does not say.
	WallTime int64 `json:"wallTimeNS"`
	// Clock is "thread-cpu", "wall", "dual" or "none".
	Clock string `json:"clock"`
	// Technique is "instrumented", "sampled" or "unknown".
	Technique string `json:"technique"`
	// Calls says what numbers of calls are: "counted", "estimated" or "none".
	Calls string `json:"calls"`
	// VM is "art" or "dalvik", empty if unknown.
	VM string `json:"vm"`
	// PowerSource names where the power came from, for people; empty if the input
	// states its energy itself.
	PowerSource string `json:"powerSource"`
	// Mapping is what named the methods; nil if nothing did.
	Mapping *Renaming `json:"mapping"`
	Rules   Rules     `json:"rules"`
}

// A Renaming is what a mapping file did: of Methods, those that have a class, it gave
// Renamed another name.
type Renaming struct {
	Path    string `json:"path"`
	Renamed int    `json:"renamed"`
	Methods int    `json:"methods"`
}

// Rules say by what methods were told apart and merged.
type Rules struct {
	// SettingsFile is the file that settings come from, empty if there is none.
	SettingsFile string `json:"settingsFile"`
	// Steps are those of preprocessing that ran.
	Steps             []string `json:"steps"`
	AppPackages       []string `json:"appPackages"`
	FrameworkPackages []string `json:"frameworkPackages"`
	OwnPackages       []string `json:"ownPackages"`
}

// AllSteps reports whether all steps ran.
func (r Rules) AllSteps() bool { return len(r.Steps) == len(preprocess.StepNames()) }

// newRules makes rules without null.
func newRules(r analysis.Rules) Rules {
	list := func(l []string) []string { return append([]string{}, l...) }
	return Rules{r.SettingsFile, r.Steps.Names(), list(r.AppPackages), list(r.FrameworkPackages), list(r.OwnPackages)}
}

// UnknownUnit is the unit of numbers whose unit nobody stated.
const UnknownUnit = "unknown"

func newInput(in analysis.Input) Input {
	made := Input{
		Path:        in.Path,
		Format:      in.Trace.Format,
		Methods:     len(in.Trace.Methods) - in.Trace.Unlisted,
		Threads:     in.Trace.Active(),
		Events:      in.Trace.Events,
		CCTNodes:    len(in.Tree.Source.Nodes),
		TreeNodes:   len(in.Tree.Nodes),
		Energy:      in.Energy,
		CPUTime:     int64(in.CPU),
		Provenance:  in.Trace.Energy.String(),
		EnergyFrom:  words.Provenance(in.Trace),
		Unit:        "nJ",
		WallTime:    int64(in.Trace.Elapsed),
		Clock:       in.Trace.Clock.String(),
		Technique:   in.Trace.Technique.String(),
		Calls:       in.Trace.Calls.String(),
		VM:          in.Trace.VM,
		PowerSource: in.PowerSource,
		Mapping:     (*Renaming)(in.Mapping),
		Rules:       newRules(in.Rules),
	}
	if in.Trace.Unstated {
		made.Unit = UnknownUnit
	}
	return made
}
