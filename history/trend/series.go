package trend

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/internal/nearest"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Kind tells whether a Series is about a run, a task, a method or a line.
type Kind uint8

// The kinds.
const (
	// Whole is the total energy of a run.
	Whole Kind = iota
	// Task is a task, including its callees.
	Task
	// Method is a method in all of its contexts, including its callees.
	Method
	// Line is a source line in all contexts, without its callees.
	Line
)

// String names the kind.
func (k Kind) String() string { return [...]string{"run", "task", "method", "line"}[k] }

// A Series has the energy of a run, a task, a method or a line in each entry.
type Series struct {
	Kind Kind
	// Method is the method, the task's framework method, or the method that has the line. It is the
	// zero Method for a whole run.
	Method name.Method
	// Line is a line's number in the latest run that has the line. Text is the line's text.
	Line int
	Text string
	// ID is a task's identity. Node is the task's node in Trend.Input.Tree.
	ID   string
	Node int32
	// Points has the energy of each run in nanojoules, grouped by entry. Medians has the median of
	// each entry.
	Points  [][]float64
	Medians []repeats.MedianInterval
	// Found has the changes. Q is the p-value Found.P, corrected for the number of series that were
	// tested together. If Q is above change.Rate, there is no evidence of a change, and
	// Found.Changes is empty.
	Found *change.Result
	Q     float64
}

// Latest returns the last change. It is nil if there is no evidence of a change.
func (s *Series) Latest() *change.Change {
	if n := len(s.Found.Changes); n > 0 {
		return &s.Found.Changes[n-1]
	}
	return nil
}

// minShare is a fraction of the mean run's energy. Tasks, methods and lines with less energy are
// not tested.
const minShare = 0.001

// Whole returns the series of the total energy of a run.
func (t *Trend) Whole() *Series { return judged(t.whole())[0] }

// All returns the series of the whole run, of each task, of each of the app's own methods, and of
// each line if the runs have lines (see Lines). Their p-values are corrected together. All omits
// tasks, methods and lines that use less than a thousandth of the mean run's energy.
func (t *Trend) All() []*Series {
	all := []*Series{t.whole()}
	tree := t.Input.Tree
	least := minShare * float64(t.Input.Energy)
	var tasks []int32
	for v := int32(1); int(v) < len(tree.Nodes); v++ {
		if eflask.IsTask(tree, v) && float64(tree.Energy.All(v)) >= least {
			tasks = append(tasks, v)
		}
	}
	for i, id := range finding.TaskIDs(tree, tasks) {
		all = append(all, t.task(tasks[i], id))
	}
	for _, m := range t.methods(t.Input.Own.Is) {
		if drained(&tree.Source.Measures, m.nodes) >= least {
			all = append(all, t.method(m.name, m.nodes))
		}
	}
	lines, _ := t.lines(nil)
	return judged(append(all, lines...)...)
}

// Costliest returns the series of the whole run, and of the app's n own methods that use the most
// energy in the mean run, including their callees. Their p-values are corrected together.
func (t *Trend) Costliest(n int) []*Series {
	measures := &t.Input.Tree.Source.Measures
	methods := t.methods(t.Input.Own.Is)
	slices.SortStableFunc(methods, func(a, b *used) int { return cmp.Compare(drained(measures, b.nodes), drained(measures, a.nodes)) })
	all := []*Series{t.whole()}
	for _, m := range methods[:min(n, len(methods))] {
		if drained(measures, m.nodes) > 0 {
			all = append(all, t.method(m.name, m.nodes))
		}
	}
	return judged(all...)
}

// Find returns the series to which a text refers. The text is the identity of a task, the label of
// a method with or without its signature, or the short name of a method. Methods that match the
// same text, such as overloads, are one series.
func (t *Trend) Find(text string) (*Series, error) {
	tree := t.Input.Tree
	if len(text) == idDigits && strings.Trim(text, "0123456789abcdef") == "" {
		var tasks []int32
		for v := range tree.Nodes {
			if eflask.IsTask(tree, int32(v)) {
				tasks = append(tasks, int32(v))
			}
		}
		if i := slices.Index(finding.TaskIDs(tree, tasks), text); i >= 0 {
			return judged(t.task(tasks[i], text))[0], nil
		}
	}
	source := tree.Source
	for _, called := range []func(name.Method) string{
		name.Method.Label,
		func(m name.Method) string { return strings.TrimSuffix(m.Label(), m.Signature) },
		name.Method.Short,
	} {
		var nodes []int32
		var named name.Method
		for v := 1; v < len(source.Nodes); {
			n := &source.Nodes[v]
			if n.Method == cct.NoMethod || called(source.Methods[n.Method]) != text {
				v++
				continue
			}
			if m := source.Methods[n.Method]; nodes == nil {
				named = m
			} else if m.Label() != named.Label() {
				named.Signature = ""
			}
			nodes, v = append(nodes, int32(v)), int(n.End)
		}
		if nodes != nil {
			return judged(t.method(named, nodes))[0], nil
		}
	}
	return nil, t.unknown(text)
}

