package report

import (
	"io"
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Noise describes how much repeated runs vary, and which differences they could detect.
type Noise struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Input         Input `json:"input"`
	// Runs are the runs that were read.
	Runs []RepeatedRun `json:"runs"`
	// Sought is the relative difference to detect. Power is the probability of detecting a
	// difference of Least. Rate is the false discovery rate.
	Sought float64 `json:"sought"`
	Power  float64 `json:"power"`
	Rate   float64 `json:"falseDiscoveryRate"`
	// Common and Quantum describe the noise of tasks: see repeats.Noise. Independent is the
	// equivalent number of independent tasks, because tasks vary together.
	Common      float64      `json:"common"`
	Quantum     units.Energy `json:"quantumNJ"`
	Independent float64      `json:"independentTasks"`
	// Total is the variation of the energy of a run.
	Total NoisyRow `json:"total"`
	// Tasks are sorted by energy. Tested counts all tested tasks, also those not listed.
	Tasks  []NoisyRow `json:"tasks"`
	Tested int        `json:"tested"`
	// Setup is the advice for recording a comparison.
	Setup    Setup  `json:"setup"`
	Warnings []Note `json:"warnings"`
	// Methods are the methods of Tasks.
	Methods Methods `json:"methods"`
}

// A Setup advises how many runs to record to detect the sought difference.
type Setup struct {
	// Runs is the number of runs per side, or 0 if no number suffices. Least is the smallest growth
	// of the total that they detect, or null if they detect none.
	Runs  int      `json:"runs"`
	Least *float64 `json:"least"`
	// Builds is the noise between builds. BuildsFrom is "assumed" or "setting".
	Builds     float64 `json:"noiseBetweenBuilds"`
	BuildsFrom string  `json:"noiseBetweenBuildsFrom"`
	// AloneRuns and AloneLeast are the same without noise between builds.
	AloneRuns  int      `json:"runsWithoutIt"`
	AloneLeast *float64 `json:"leastWithoutIt"`
	Message    string   `json:"message"`
}

// newSetup returns the advice. total is how much the runs' energy varies, and runs is their number.
func newSetup(total repeats.Spread, builds analysis.BuildNoise, sought float64, runs int) Setup {
	s := Setup{Builds: builds.Total, BuildsFrom: string(builds.Source)}
	plan := func(spread repeats.Spread) (int, *float64) {
		needed, ok := spread.Needed(sought, 1)
		at := max(needed, runs, minAdvisedRuns)
		if ok {
			at = max(needed, minAdvisedRuns)
		} else {
			needed = 0
		}
		if needed > 0 {
			needed = at
		}
		least := spread.Detectable(at, 1)
		if math.IsInf(least, 1) || math.IsNaN(least) {
			return needed, nil
		}
		least = digits(least)
		return needed, &least
	}
	s.Runs, s.Least = plan(total)
	s.AloneRuns, s.AloneLeast = plan(total.WithBuilds(0, 0))
	s.Message = words.NoiseSetup(words.Setup{Runs: s.Runs, Least: s.Least, Builds: builds, AloneRuns: s.AloneRuns, AloneLeast: s.AloneLeast, Sought: sought})
	return s
}

// minAdvisedRuns is the smallest advised number of runs on each side.
const minAdvisedRuns = 5

// A NoisyRow is how much a task, or the whole run, varies between runs.
type NoisyRow struct {
	// Method is empty for the whole run.
	Method string       `json:"method"`
	Path   []string     `json:"path"`
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
	// Deviation is the relative standard deviation between runs. Least is the smallest growth, such
	// as 0.05 for 5 %, that as many runs on each side would detect. It is nil if they detect none.
	Deviation float64  `json:"deviation"`
	Least     *float64 `json:"least"`
	// Needed is the number of runs per side to detect the sought difference, or 0 if over 1000.
	Needed int `json:"needed"`
}

// NewNoise describes the noise of an input with several runs. It lists the first top tasks, or all
// if top is 0. builds is the noise between builds from the settings, or 0 for the default.
func NewNoise(in *analysis.Input, version string, sought, builds float64, top int) *Noise {
	found := analysis.NewNoise(in, builds)
	tested := len(found.Tasks)
	row := func(s repeats.Spread, e units.Energy, together int) NoisyRow {
		made := NoisyRow{Path: []string{}, Energy: e, Share: units.Share(e, in.Energy), Deviation: digits(s.Deviation)}
		if least := s.Detectable(len(in.Runs), together); !math.IsInf(least, 1) {
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
