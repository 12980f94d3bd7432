package group

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A pair is the result of one comparison of two members. The cache stores it.
type pair struct {
	// Alpha is the chosen α (tolerance of the matching).
	Alpha   int
	Voltage units.Voltage
	// OneApp reports whether both members are the same app, according to the code that ran.
	OneApp bool
	// Unlike has the codes of differences that make the recordings hard to compare.
	Unlike []string
	// Shared is the number of framework methods that both members called. Either is the number of
	// framework methods that at least one member called.
	Shared, Either int
	Sides          [2]side
}

// A side is one of the two members of a pair.
type side struct {
	Energy     units.Energy
	Provenance trace.Provenance
	Unstated   bool
	// Runs is the number of recordings; the side is their mean.
	Runs int
	// Counted is set if calls were counted. Sampled is set if the calls are counts of samples.
	Counted, Sampled bool
	Tasks            []task
}

// A task is a task of a side.
type task struct {
	ID string
	// Label is the label of the task's method. Short is its short name, and Under is the short name
	// of its caller.
	Label, Short, Under string
	// Energy includes its callees. Own excludes the tasks inside it.
	Energy, Own units.Energy
	Calls       int64
	// Peer is the index of its counterpart among the other side's tasks, or -1. Exact is set if
	// their call paths are equal.
	Peer  int
	Exact bool
	// Inner is set if the task is inside another task of the same method.
	Inner bool
	// Verdict is the result of comparing repeated runs with its counterpart. It is empty if nothing
	// was tested.
	Verdict string
}

// matched reports whether the other side also has the task.
func (t *task) matched() bool { return t.Peer >= 0 }

// whole reports whether a stored pair is consistent: the indices of counterparts agree.
func (p *pair) whole() bool {
	for i := range p.Sides {
		other := p.Sides[1-i].Tasks
		for t := range p.Sides[i].Tasks {
			if at := p.Sides[i].Tasks[t].Peer; at >= len(other) || at >= 0 && other[at].Peer != t {
				return false
			}
		}
	}
	return true
}

// intern replaces the texts of a pair by equal texts from names.
func (p *pair) intern(names map[string]string) {
	once := func(s *string) {
		known, ok := names[*s]
		if !ok {
			known = *s
			names[known] = known
		}
		*s = known
	}
	for i := range p.Sides {
		for t := range p.Sides[i].Tasks {
			one := &p.Sides[i].Tasks[t]
			for _, text := range []*string{&one.ID, &one.Label, &one.Short, &one.Under, &one.Verdict} {
				once(text)
			}
		}
	}
}

// between compares two members.
func between(ctx context.Context, a, b Member, o analysis.Options) (*analysis.Result, error) {
	o.Subject.Path, o.Subject.Repeats, o.Subject.Mapping, o.Subject.Flows, o.Subject.Process, o.Subject.With = a.Runs[0], a.Runs[1:], a.Mapping, a.Flows, a.Process, nil
	o.Reference.Path, o.Reference.Repeats, o.Reference.Mapping, o.Reference.Flows, o.Reference.Process, o.Reference.With = b.Runs[0], b.Runs[1:], b.Mapping, b.Flows, b.Process, nil
	return analysis.Compare(ctx, o)
}

// compare compares two members, and returns a summary of the result.
func compare(ctx context.Context, a, b Member, o analysis.Options) (*pair, error) {
	r, err := between(ctx, a, b, o)
	if err != nil {
		return nil, err
	}
	p := &pair{Alpha: r.Matching.Alpha, Voltage: r.Voltage, OneApp: r.AppCode.OneApp}
	for _, w := range r.Comparability {
		p.Unlike = append(p.Unlike, w.Code)
	}
	p.Shared, p.Either = overlap(&r.Subject, &r.Reference)
	var places [2]map[int32]int
	for i, in := range []*analysis.Input{&r.Subject, &r.Reference} {
		p.Sides[i], places[i] = newSide(in)
	}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if t.Found == eflask.Unmatched {
			continue
		}
		here, there := places[0][t.Node], places[1][t.Peer]
		subject, reference := &p.Sides[0].Tasks[here], &p.Sides[1].Tasks[there]
		subject.Peer, reference.Peer = there, here
		subject.Exact, reference.Exact = t.Found == eflask.Exact, t.Found == eflask.Exact
		if e := r.Repeats.Task(t); e != nil {
			subject.Verdict, reference.Verdict = e.Verdict.String(), mirrored[e.Verdict].String()
		}
	}
	return p, nil
}

