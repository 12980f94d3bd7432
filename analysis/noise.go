package analysis

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// Noise is the variation between repeated runs of one program.
type Noise struct {
	repeats.Noise
	// Total is the variation of the energy of a run.
	Total repeats.Spread
	// Builds is the noise between builds that a comparison of these runs would use. The spreads
	// include it.
	Builds BuildNoise
	// Tasks are the tasks that a comparison of these runs would test, sorted by decreasing energy.
	Tasks []NoisyTask
}

// A NoisyTask is a task of repeated runs.
type NoisyTask struct {
	// Node is the task's node in the input's tree. Energy is its mean over the runs.
	Node   int32
	Energy units.Energy
	repeats.Spread
}

// NewNoise computes the noise of an input with several runs. builds is Options.Builds.
func NewNoise(in *Input, builds float64) *Noise {
	made := &Noise{Builds: BuildNoise{builds, builds, BuildsStated, 0}}
	if builds == 0 {
		made.Builds = BuildNoise{repeats.DefaultBuilds, repeats.DefaultBuilds, BuildsAssumed, 0}
	}
	var figures [][]float64
	for v := int32(1); int(v) < len(in.Tree.Nodes); v++ {
		if e := in.Tree.Energy.All(v); eflask.IsTask(in.Tree, v) && float64(e) >= minTested*float64(in.Energy) {
			made.Tasks = append(made.Tasks, NoisyTask{Node: v, Energy: e})
			figures = append(figures, inRuns(in.Tree, v))
		}
	}
	noise, spreads := repeats.Spreads(figures)
	made.Noise = noise
	rows := 0
	if made.Builds.Source == BuildsAssumed {
		rows = len(made.Tasks)
	}
	for i := range made.Tasks {
		made.Tasks[i].Spread = spreads[i].WithBuilds(made.Builds.Rows, rows)
	}
	_, total := repeats.Spreads([][]float64{totals(in.Runs)})
	made.Total = total[0].WithBuilds(made.Builds.Total, 0)
	slices.SortStableFunc(made.Tasks, func(a, b NoisyTask) int { return cmp.Compare(b.Energy, a.Energy) })
	return made
}
