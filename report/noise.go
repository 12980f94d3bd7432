package report

import (
	"io"
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
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
	Tasks    []NoisyRow `json:"tasks"`
	Tested   int        `json:"tested"`
	Warnings []Note     `json:"warnings"`
	// Methods are those that Tasks name.
	Methods Methods `json:"methods"`
}

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

// NewNoise makes a document of the first top tasks, 0 for all, of an input with several runs.
func NewNoise(in *analysis.Input, version string, sought float64, top int) *Noise {
	found := analysis.NewNoise(in)
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
