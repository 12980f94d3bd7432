package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An Input is one of the two recordings. Times are in nanoseconds.
type Input struct {
	// Path is the path in analysis.Input. If Runs is over 1, the input is the mean of that many
	// runs.
	Path    string `json:"path"`
	Runs    int    `json:"runs"`
	Format  string `json:"format"`
	Methods int    `json:"methods"`
	// Threads counts the threads that have events. It is 0 if the recording does not state threads.
	Threads int   `json:"threads"`
	Events  int64 `json:"events"`
	// CCTNodes and TreeNodes count call tree nodes before and after preprocessing, with the root.
	CCTNodes  int          `json:"cctNodes"`
	TreeNodes int          `json:"treeNodes"`
	Energy    units.Energy `json:"energyNJ"`
	// Least is the smallest energy that the run can have used. It is set if threads may have waited
	// during time that counts as work.
	Least *units.Energy `json:"energyLeastNJ,omitempty"`
	// Components are the parts of Energy, by component, the largest first. They are absent if the
	// run has no energy by component.
	Components []Component `json:"components,omitempty"`
	// Model is the power model behind Components. It is absent if only the processor has energy.
	Model *PowerModel `json:"powerModel,omitempty"`
	// Scale is the factor by which --normalize multiplied the run's energies. It is 1 without it.
	Scale   float64 `json:"scale"`
	CPUTime int64   `json:"cpuTimeNS"`
	// Provenance is the origin of the energy: "given", "cpu-time", "wall-time" or "none".
	Provenance string `json:"provenance"`
	// Unit is UnknownUnit if the file states numbers without their unit, and "nJ" otherwise.
	Unit string `json:"unit"`
	// EnergyFrom describes Provenance in words: "modelled from CPU time".
	EnergyFrom string `json:"energyFrom"`
	// WallTime is the length of the run, 0 if unknown.
	WallTime int64 `json:"wallTimeNS"`
	// Clock is "thread-cpu", "wall", "dual", "cycles" or "none".
	Clock string `json:"clock"`
	// Technique is "instrumented", "sampled" or "unknown".
	Technique string `json:"technique"`
	// Calls is how calls are known: "counted", "estimated" or "none".
	Calls string `json:"calls"`
	// VM is "art" or "dalvik", empty if unknown.
	VM string `json:"vm"`
	// PowerSource describes the source of the power figures in words. It is empty if the recording
	// states energies.
	PowerSource string `json:"powerSource"`
	// Measured is a measurement taken during the run, or nil.
	Measured *Measured `json:"measured"`
	// Aligned has the signal recordings that belong to the input, such as a meter's.
	Aligned []AlignedRecording `json:"beside"`
	// Mapping describes the mapping file that renamed the methods. It is nil without one.
	Mapping *Renaming `json:"mapping"`
	OwnCode OwnCode   `json:"ownCode"`
	Rules   Rules     `json:"rules"`
	// Ranges are the possible energies of the run and its components, given the uncertainty of the
	// power model. They are set only if this changes the energy by more than a tenth.
	Ranges []EnergyRange `json:"ranges,omitempty"`
	// APICosts describes the table of API costs from which the energy was computed. It is absent
	// without one.
	APICosts *APICharge `json:"apiCosts,omitempty"`
}

// An EnergyRange is the range that an energy may have, given the uncertainty of a power model.
type EnergyRange struct {
	// Component is empty for the whole run.
	Component  string       `json:"component"`
	Least      units.Energy `json:"leastNJ"`
	Most       units.Energy `json:"mostNJ"`
	LeastShare float64      `json:"leastShare"`
	MostShare  float64      `json:"mostShare"`
	// Message names the figures that cause the range.
	Message string `json:"message"`
}

// newRanges lists the range of the run, then those of its components. ofRun describes the first.
func newRanges(in *analysis.Input) (list []EnergyRange, ofRun string) {
	add := func(s *finding.Spread, message string) {
		list = append(list, EnergyRange{s.Name, s.Least, s.Most, s.LeastShare, s.MostShare, message})
	}
	run, components := finding.Spreads(in)
	if run != nil {
		ofRun = words.Spread(run)
		add(run, ofRun)
	}
	for i := range components {
		add(&components[i], words.SpreadOf(&components[i]))
	}
	return list, ofRun
}

// LeastApart returns Least for a separate sentence, or nil. It is nil also if EnergyFrom already
// states the run's range.
func (in *Input) LeastApart() *units.Energy {
	if len(in.Ranges) > 0 && in.Ranges[0].Component == "" {
		return nil
	}
	return in.Least
}

