package report

import (
	"io"
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Noise says what difference repeated runs could show.
type Noise struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Input         Input `json:"input"`
	// Runs are those that were read.
	Runs []RepeatedRun `json:"runs"`
	// Sought is the difference, as a part, that Needed is for. Power is how likely runs show
	// a difference of Least, Rate the false discovery rate.
	Sought float64 `json:"sought"`
	Power  float64 `json:"power"`
	Rate   float64 `json:"falseDiscoveryRate"`
	// Common and Quantum say how noisy tasks are: see repeats.Noise. Independent is how many
	// independent tasks tell as much of it.
	Common      float64      `json:"common"`
	Quantum     units.Energy `json:"quantumNJ"`
	Independent float64      `json:"independentTasks"`
	// Total is how all that a run drains varies.
	Total NoisyRow `json:"total"`
	// Tasks are the dearest first. Tested counts them all, those too that are left out.
	Tasks  []NoisyRow `json:"tasks"`
	Tested int        `json:"tested"`
	// Setup says how to record a comparison.
	Setup    Setup  `json:"setup"`
	Warnings []Note `json:"warnings"`
	// Methods are those that Tasks name.
	Methods Methods `json:"methods"`
}

// A Setup says how to record a comparison that shows the difference that is sought.
type Setup struct {
	// Runs is the number of runs on each side, 0 if no number suffices. Least is the smallest growth
	// of the total that they show, null if they show none.
	Runs  int      `json:"runs"`
	Least *float64 `json:"least"`
	// Builds is the noise between builds, and BuildsFrom its source: assumed or setting.
	Builds     float64 `json:"noiseBetweenBuilds"`
	BuildsFrom string  `json:"noiseBetweenBuildsFrom"`
	// AloneRuns and AloneLeast are Runs and Least without noise between builds.
	AloneRuns  int      `json:"runsWithoutIt"`
	AloneLeast *float64 `json:"leastWithoutIt"`
	Message    string   `json:"message"`
}

// newSetup returns the advice for a spread of totals. runs is the number of runs that were read.
func newSetup(total repeats.Spread, builds analysis.BuildNoise, sought float64, runs int) Setup {
	s := Setup{Builds: builds.Total, BuildsFrom: string(builds.Source)}
	plan := func(of repeats.Spread) (int, *float64) {
		needed, ok := of.Needed(sought, 1)
		at := max(needed, runs, usualRuns)
		if ok {
			at = max(needed, usualRuns)
		} else {
			needed = 0
		}
		if needed > 0 {
			needed = at
		}
		least := of.Least(at, 1)
		if math.IsInf(least, 1) || math.IsNaN(least) {
			return needed, nil
		}
		least = digits(least)
		return needed, &least
	}
	s.Runs, s.Least = plan(total)
	s.AloneRuns, s.AloneLeast = plan(total.Under(0, 0))
	s.Message = words.NoiseSetup(words.Setup{Runs: s.Runs, Least: s.Least, Builds: builds, AloneRuns: s.AloneRuns, AloneLeast: s.AloneLeast, Sought: sought})
	return s
}

// usualRuns is the smallest number of runs on each side that is advised.
const usualRuns = 5

// A NoisyRow is how much a task varies, or all that a run drains.
type NoisyRow struct {
	// Method is empty for all that a run drains.
	Method string       `json:"method"`
	Path   []string     `json:"path"`
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
	// Deviation is the relative standard deviation of a run, Least the least growth, as a
	// part of Energy, that as many runs a side as were read show; nil if they show none.
	Deviation float64  `json:"deviation"`
	Least     *float64 `json:"least"`
	// Needed is how many runs a side show the difference that is sought; 0 if more than 1000.
	Needed int `json:"needed"`
}

// NewNoise makes a document of the first top tasks, 0 for all, of an input with several runs. builds is the
// noise between builds as a setting states it, 0 for the default.
func NewNoise(in *analysis.Input, version string, sought, builds float64, top int) *Noise {
	found := analysis.NewNoise(in, builds)
	tested := len(found.Tasks)
	row := func(s repeats.Spread, e units.Energy, together int) NoisyRow {
		made := NoisyRow{Path: []string{}, Energy: e, Share: units.Share(e, in.Energy), Deviation: digits(s.Deviation)}
		if least := s.Least(len(in.Runs), together); !math.IsInf(least, 1) {
			least = digits(least)
			made.Least = &least
		}
		made.Needed, _ = s.Needed(sought, together)
		return made
	}
	n := &Noise{
		SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version}, Input: newInput(*in), Runs: repeatedRuns(in.Runs),
		Sought: sought, Power: repeats.Power, Rate: repeats.Rate, Common: digits(found.Common),
		Quantum: units.Energy(math.Round(found.Quantum)), Independent: digits(found.Noise.Tasks),
		Total: row(found.Total, in.Energy, 1), Tasks: []NoisyRow{}, Tested: tested, Warnings: notes(in.Trace.Warnings), Methods: Methods{},
	}
	n.Setup = newSetup(found.Total, found.Builds, sought, len(in.Runs))
	paths := newPaths(in.Tree)
	for i, t := range found.Tasks {
		if top > 0 && i == top {
			break
		}
		made := row(t.Spread, t.Energy, tested)
		made.Path, _ = paths.labels(t.Node)
		made.Method = made.Path[len(made.Path)-1]
		n.Methods.addPath(paths, t.Node)
		n.Tasks = append(n.Tasks, made)
	}
	return n
}

// WriteJSON writes the document as indented JSON, ended by a newline.
func (n *Noise) WriteJSON(w io.Writer) error { return writeJSON(w, n) }