// mirrored has the verdict of the other side for each verdict.
var mirrored = map[repeats.Verdict]repeats.Verdict{
	repeats.NoEvidence: repeats.NoEvidence, repeats.Costlier: repeats.Cheaper, repeats.Cheaper: repeats.Costlier,
}

// newSide lists the tasks of an input, without counterparts. It also returns the index of the task
// of each node.
func newSide(in *analysis.Input) (side, map[int32]int) {
	tree := in.Tree
	s := side{
		Energy: in.Energy, Provenance: in.Trace.Energy, Unstated: in.Trace.Unstated, Runs: max(len(in.Runs), 1),
		Counted: in.Trace.Calls == trace.CountedCalls, Sampled: in.Trace.Calls == trace.EstimatedCalls,
	}
	at := make(map[int32]int)
	var nodes, open []int32
	// above counts the open tasks of each F-method.
	above := make(map[preprocess.LabelID]int)
	for v, f := range eflask.Innermost(tree) {
		v := int32(v)
		for len(open) > 0 && tree.Nodes[open[len(open)-1]].End <= v {
			above[tree.Nodes[open[len(open)-1]].Label]--
			open = open[:len(open)-1]
		}
		if f < 0 {
			continue
		}
		if f == v {
			label := tree.Nodes[v].Label
			at[f] = len(nodes)
			nodes = append(nodes, f)
			s.Tasks = append(s.Tasks, task{
				Label: tree.Labels.Text(label), Short: tree.Labels.Method(label).Short(),
				Under:  tree.Labels.Method(tree.Nodes[tree.Nodes[v].Parent].Label).Short(),
				Energy: tree.Energy.All(f), Calls: tree.Calls.Self(f), Peer: -1, Inner: above[label] > 0,
			})
			above[label]++
			open = append(open, f)
		}
		s.Tasks[at[f]].Own += tree.Energy.Self(v)
	}
	for i, id := range finding.TaskIDs(tree, nodes) {
		s.Tasks[i].ID = id
	}
	return s, at
}

// overlap counts the framework methods that both inputs called, and the framework methods that at
// least one input called.
func overlap(a, b *analysis.Input) (shared, either int) {
	first, second := frameworkMethods(a), frameworkMethods(b)
	for label := range second {
		if first[label] {
			shared++
		}
	}
	return shared, len(first) + len(second) - shared
}

// frameworkMethods returns the labels of the framework methods that ran in an input.
func frameworkMethods(in *analysis.Input) map[string]bool {
	labels := make(map[string]bool)
	seen := make([]bool, len(in.Tree.Source.Methods))
	for i := range in.Tree.Source.Nodes {
		m := in.Tree.Source.Nodes[i].Method
		if m < 0 || seen[m] {
			continue
		}
		seen[m] = true
		if in.Tree.MethodKind(m) == preprocess.Framework {
			labels[in.Tree.Compared(m).Label()] = true
		}
	}
	return labels
}

// Provenances returns the sources of the group's figures, each once, in the order of trace's
// constants.
func (g *Group) Provenances() []trace.Provenance {
	var list []trace.Provenance
	for _, p := range g.pairs {
		if p == nil {
			continue
		}
		for i := range p.Sides {
			if from := p.Sides[i].Provenance; !slices.Contains(list, from) {
				list = append(list, from)
			}
		}
	}
	slices.Sort(list)
	return list
}
