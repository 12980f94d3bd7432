package eflask

import (
	"math"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// A Pairer finds the counterparts of two trees for several matchings, one after the other. Work
// that does not depend on the matching is done once. A Pairer must not be used concurrently.
type Pairer struct {
	last *pairing
	// callers is nil until it is first used.
	callers *callers
}

// NewPairer returns a Pairer of two trees, which share their labels.
func NewPairer(subject, reference *preprocess.Tree) *Pairer {
	return &Pairer{last: newPairing(subject, reference, nil)}
}

// Counterparts applies the function [Counterparts] to the Pairer's trees.
func (r *Pairer) Counterparts(m *Matching, lemma bool) []Counterpart {
	p := r.last.reuse(m)
	r.last = p
	if lemma {
		p.matched()
	} else {
		p.certain()
		p.weighed()
		p.trust.state()
	}
	return p.counterparts()
}

// Moves applies the function [Moves] to the Pairer's trees. All calls must pass the same own.
func (r *Pairer) Moves(counterparts []Counterpart, own [2]func(trace.MethodID) bool) []Counterpart {
	m := r.mover(counterparts)
	if !m.open() {
		return counterparts
	}
	m.callers = r.callersOf(own)
	return m.moves(counterparts)
}

// Shifts applies the function [Shifts] to the Pairer's trees. All calls must pass the same own.
// Shifts frees memory that only Counterparts needs.
func (r *Pairer) Shifts(counterparts []Counterpart, own [2]func(trace.MethodID) bool) []Shift {
	r.last.kept = nil
	m := r.mover(counterparts)
	m.callers = r.callersOf(own)
	return m.shifts()
}

// mover returns a mover that starts with the given counterparts.
func (r *Pairer) mover(counterparts []Counterpart) *mover {
	r.last = r.last.reuse(nil)
	return newMover(r.last, counterparts)
}

// callersOf returns the callers of the Pairer's trees.
func (r *Pairer) callersOf(own [2]func(trace.MethodID) bool) *callers {
	if r.callers == nil {
		r.callers = newCallers(own, r.last.subject, r.last.reference)
	}
	return r.callers
}

// reuse returns a pairing of the same trees for another matching. It starts without counterparts.
// It reuses the memory of p, which must not be used any more.
func (p *pairing) reuse(m *Matching) *pairing {
	p.subject.free()
	p.reference.free()
	return &pairing{
		subject: p.subject, reference: p.reference, rarity: p.rarity, labels: p.labels, m: m,
		found: fill(p.found, len(p.subject.nodes), Counterpart{}), names: p.names, kept: p.kept,
	}
}

// free removes the counterparts of all tasks.
func (s *taskSide) free() {
	s.peer = fill(s.peer, len(s.nodes), -1)
	if s.scarce {
		// Forget the cached callees, so that the result does not depend on earlier matchings.
		clear(s.below)
		s.left = s.mostBelow()
	}
}

// mostBelow limits how many nodes belowOf may visit for all tasks together.
func (s *taskSide) mostBelow() int32 { return int32(min(maxNests*len(s.tree.Nodes), math.MaxInt32)) }

// scale returns the scale of the pairing, and creates it if needed.
func (p *pairing) scale() *scale {
	if p.kept == nil {
		p.kept = newScale(p)
	} else {
		p.kept.restart(p)
	}
	return p.kept
}

// A nameTable computes the similarity of the names of tasks. It is indexed by label. Only labels of
// tasks have entries.
type nameTable []numberedText

// A numberedText is the name of a method, with numbers for the place (the scope and the class) and
// for the name.
type numberedText struct {
	place, number int32
	text          string
	typed         bool // the method has a class
}

func newNameTable(labels *preprocess.Labels, sides ...*taskSide) nameTable {
	t := make(nameTable, labels.Len())
	places, names := make(map[[2]string]int32), make(map[string]int32)
	for _, side := range sides {
		for _, label := range side.labels {
			if at := &t[label]; at.text == "" {
				m := labels.Method(label)
				*at = numberedText{numberIn(places, [2]string{m.Scope, m.Type}), numberIn(names, m.Name), m.Name, m.Type != ""}
			}
		}
	}
	return t
}

// alike returns the similarity of two label names, as the function alike computes it.
func (t nameTable) alike(a, b preprocess.LabelID) float64 {
	x, y := &t[a], &t[b]
	return alikeParts(x.place == y.place, x.number == y.number, x.typed, x.text, y.text)
}
