package group

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A pair is what one comparison says of two members. It is what the cache keeps.
type pair struct {
	// Alpha is the one that was chosen.
	Alpha   int
	Voltage units.Voltage
	// Shared counts the framework methods that both called, Either those that one of them
	// did.
	Shared, Either int
	Sides          [2]side
}

// A side is one of the two.
type side struct {
	Energy     units.Energy
	Provenance trace.Provenance
	Unstated   bool
	// Counted is set where its calls were counted.
	Counted bool
	Tasks   []task
}

// A task is one of a side's.
type task struct {
	ID string
	// Label is that of its F-method, Short what people read of it.
	Label, Short string
	// Energy is with what it calls, Own without the tasks inside it.
	Energy, Own units.Energy
	Calls       int64
	// Matched is set where the other side does it, too, and Exact where it does so by an
	// equal call path.
	Matched, Exact bool
	// Inner is set where it lies inside of a task with the same F-method.
	Inner bool
}

// intern replaces the texts of a pair by equal ones of names.
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
			of := &p.Sides[i].Tasks[t]
			once(&of.ID)
			once(&of.Label)
			once(&of.Short)
		}
	}
}

// compare compares two members.
func compare(ctx context.Context, a, b Member, o analysis.Options) (*pair, error) {
	o.Subject, o.MappingSubject, o.FlowsSubject, o.ProcessSubject, o.WithSubject = a.Path, a.Mapping, a.Flows, a.Process, nil
	o.Reference, o.MappingReference, o.FlowsReference, o.ProcessReference, o.WithReference = b.Path, b.Mapping, b.Flows, b.Process, nil
	o.Progress = nil
	r, err := analysis.Compare(ctx, o)
	if err != nil {
		return nil, err
	}
	p := &pair{Alpha: r.Matching.Alpha, Voltage: r.Voltage}
	p.Shared, p.Either = overlap(&r.Subject, &r.Reference)
	found := [2]map[int32]eflask.Found{make(map[int32]eflask.Found), make(map[int32]eflask.Found)}
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.Found != eflask.Unmatched {
			found[0][t.Node], found[1][t.Peer] = t.Found, t.Found
		}
	}
	for i, in := range []*analysis.Input{&r.Subject, &r.Reference} {
		p.Sides[i] = newSide(in, found[i])
	}
	return p, nil
}

// newSide lists the tasks of an input, of which the nodes of found are matched.
func newSide(in *analysis.Input, found map[int32]eflask.Found) side {
	tree := in.Tree
	s := side{Energy: in.Energy, Provenance: in.Trace.Energy, Unstated: in.Trace.Unstated, Counted: in.Trace.Calls == trace.CountedCalls}
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
				Label: tree.Labels.Text(label), Short: tree.Labels.Method(label).Short(), Energy: tree.Energy.All(f), Calls: tree.Calls.Self(f),
				Matched: found[f] != eflask.Unmatched, Exact: found[f] == eflask.Exact, Inner: above[label] > 0,
			})
			above[label]++
			open = append(open, f)
		}
		s.Tasks[at[f]].Own += tree.Energy.Self(v)
	}
	for i, id := range finding.TaskIDs(tree, nodes) {
		s.Tasks[i].ID = id
	}
	return s
}

// overlap counts the methods of the framework that both inputs called, and those that
// either did.
func overlap(a, b *analysis.Input) (shared, either int) {
	first, second := frameworkMethods(a), frameworkMethods(b)
	for label := range second {
		if first[label] {
			shared++
		}
	}
	return shared, len(first) + len(second) - shared
}

// frameworkMethods are the labels of the framework's methods that ran in an input.
func frameworkMethods(in *analysis.Input) map[string]bool {
	labels := make(map[string]bool)
	for m := range in.Tree.Source.Methods {
		if id := trace.MethodID(m); in.Tree.MethodKind(id) == preprocess.Framework {
			labels[in.Tree.Compared(id).Label()] = true
		}
	}
	return labels
}

// Provenances are where the figures of the group come from, each once, in the order of
// trace's constants.
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
