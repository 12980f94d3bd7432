package analysis

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// Noise is how much repeated runs of one program vary.
type Noise struct {
	repeats.Noise
	// Total is how all that a run drains varies.
	Total repeats.Spread
	// Tasks are those that a comparison would test, the dearest first.
	Tasks []NoisyTask
}

// A NoisyTask is a task of repeated runs.
type NoisyTask struct {
	// Node is the task's in the input's tree, Energy what it drains in the mean run.
	Node   int32
	Energy units.Energy
	repeats.Spread
}

// NewNoise tells the noise of an input that has several runs.
func NewNoise(in *Input) *Noise {
	made := &Noise{}
	var figures [][]float64
	for v := int32(1); int(v) < len(in.Tree.Nodes); v++ {
		if e := in.Tree.Energy.All(v); eflask.IsTask(in.Tree, v) && float64(e) >= leastTested*float64(in.Energy) {
			made.Tasks = append(made.Tasks, NoisyTask{Node: v, Energy: e})
			figures = append(figures, inRuns(in.Tree, v))
		}
	}
	noise, spreads := repeats.Spreads(figures)
	made.Noise = noise
	for i := range made.Tasks {
		made.Tasks[i].Spread = spreads[i]
	}
	_, total := repeats.Spreads([][]float64{totals(in.Runs)})
	made.Total = total[0]
	slices.SortStableFunc(made.Tasks, func(a, b NoisyTask) int { return cmp.Compare(b.Energy, a.Energy) })
	return made
}