// A PowerModel describes the power model from which the energy of the components was computed.
type PowerModel struct {
	Name string `json:"name"`
	// Title names the device. Source is the source of the model's figures.
	Title  string `json:"title"`
	Source string `json:"source"`
	// Policy is the rule for which call pays for a component's idle energy: "last-trigger",
	// "first-trigger", "split-time" or "utilisation".
	Policy string `json:"policy"`
}

// OwnCode is the app's own code in a run: the code that its developers can change.
type OwnCode struct {
	// By are the rules that found own code: "setting", "manifest", "sources", "mapping" or "trace".
	// For "trace", own code is all app code outside known libraries. By is empty if no own code ran.
	By []string `json:"by"`
	// Packages are the packages of own code that ran, sorted by name.
	Packages []string `json:"packages"`
	// Unknown is set if own code cannot be recognized, because the recording's class names have no
	// packages.
	Unknown bool `json:"untold"`
}

func newOwnCode(own analysis.OwnCode) OwnCode {
	made := OwnCode{By: []string{}, Packages: append([]string{}, own.Packages...), Unknown: own.Unknown}
	for _, by := range own.By {
		made.By = append(made.By, string(by))
	}
	return made
}

// A Renaming describes the use of a mapping file. Methods counts the run's methods with a class.
// Renamed counts those that have another name in the file.
type Renaming struct {
	Path    string `json:"path"`
	Renamed int    `json:"renamed"`
	Methods int    `json:"methods"`
}

// Rules has the rules that classify and merge methods.
type Rules struct {
	// SettingsFile is the file of the settings, empty if there is none.
	SettingsFile string `json:"settingsFile"`
	// Steps are the preprocessing steps that ran.
	Steps             []string `json:"steps"`
	AppPackages       []string `json:"appPackages"`
	FrameworkPackages []string `json:"frameworkPackages"`
	OwnPackages       []string `json:"ownPackages"`
	// Manifests and Sources are the given files and folders.
	Manifests []string `json:"manifests"`
	Sources   []string `json:"sources"`
}

// AllSteps reports whether all steps ran.
func (r Rules) AllSteps() bool { return len(r.Steps) == len(preprocess.StepNames()) }

// newRules converts rules. Its lists are never null.
func newRules(r analysis.Rules) Rules {
	list := func(l []string) []string { return append([]string{}, l...) }
	return Rules{r.SettingsFile, r.Steps.Names(), list(r.AppPackages), list(r.FrameworkPackages), list(r.OwnPackages), list(r.Manifests), list(r.Sources)}
}

// UnknownUnit is the unit of numbers in files that do not state their unit.
const UnknownUnit = "unknown"

func newInput(in analysis.Input) Input {
	made := Input{
		Path:        in.Path,
		Runs:        max(len(in.Runs), 1),
		Format:      in.Trace.Format,
		Methods:     len(in.Trace.Methods) - in.Trace.Unlisted,
		Threads:     statedThreads(in.Trace, in.Trace.Active()),
		Events:      in.Trace.Events,
		CCTNodes:    len(in.Tree.Source.Nodes),
		TreeNodes:   len(in.Tree.Nodes),
		Energy:      in.Energy,
		Scale:       1,
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
		Measured:    newMeasured(in),
		Aligned:     newAligned(in.Aligned),
		Mapping:     (*Renaming)(in.Mapping),
		OwnCode:     newOwnCode(in.Own),
		Rules:       newRules(in.Rules),
	}
	if made.TreeNodes == 0 {
		made.TreeNodes = made.CCTNodes // no step ran
	}
	if m := made.Measured; m != nil && m.Accounted != nil && *m.Accounted > 0 {
		made.EnergyFrom = words.MeasuredToo(made.EnergyFrom, *m.Accounted >= in.Energy)
	}
	var ofRun string
	if made.Ranges, ofRun = newRanges(&in); ofRun != "" {
		made.EnergyFrom += "; " + ofRun
	}
	made.Components = componentsOf(finding.NewLedger(&in).Run())
	if m := in.Model; m != nil {
		made.Model = &PowerModel{m.Name, m.Title, m.Source, m.Policy.String()}
	}
	if c := newAPICharge(in.APICosts); c != nil {
		made.APICosts, made.EnergyFrom = c, c.Message
	}
	if in.Scale != nil {
		made.Scale = in.Scale.Factor()
		made.EnergyFrom = "times " + units.Fixed(made.Scale, 3) + ", " + made.EnergyFrom
	}
	if least := in.Least(); least < in.Energy {
		made.Least = &least
	}
	if in.Trace.Unstated {
		made.Unit = UnknownUnit
	}
	return made
}

// statedThreads returns the number of threads n, or 0 if the recording does not state threads. All of
// its calls then belong to one thread without a name.
func statedThreads(t *trace.Trace, n int) int {
	if len(t.Threads) == 1 && t.Threads[0].Name == "" {
		return 0
	}
	return n
}
