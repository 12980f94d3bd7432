package eflask

import (
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// A Counterpart is a task of the reference that does what a task of the subject
// does. No task has two.
type Counterpart struct {
	// Subject and Reference are the nodes of the two F-methods.
	Subject, Reference int32
	Found              Found
	// Distance is the edit distance of the two paths, Far where they are too long to
	// tell.
	Distance int32
	// Evidence says what the pair rests on.
	Evidence Evidence
}

// Far stands for a distance that was not computed.
const Far = -1

// Evidence is what speaks for a counterpart. Figures lie between 0 and 1; a figure that
// is not known is [Unknown].
type Evidence struct {
	// Likelihood is how likely the two do the same. For tasks of one F-method at distance 0 it is
	// 1, unless the runs are of unlike apps. It is not known where the matching alone decides.
	Likelihood float64
	// Name is how alike the F-methods' names are, 1 for one method.
	Name float64
	// Below is the share of equal callees of the two F-methods, each label weighted by its rarity.
	// If one of two methods of alike names calls the other, the other counts as called by both. It
	// is unknown if neither calls anything, and for pairs of equal paths, which need no such
	// evidence.
	Below float64
	// Around is the share of equal work in the two callbacks around the pair. It is known for pairs
	// that were weighed.
	Around float64
	// Way is the share of equal labels on the paths to the two callbacks, each weighted by how few
	// callbacks it leads to. It is known for pairs that were weighed.
	Way float64
	// Rival is the likelihood of the best other counterpart for either task, 0 if no other is
	// likely. It is unknown if the likelihood is unknown.
	Rival float64
}

// Unknown is the value of a figure that is not known.
const Unknown = -1

// sure is the likelihood from which a counterpart counts as matched. Of pairs below,
// too many are wrong to take them into a sum.
const sure = 0.8

// carried is the least similarity of the calls around and below two different methods that count
// as matched.
const carried = 0.3

// Sure reports whether a counterpart counts as matched: it is likely enough, or no
// likelihood was asked for. Two methods need more. Overloads of one method that call nothing
// must have one path, or callbacks that do the same around them: two calls of Math.min say
// nothing. Methods of other names or classes have to call the same, and no other counterpart may
// be likely enough as well: getters of one class look alike, and so do methods called get.
// If their names have nothing in common, their callbacks have to do the same around them as well:
// whatever an app asks of another process, the same methods carry it there.
func (e *Evidence) Sure() bool {
	switch {
	case e.Likelihood < sure:
		return e.Likelihood == Unknown
	case e.Name == 1:
		return true
	case e.Name >= overload:
		return max(e.Below, e.Around) >= carried || e.Way >= sure
	case e.Name == 0 && e.Around < carried:
		return false
	}
	return e.Below >= carried && e.Rival < sure
}

// Counterparts pairs the tasks of two trees one to one. It starts from a matching of
// the trees, and unless lemma asks for the matching alone, it goes on:
//
//  1. Tasks of one F-method under equal paths are a pair, whatever the matching says. In runs of
//     unlike apps they are one only if their [Traits] make it likely.
//  2. So are other tasks of one F-method that the matching pairs at distance 0.
//  3. The other tasks pair by their likelihood, the likeliest first. That the matching
//     pairs two F-methods, or one with a call inside of the other (DiffProf, Section
//     3.4.1), speaks for a pair as other [Features] do, and decides nothing alone.
//
// The result is in the order of the subject's nodes. Swapping the trees and the matching
// swaps the pairs.
func Counterparts(subject, reference *preprocess.Tree, m *Matching, lemma bool) []Counterpart {
	return NewPairer(subject, reference).Counterparts(m, lemma)
}

// A Candidate is a pair of tasks that Counterparts weighs by likelihood.
type Candidate struct {
	// Subject and Reference are the nodes of the two F-methods.
	Subject, Reference int32
	Features           Features
	// Traits are what the likelihood is computed from in runs of unlike apps, zero for alike ones. Exact says
	// that the two have one F-method under equal paths, and no Features.
	Traits Traits
	Exact  bool
	// Unlike says that the two runs are of unlike apps: only then are the traits asked for.
	Unlike bool
}

// Candidates lists the pairs that Counterparts weighs first, and those of equal paths. Weights
// are fitted to them.
func Candidates(subject, reference *preprocess.Tree, m *Matching) []Candidate {
	p := newPairing(subject, reference, m)
	p.certain()
	if p.trust.suspect() {
		other := newPairing(subject, reference, m)
		other.certain()
		if other.weighed(); other.trust.unlike() {
			p.trust.doubt()
		}
	}
	var out []Candidate
	for i, j := range p.subject.peer {
		if i := int32(i); j >= 0 {
			out = append(out, Candidate{p.subject.nodes[i], p.reference.nodes[j], Features{}, p.trust.of(i, j, Unknown, Unknown), true, p.trust.unlike()})
		}
	}
	for _, c := range p.scale().weighed(0) {
		traits := p.trust.of(c.i, c.j, c.evidence.Around, c.evidence.Below)
		if p.trust.unlike() {
			traits.Weighed(c.features.Likelihood(&weights))
		}
		out = append(out, Candidate{p.subject.nodes[c.i], p.reference.nodes[c.j], c.features, traits, false, p.trust.unlike()})
	}
	return out
}

// A pairing is counterparts while they are found. Tasks go by their numbers.
type pairing struct {
	subject, reference *taskSide
	rarity             *rarity
	labels             *preprocess.Labels
	m                  *Matching
	// found is by the subject's task.
	found []Counterpart
	names *nameTable
	// kept is the scale, nil before the first use.
	kept *scale
	// trust is nil while the tasks of equal paths are paired, and with the matching alone.
	trust *trust
}

func newPairing(subject, reference *preprocess.Tree, m *Matching) *pairing {
	r := newRarity(newGamma(subject.Labels), subject, reference)
	p := &pairing{subject: newTaskSide(subject, r), reference: newTaskSide(reference, r), rarity: r, labels: subject.Labels}
	p.names = newNameTable(p.labels)
	return p.from(m)
}

// counterparts returns what was found.
func (p *pairing) counterparts() []Counterpart {
	paired := 0
	for _, peer := range p.subject.peer {
		if peer >= 0 {
			paired++
		}
	}
	out := make([]Counterpart, 0, paired)
	for i, peer := range p.subject.peer {
		if peer >= 0 && !p.found[i].Evidence.unlikely() {
			c := p.found[i]
			c.Subject, c.Reference = p.subject.nodes[i], p.reference.nodes[peer]
			out = append(out, c)
		}
	}
	return out
}

// free reports whether neither of two tasks has a counterpart.
func (p *pairing) free(i, j int32) bool { return p.subject.peer[i] < 0 && p.reference.peer[j] < 0 }

// pair makes two tasks counterparts.
func (p *pairing) pair(i, j int32, f Found, distance int32, e Evidence) {
	p.subject.peer[i], p.reference.peer[j] = j, i
	p.found[i] = Counterpart{Found: f, Distance: distance, Evidence: e}
}

// certain pairs the tasks that need no evidence.
func (p *pairing) certain() {
	p.equalPaths()
	for _, pair := range p.m.Pairs {
		i, j := p.subject.at[pair.Subject], p.reference.at[pair.Reference]
		if i >= 0 && j >= 0 && pair.Gamma == 0 && pair.Distance == 0 && p.subject.label(i) == p.reference.label(j) && p.free(i, j) {
			p.pair(i, j, p.foundAs(i, j, pair), 0, Evidence{Likelihood: 1, Name: 1, Below: p.below(i, j), Around: Unknown, Way: Unknown})
		}
	}
	p.trust = newTrust(p)
}

// weighed pairs the tasks that need evidence. That two runs are of unlike apps shows only when all
// tasks are paired as if they were not: then it begins anew.
func (p *pairing) weighed() {
	if !p.trust.suspect() {
		p.likely()
		return
	}
	mine, theirs, found := slices.Clone(p.subject.peer), slices.Clone(p.reference.peer), slices.Clone(p.found)
	p.likely()
	if p.trust.kin() >= kinRuns {
		return
	}
	copy(p.subject.peer, mine)
	copy(p.reference.peer, theirs)
	copy(p.found, found)
	p.trust.doubt()
	p.likely()
}

// below returns the share of equal callees of two F-methods, Unknown if neither calls anything.
func (p *pairing) below(i, j int32) float64 {
	if p.subject.leaf[i] && p.reference.leaf[j] {
		return Unknown
	}
	a, b := p.subject.belowOf(i), p.reference.belowOf(j)
	return dice(p.rarity.common(a, b), a.weight, b.weight)
}

// equalPaths pairs tasks of one label under one path. The matching may give either
// another partner, since it counts pairs, and all pairs alike.
func (p *pairing) equalPaths() {
	s, r := p.subject.tree, p.reference.tree
	// same is the reference's node of the same path, -1 for none; next is its child
	// to look at. Siblings are sorted by label in both trees.
	same, next := make([]int32, len(s.Nodes)), make([]int32, len(s.Nodes))
	same[0], next[0] = 0, 1
	for v := 1; v < len(s.Nodes); v++ {
		same[v] = -1
		parent := s.Nodes[v].Parent
		above := same[parent]
		if above < 0 {
			continue
		}
		w, end := next[parent], r.Nodes[above].End
		for w < end && r.Nodes[w].Label < s.Nodes[v].Label {
			w = r.Nodes[w].End
		}
		next[parent] = w
		if w == end || r.Nodes[w].Label != s.Nodes[v].Label {
			continue
		}
		same[v], next[v] = w, w+1
		if i, j := p.subject.at[v], p.reference.at[w]; i >= 0 && j >= 0 {
			p.pair(i, j, Exact, 0, Evidence{Likelihood: 1, Name: 1, Below: Unknown, Around: Unknown, Way: Unknown})
		}
	}
}

// maxEdits bounds the steps that computing the distance of two paths may take.
const maxEdits = 1 << 20

// distance is the edit distance of the paths of two nodes under γ, insertions and
// deletions costing 1 (DiffProf, Section 3.4.2), or Far.
func (p *pairing) distance(v, w int32) int32 {
	a, b := pathOf(p.subject.tree, v), pathOf(p.reference.tree, w)
	if len(a)*len(b) > maxEdits {
		return Far
	}
	// Equal labels at either end of both paths may be turned into each other: no edits cost less.
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	row := make([]int32, len(b)+1)
	for j := range row {
		row[j] = int32(j)
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = int32(i) + 1
		for j, y := range b {
			cost := int32(1)
			if p.rarity.class[x] == p.rarity.class[y] {
				cost = int32(p.labels.Gamma(x, y))
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// pathOf returns the labels from a node up to the root.
func pathOf(t *preprocess.Tree, v int32) []preprocess.LabelID {
	var path []preprocess.LabelID
	for ; v >= 0; v = t.Nodes[v].Parent {
		path = append(path, t.Nodes[v].Label)
	}
	return path
}
