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

// A side is a Side under construction. Its parts are sorted by node until the comparison is
// complete.
type side struct {
	kind Kind
	Side
	compared name.Method // compared is the method as which Method is compared.
	label    string      // label is the label of compared.
	own      []bool      // own reports whether each part is outside of tasks.
}

// add adds energy in a callback. own is set if the callback is outside of tasks. The parts of one
// callback must be added together.
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

// A run is the app code of one run: sides in the order of the tree.
type run struct {
	tree  *preprocess.Tree
	sides []*side
}

// collect divides the energy of a tree's callbacks by A-method.
func collect(t *preprocess.Tree) *run { return collectSides(t, false) }

// collectSides does the same as collect. With methodsAlone it only finds the A-methods. The sides
// then have no energy and one part.
func collectSides(t *preprocess.Tree, methodsAlone bool) *run {
	r := &run{tree: t}
	byLabel := make(map[string]*side)
	sides := make([]*side, len(t.Source.Methods))
	sideOf := func(m trace.MethodID) *side {
		if sides[m] == nil {
			method, known := t.Source.Methods[m], t.Compared(m)
			if method.IsAddress() && method.Module != "" {
				// Addresses differ between runs, so only the module identifies the method.
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

// inRuns returns the energy of a node without callees in each run. The tree is the mean of these
// runs.
func inRuns(t *cct.Tree, node int32) []units.Energy {
	var runs []units.Energy
	for k := range t.Repeats() {
		runs = append(runs, t.InRun(k).Self(node))
	}
	return runs
}

// byCallback replaces the unpaired sides by sides for the callbacks that contain their parts. Slices
// are not parts of callbacks, and remain.
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
			// Each node has one part, and the parts are in the order of the nodes.
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

// places returns where the methods of the run are declared, as far as their names show it.
func (r *run) places() map[string]bool {
	places := make(map[string]bool)
	for _, s := range r.sides {
		if distinctive(s.Method) {
			places[s.Method.Place()] = true
		}
	}
	return places
}

// OneApp reports whether names show that two runs belong to one app. This is the first test of
// [Compare]. own is as for Compare.
func OneApp(subject, reference *preprocess.Tree, own [2]func(trace.MethodID) bool) bool {
	s, r := bothSides(func(k int) names {
		return collectSides([]*preprocess.Tree{subject, reference}[k], true).names(own[k])
	})
	return s.basis(r) != NoBasis
}

// bothSides calls read for the subject, which is 0, and for the reference, which is 1. The calls run
// concurrently.
func bothSides[T any](read func(k int) T) (s, r T) {
	done := make(chan T)
	go func() { done <- read(1) }()
	s = read(0)
	return s, <-done
}
