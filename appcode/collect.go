package appcode

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A side is a [Side] that is being built: a method or callback of one run. Until the comparison is
// complete, its parts are sorted by node.
type side struct {
	kind Kind
	Side
	compared name.Method // how Method is named in the comparison
	label    string      // the label of compared
	own      []bool      // for each part, whether it is outside of tasks
}

// add adds a part. own is true if its callback is outside of tasks. The parts of one callback must
// be added in sequence.
func (s *side) add(p Part, own bool) {
	if n := len(s.Parts); n > 0 && s.Parts[n-1].Node == p.Node && s.kind == Method {
		s.Parts[n-1].Energy += p.Energy
		s.Parts[n-1].Runs = plus(s.Parts[n-1].Runs, p.Runs)
	} else {
		s.Parts = append(s.Parts, p)
		s.own = append(s.own, own)
	}
	s.Energy += p.Energy
	if own {
		s.Own += p.Energy
	}
}

// A run has the app code of one run. Its sides are in the order of the tree.
type run struct {
	tree  *preprocess.Tree
	sides []*side
}

// collect divides the energy of a tree's callbacks by A-method (method of the app).
func collect(t *preprocess.Tree) *run { return collectSides(t, false) }

// collectSides is like collect. If methodsAlone is true, it only finds the A-methods. Each side
// then has no energy and a single part.
func collectSides(t *preprocess.Tree, methodsAlone bool) *run {
	r := &run{tree: t}
	byLabel := make(map[string]*side)
	sides := make([]*side, len(t.Source.Methods))
	sideOf := func(m trace.MethodID) *side {
		if sides[m] == nil {
			method, known := t.Source.Methods[m], t.Compared(m)
			if method.Nameless() {
				// An address differs between runs, so compare the method by its module only.
				method = method.Unnamed()
				known = method
			}
			label := known.Label()
			switch s := byLabel[label]; {
			case s == nil:
				byLabel[label] = &side{Side: Side{Method: method}, compared: known, label: label}
				r.sides = append(r.sides, byLabel[label])
			case s.Method.Label() != method.Label():
				s.Method = known
			}
			sides[m] = byLabel[label]
		}
		return sides[m]
	}
	actors := t.Actors()
	var innermost []int32
	if !methodsAlone {
		innermost = eflask.Innermost(t)
	}
	for v := int32(1); int(v) < len(t.Nodes); v++ {
		if t.Nodes[v].Kind != preprocess.App {
			continue
		}
		for _, o := range t.Originals(v) {
			m := t.Source.Nodes[actors[o]].Method
			if methodsAlone && sides[m] != nil {
				continue
			}
			s := sideOf(m)
			if methodsAlone {
				if len(s.Parts) == 0 {
					s.Parts = []Part{{Node: v, Method: m}}
				}
				continue
			}
			s.add(Part{v, m, t.Source.Energy.Self(o), inRuns(t.Source, o)}, innermost[v] < 0)
			if actors[o] == o {
				s.Calls += t.Source.Calls.Self(o) + t.Source.Recursive.Self(o)
			}
		}
	}
	return r
}

// inRuns returns the exclusive energy of a node in each run, if the tree is the mean of several.
func inRuns(t *cct.Tree, node int32) []units.Energy {
	var runs []units.Energy
	for k := range t.Repeats() {
		runs = append(runs, t.InRun(k).Self(node))
	}
	return runs
}

// byCallback replaces the sides without a counterpart by sides for their callbacks. Slices are not
// parts of callbacks, so they stay.
func (r *run) byCallback(paired func(*side) bool) {
	var kept []*side
	callbacks := make(map[int32]*side)
	var nodes []int32
	for _, s := range r.sides {
		if paired(s) || s.Method.IsSlice() {
			kept = append(kept, s)
			continue
		}
		for i, p := range s.Parts {
			c := callbacks[p.Node]
			if c == nil {
				c = &side{kind: Callback, Side: Side{
					Method: r.tree.Labels.Method(r.tree.Nodes[p.Node].Label), Calls: r.tree.Calls.Self(p.Node),
				}}
				callbacks[p.Node] = c
				nodes = append(nodes, p.Node)
			}
			c.add(p, s.own[i])
		}
	}
	slices.Sort(nodes)
	for _, v := range nodes {
		kept = append(kept, callbacks[v])
	}
	r.sides = kept
}

// rank sorts the parts of all sides by energy.
func (r *run) rank() {
	for _, s := range r.sides {
		if s.kind == Method {
			// Parts of equal energy stay in the order of nodes. Each node has one part.
			slices.SortFunc(s.Parts, func(a, b Part) int {
				if c := cmp.Compare(b.Energy, a.Energy); c != 0 {
					return c
				}
				return cmp.Compare(a.Node, b.Node)
			})
			continue
		}
		slices.SortStableFunc(s.Parts, func(a, b Part) int { return cmp.Compare(b.Energy, a.Energy) })
	}
}

// places returns the classes, modules or files in which the run's methods are declared, if known.
func (r *run) places() map[string]bool {
	places := make(map[string]bool)
	for _, s := range r.sides {
		if distinctive(s.Method) {
			places[s.Method.Place()] = true
		}
	}
	return places
}

// OneApp reports whether names show that two runs belong to one app. It is the first test of
// [Compare], and own has the same meaning as there.
func OneApp(subject, reference *preprocess.Tree, own [2]func(trace.MethodID) bool) bool {
	s, r := bothSides(func(k int) names {
		return collectSides([]*preprocess.Tree{subject, reference}[k], true).names(own[k])
	})
	return s.basis(r) != NoBasis
}

// bothSides calls read(0) for the subject and read(1) for the reference, concurrently.
func bothSides[T any](read func(k int) T) (s, r T) {
	done := make(chan T)
	go func() { done <- read(1) }()
	s = read(0)
	return s, <-done
}
