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

// A Kind is the subject of a Series.
type Kind uint8

// The kinds.
const (
	// Whole is the total energy of a run.
	Whole Kind = iota
	// Task is one task, including its callees.
	Task
	// Method is a method in all of its contexts, including its callees.
	Method
	// Line is a source line in all contexts, without its callees.
	Line
)

// String names the kind.
func (k Kind) String() string { return [...]string{"run", "task", "method", "line"}[k] }

// A Series has the energy of one subject, entry by entry.
type Series struct {
	Kind Kind
	// Method is the task's framework method, the method, or the method of the line. For a whole run, it is the zero
	// Method.
	Method name.Method
	// Line is the number of a line in the latest run that has it. Text is its text.
	Line int
	Text string
	// ID is a task's identity. Node is its node in the trend's Input.Tree.
	ID   string
	Node int32
	// Points has the energy in each run of each entry, in nanojoules. Middles are the medians of
	// the entries.
	Points  [][]float64
	Middles []repeats.Middle
	// Found has the changes of the level. Q is Found.P, corrected for the number of series that
	// were judged together. If Q is above change.Rate, there is no evidence of a change, and Found
	// has no changes.
	Found *change.Result
	Q     float64
}

// Latest returns the last change of level. The current level began with this change. It is nil if
// there is no evidence of a change.
func (s *Series) Latest() *change.Change {
	if n := len(s.Found.Changes); n > 0 {
		return &s.Found.Changes[n-1]
	}
	return nil
}

// minShare is a minimum share of the mean run. Tasks and methods must have it to be judged together
// with others.
const minShare = 0.001

// Whole returns the series of the total energy of a run.
func (t *Trend) Whole() *Series { return judged(t.whole())[0] }

// All returns the series of the whole run, of each task, of each of the app's own methods, and of each line if the
// runs have them (see Lines). They are judged together. It omits tasks, methods and lines that use less than a thousandth
// of the mean run.
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

// Costliest returns the series of the whole run, and of the n methods of the app that use the most energy in the
// mean run, with all that they call. They are judged together.
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
// a method with or without its signature, or the short name of a method. Overloads with the same
// name are one series.
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

// unknown returns the error for a text that refers to no series.
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

// whole, task and method return series that are not judged yet.
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

// series adds up the energy of nodes of a tree in each run. No node may be inside another.
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

// judged finds the changes of series, corrected for their number.
func judged(all ...*Series) []*Series {
	p := make([]float64, len(all))
	for i, s := range all {
		s.Middles = repeats.Middles(s.Points)
		s.Found = change.Find(s.Points)
		p[i] = s.Found.P
	}
	for i, q := range repeats.Adjusted(p) {
		s := all[i]
		if s.Q = q; q > change.Rate && len(s.Found.Changes) > 0 {
			best := slices.MinFunc(s.Found.Changes, func(a, b change.Change) int { return cmp.Compare(a.P, b.P) })
			s.Found = &change.Result{P: s.Found.P, Next: best.At, NextP: s.Found.P, Whole: s.Found.Whole, Alike: s.Found.Alike && len(s.Found.Changes) == 0}
		}
	}
	return all
}

// A used is a method with its outermost nodes. These are not below another node of the method.
type used struct {
	name  name.Method
	nodes []int32
}

// methods returns those methods of the runs for which fits returns true, sorted by label.
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

// drained returns the energy of nodes in the mean run.
func drained(tree *cct.Measures, nodes []int32) float64 {
	sum := 0.0
	for _, v := range nodes {
		sum += float64(tree.Energy.All(v))
	}
	return sum
}
