package analysis

import (
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// placedAlone is the share of a method's energy that one task must have in each run. The method's
// work then has one place in each run.
const placedAlone = 0.9

// A placedTask is a task of replacements that moved or is in no other such task. number is its
// number, and node its node.
type placedTask struct{ number, node int32 }

// relocated finds work inside tasks that another task does in the other run. For example, a gzip
// writer allocates its compressor in Write in one run, and in Close in the other. The method that
// does the work must have almost all of its energy in one task that uses less (from) and, in the
// subject, in one task that uses more (to). So methods that many tasks call, such as those that
// copy memory, show nothing.
func (p *replacements) relocated(from, to []placedTask) (found []transfer) {
	if len(from) == 0 || len(to) == 0 {
		return nil
	}
	numbers := make(map[string]int32)
	runs := [2]*placedWork{newPlacedWork(p.trees[0], to, numbers), newPlacedWork(p.trees[1], from, numbers)}
	bothRuns(func(run int) { runs[run].sum(len(numbers)) })
	for label := range int32(len(numbers)) {
		if runs[0].alone(label) < 0 || runs[1].alone(label) < 0 {
			runs[0].place[label], runs[1].place[label] = -1, -1
		}
	}
	// The work of a method includes that of its callees, so only the outermost methods count.
	var energies [2]map[int32]units.Energy
	bothRuns(func(run int) { energies[run] = runs[run].outermost() })
	type pair struct{ from, to int32 }
	shared := make(map[pair]units.Energy)
	for label, energy := range energies[0] {
		at := pair{runs[1].place[label], runs[0].place[label]}
		shared[at] += min(energy, energies[1][label])
	}
	for at, energy := range shared {
		if energy > 0 {
			found = append(found, transfer{from[at.from].number, to[at.to].number, energy})
		}
	}
	return found
}

// placedWork has the inclusive energy of a run's methods by task.
type placedWork struct {
	*preprocess.Tree
	// labels has the number of each method's label. tasks has the index of the task around each
	// node of the source tree, or -1.
	labels, tasks []int32
	// whole is the energy of each label in the run. most is the largest energy of the label in a
	// task, and place the index of this task, or -1.
	whole, most []units.Energy
	place       []int32
}

// newPlacedWork finds the task around each node. numbers has a number for each label.
func newPlacedWork(t *preprocess.Tree, tasks []placedTask, numbers map[string]int32) *placedWork {
	w := &placedWork{Tree: t, labels: make([]int32, len(t.Source.Methods)), tasks: make([]int32, len(t.Source.Nodes))}
	for m := range w.labels {
		known := t.Compared(trace.MethodID(m))
		w.labels[m] = numberOf(numbers, known.Label())
	}
	for x := range w.tasks {
		w.tasks[x] = -1
	}
	for i, task := range tasks {
		for _, x := range t.Originals(task.node) {
			w.tasks[x] = int32(i)
		}
	}
	for x, node := range t.Source.Nodes {
		if node.Parent >= 0 && w.tasks[x] < 0 {
			w.tasks[x] = w.tasks[node.Parent]
		}
	}
	return w
}

// sum adds up the energies of n labels, recursion once.
func (w *placedWork) sum(n int) {
	w.whole, w.most, w.place = make([]units.Energy, n), make([]units.Energy, n), make([]int32, n)
	type key struct{ label, task int32 }
	in := make(map[key]units.Energy)
	active := make([]bool, n)
	w.walk(func(x, label int32) bool {
		if active[label] {
			return false
		}
		active[label] = true
		energy := w.Source.Energy.All(x)
		w.whole[label] += energy
		if w.tasks[x] >= 0 {
			in[key{label, w.tasks[x]}] += energy
		}
		return true
	}, func(label int32) { active[label] = false })
	for label := range w.place {
		w.place[label] = -1
	}
	for at, energy := range in {
		if energy > w.most[at.label] || energy == w.most[at.label] && energy > 0 && at.task < w.place[at.label] {
			w.most[at.label], w.place[at.label] = energy, at.task
		}
	}
}

// alone returns the index of the task that has almost all energy of a label, or -1.
func (w *placedWork) alone(label int32) int32 {
	if w.most[label] == 0 || float64(w.most[label]) < placedAlone*float64(w.whole[label]) {
		return -1
	}
	return w.place[label]
}

// outermost returns the energy of each placed label in its task, without the energy below another
// placed label.
func (w *placedWork) outermost() map[int32]units.Energy {
	out := make(map[int32]units.Energy)
	covered := false
	w.walk(func(x, label int32) bool {
		if covered || w.place[label] < 0 || w.place[label] != w.tasks[x] {
			return false
		}
		covered = true
		out[label] += w.Source.Energy.All(x)
		return true
	}, func(int32) { covered = false })
	return out
}

// walk calls enter for each node of the source tree that has a method, in preorder, and leave after
// the callees of a node for which enter returned true, if another node follows.
func (w *placedWork) walk(enter func(x, label int32) bool, leave func(label int32)) {
	nodes := w.Source.Nodes
	type open struct{ end, label int32 }
	var stack []open
	for x := range int32(len(nodes)) {
		for len(stack) > 0 && stack[len(stack)-1].end <= x {
			leave(stack[len(stack)-1].label)
			stack = stack[:len(stack)-1]
		}
		if m := nodes[x].Method; m != cct.NoMethod && enter(x, w.labels[m]) {
			stack = append(stack, open{nodes[x].End, w.labels[m]})
		}
	}
}