// idDigits is the number of digits of a task's identity.
const idDigits = 16

// unknown returns the error for a text that does not refer to a series.
func (t *Trend) unknown(text string) error {
	var names []string
	for _, m := range t.methods(func(trace.MethodID) bool { return true }) {
		names = append(names, m.name.Short())
	}
	if near := nearest.Name(text, names); near != "" {
		return fmt.Errorf("no run of the history has a method or task %q; did you mean %s?", text, near)
	}
	return fmt.Errorf("no run of the history has a method or task %q: name a method, or a task by its id in compare's JSON", text)
}

// whole returns the series of the whole run, before the search for changes.
func (t *Trend) whole() *Series { return t.series(Whole, &t.Input.Tree.Source.Measures, cct.Root) }

func (t *Trend) task(node int32, id string) *Series {
	tree := t.Input.Tree
	s := t.series(Task, &tree.Measures, node)
	s.Method, s.ID, s.Node = tree.Labels.Method(tree.Nodes[node].Label), id, node
	return s
}

func (t *Trend) method(m name.Method, outermost []int32) *Series {
	s := t.series(Method, &t.Input.Tree.Source.Measures, outermost...)
	s.Method = m
	return s
}

// series adds up the energy of some nodes in each run. No node may be below another.
func (t *Trend) series(kind Kind, tree *cct.Measures, nodes ...int32) *Series {
	s := &Series{Kind: kind, Points: make([][]float64, len(t.Entries))}
	for run, entry := range t.entryOf {
		column := tree.Energy
		if tree.Repeats() > 0 {
			column = tree.InRun(run)
		}
		sum := units.Energy(0)
		for _, v := range nodes {
			sum += column.All(v)
		}
		s.Points[entry] = append(s.Points[entry], float64(sum))
	}
	return s
}

// judged finds the changes of all given series, and corrects their p-values for the number of
// series.
func judged(all ...*Series) []*Series {
	p := make([]float64, len(all))
	for i, s := range all {
		s.Medians = repeats.Medians(s.Points)
		s.Found = change.Find(s.Points)
		p[i] = s.Found.P
	}
	for i, q := range repeats.Adjusted(p) {
		s := all[i]
		if s.Q = q; q > change.Rate && len(s.Found.Changes) > 0 {
			best := slices.MinFunc(s.Found.Changes, func(a, b change.Change) int { return cmp.Compare(a.P, b.P) })
			s.Found = &change.Result{P: s.Found.P, Next: best.At, NextP: s.Found.P, WholePoints: s.Found.WholePoints, Confounded: s.Found.Confounded && len(s.Found.Changes) == 0}
		}
	}
	return all
}

// A used is a method with its nodes. Recursive calls, which are below another node, are left out.
type used struct {
	name  name.Method
	nodes []int32
}

// methods returns the methods that fits accepts, sorted by label.
func (t *Trend) methods(fits func(trace.MethodID) bool) []*used {
	source := t.Input.Tree.Source
	byLabel := make(map[string]*used)
	for v := 1; v < len(source.Nodes); v++ {
		n := &source.Nodes[v]
		if n.Method == cct.NoMethod || !fits(n.Method) {
			continue
		}
		label := source.Methods[n.Method].Label()
		u := byLabel[label]
		if u == nil {
			u = &used{name: source.Methods[n.Method]}
			byLabel[label] = u
		}
		if k := len(u.nodes); k == 0 || source.Nodes[u.nodes[k-1]].End <= int32(v) {
			u.nodes = append(u.nodes, int32(v))
		}
	}
	methods := make([]*used, 0, len(byLabel))
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		methods = append(methods, byLabel[label])
	}
	return methods
}

// drained returns the total energy of nodes in the mean run.
func drained(tree *cct.Measures, nodes []int32) float64 {
	sum := 0.0
	for _, v := range nodes {
		sum += float64(tree.Energy.All(v))
	}
	return sum
}
