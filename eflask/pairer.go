package eflask

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// A Pairer finds the counterparts of two trees by several matchings, one after the other.
// Much of the work does not depend on the matching, and is done once. A Pairer must not be used
// concurrently.
type Pairer struct {
	last *pairing
	// callers is nil before the first use.
	callers *callers
}

// NewPairer returns a Pairer of two trees, which share their labels.
func NewPairer(subject, reference *preprocess.Tree) *Pairer {
	return &Pairer{last: newPairing(subject, reference, nil)}
}

// Counterparts is the function of that name for the Pairer's trees.
func (r *Pairer) Counterparts(m *Matching, lemma bool) []Counterpart {
	p := r.last.from(m)
	r.last = p
	if lemma {
		p.matched()
	} else {
		p.certain()
		p.weighed()
	}
	return p.counterparts()
}

// Moves is the function of that name for the Pairer's trees. own must always be the same.
func (r *Pairer) Moves(counterparts []Counterpart, own [2]func(trace.MethodID) bool) []Counterpart {
	m := r.mover(counterparts)
	if !m.open() {
		return counterparts
	}
	m.callers = r.callersOf(own)
	return m.moves(counterparts)
}

// Shifts is the function of that name for the Pairer's trees. own must always be the same. It gives up what
// only Counterparts needs.
func (r *Pairer) Shifts(counterparts []Counterpart, own [2]func(trace.MethodID) bool) []Shift {
	r.last.kept = nil
	m := r.mover(counterparts)
	m.callers = r.callersOf(own)
	return m.shifts()
}

// mover returns a mover that begins with some counterparts.
func (r *Pairer) mover(counterparts []Counterpart) *mover {
	r.last = r.last.from(nil)
	return newMover(r.last, counterparts)
}

// callersOf returns the callers of the Pairer's trees.
func (r *Pairer) callersOf(own [2]func(trace.MethodID) bool) *callers {
	if r.callers == nil {
		r.callers = newCallers(own, r.last.subject, r.last.reference)
	}
	return r.callers
}

// from returns a pairing of the same trees by another matching, in which no task has a
// counterpart yet. The one before must not be used any more.
func (p *pairing) from(m *Matching) *pairing {
	p.subject.free()
	p.reference.free()
	return &pairing{
		subject: p.subject, reference: p.reference, rarity: p.rarity, labels: p.labels, m: m,
		found: fill(p.found, len(p.subject.nodes), Counterpart{}), names: p.names, kept: p.kept,
	}
}

// free takes the counterparts from all tasks.
func (s *taskSide) free() {
	s.peer = fill(s.peer, len(s.nodes), -1)
	if s.scarce {
		// Which labels below tasks are known must not depend on earlier matchings.
		clear(s.below)
		s.left = s.mostBelow()
	}
}

// mostBelow is how many nodes belowOf may look at for all tasks.
func (s *taskSide) mostBelow() int32 { return int32(min(maxNests*len(s.tree.Nodes), math.MaxInt32)) }

// scale returns a scale for the pairing.
func (p *pairing) scale() *scale {
	if p.kept == nil {
		p.kept = newScale(p)
	} else {
		p.kept.restart(p)
	}
	return p.kept
}

// A nameTable knows how alike the names of labels are. It remembers the pairs that were asked for last.
type nameTable struct {
	labels *preprocess.Labels
	known  []knownNames
}

type knownNames struct {
	a, b  preprocess.LabelID
	alike float64
}

// rememberedNames is how many pairs a nameTable remembers, a power of two.
const rememberedNames = 1 << 12

func newNameTable(labels *preprocess.Labels) *nameTable {
	return &nameTable{labels, slices.Repeat([]knownNames{{a: -1}}, rememberedNames)}
}

// alike is how alike the names of two labels are, as the function of that name has it.
func (t *nameTable) alike(a, b preprocess.LabelID) float64 {
	k := &t.known[mix(uint64(a)<<32|uint64(b))%rememberedNames]
	if k.a != a || k.b != b {
		*k = knownNames{a, b, alike(t.labels.Method(a), t.labels.Method(b))}
	}
	return k.alike
}
