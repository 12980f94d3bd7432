package eflask

import (
	"slices"
	"sync"

	"github.com/diffprof/diffprof/preprocess"
)

// A Counterpart is a pair of tasks, one of each run, that do the same. No task is in two pairs.
type Counterpart struct {
	// Subject and Reference are the nodes of the two F-methods.
	Subject, Reference int32
	Found              Found
	// Distance is the edit distance of the two paths. It is Far if the paths are too long to
	// compute it.
	Distance int32
	// Evidence is the evidence for the pair.
	Evidence Evidence
}

// Far marks a distance that was not computed.
const Far = -1

// Evidence is the evidence for a counterpart. Its numbers are between 0 and 1, or [Unknown].
type Evidence struct {
	// Likelihood is the estimated probability that the two tasks do the same. It is 1 for tasks
	// with the same F-method at distance 0, unless the runs are of unlike apps. It is Unknown if
	// the caller asked for the matching alone.
	Likelihood float64
	// Stated is the likelihood that users see, or 0 if it is the same as Likelihood. Likelihood
	// decides what is matched. Stated is fitted to the judgments of people, who found fewer pairs
	// to be right than the generated runs suggest.
	Stated float64
	// OtherCallers is true if Stated is low because no method of the app calls both tasks.
	OtherCallers bool
	// Doubted is true if the pair must not count as matched, even with a high Likelihood.
	Doubted bool
	// Name is the similarity of the F-methods' names. It is 1 if both F-methods are the same
	// method.
	Name float64
	// Below is the share of callees that the two F-methods have in common. Rare callees weigh more.
	// If two methods have similar names and one calls the other, the called method counts as a
	// callee of both. Below is Unknown if neither method calls anything, and for pairs with equal
	// paths, which do not need it.
	Below float64
	// Around is the share of work that the two callbacks (the calling app methods) have in common,
	// without the pair itself. It is known if the pair's likelihood was computed.
	Around float64
	// Way is the similarity of the call paths to the two callbacks. A method weighs more if it
	// leads to fewer callbacks. Way is known if the pair's likelihood was computed.
	Way float64
	// Rival is the likelihood of the best other pair with either task. It is 0 if no other pair is
	// likely, and Unknown if Likelihood is.
	Rival float64
}

// Says returns the likelihood that users see. It is Unknown if only the matching decides.
func (e *Evidence) Says() float64 {
	if e.Stated > 0 {
		return e.Stated
	}
	return e.Likelihood
}

// Unknown marks a value that was not computed.
const Unknown = -1

// sure is the smallest likelihood of a pair that counts as matched. Below it, too many pairs are
// wrong for their energies to be summed.
const sure = 0.8

// carried is the smallest Below or Around that is evidence for a pair of different methods.
const carried = 0.3

// Sure reports whether a counterpart counts as matched. It must not be Doubted, and its Likelihood
// must be high enough or Unknown. A pair of different methods must satisfy further conditions:
//
//   - Overloads of one method must make mostly the same calls, or their callbacks must do mostly the
//     same or have nearly the same path. For example, two calls of Math.min prove nothing.
//   - Methods with different names or classes must make mostly the same calls, and no other
//     counterpart may be likely. Otherwise all getters of a class, or all methods called get, would
//     match.
//   - If the names have nothing in common, the callbacks must also make mostly the same other calls,
//     because all calls to other processes go through the same methods.
func (e *Evidence) Sure() bool { return !e.Doubted && e.strong() }

// strong reports whether the evidence is strong enough for Sure.
func (e *Evidence) strong() bool {
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

// Counterparts pairs the tasks of two trees one to one. It starts from a matching of the trees. If
// lemma is true, only the matching decides. Otherwise Counterparts continues with these steps:
//
//  1. Tasks of one F-method under equal paths become a pair, even if the matching pairs them
//     otherwise. In runs of unlike apps, they become a pair only if their [Traits] make it likely.
//  2. Other tasks of one F-method become a pair if the matching pairs them at distance 0.
//  3. The other tasks become pairs by their likelihood, the likeliest pair first. The matching is
//     only one of the [Features] of a pair. It counts if it pairs the two F-methods, or one of them
//     with a call inside the other (DiffProf, Section 3.4.1).
//
// The result is in the order of the subject's nodes. Swapping the trees and the matching swaps the
// pairs.
func Counterparts(subject, reference *preprocess.Tree, m *Matching, lemma bool) []Counterpart {
	return NewPairer(subject, reference).Counterparts(m, lemma)
}

// A Candidate is a pair of tasks for which Counterparts computes a likelihood.
type Candidate struct {
	// Subject and Reference are the nodes of the two F-methods.
	Subject, Reference int32
	Features           Features
	// Exact is true if the tasks have the same F-method under equal paths. Such a candidate has no
	// Features. Traits give the likelihood in runs of unlike apps. For Exact pairs in runs of
	// similar apps and in sampled runs, they give Evidence.Stated. Otherwise they are zero.
	Traits Traits
	Exact  bool
	// Unlike is true if the two runs are of unlike apps.
	Unlike bool
}

// Candidates lists the pairs with equal paths, and the pairs for which Counterparts computes a
// likelihood in its first round. The weights of features and traits are fitted to these pairs.
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
			traits := p.trust.traits(i, j, Unknown, Unknown)
			if !p.trust.unlike() && (p.trust.similar() || p.trust.sampled() && p.trust.callersKnown(i, j)) {
				traits = p.trust.equalPath(i, j)
			}
			out = append(out, Candidate{p.subject.nodes[i], p.reference.nodes[j], Features{}, traits, true, p.trust.unlike()})
		}
	}
	for _, c := range p.scale().weighed(0) {
		traits := p.trust.traits(c.i, c.j, c.evidence.Around, c.evidence.Below)
		if p.trust.unlike() {
			traits.Weighed(c.features.Likelihood(&weights))
		}
		out = append(out, Candidate{p.subject.nodes[c.i], p.reference.nodes[c.j], c.features, traits, false, p.trust.unlike()})
	}
	return out
}

// A pairing is the state of Counterparts while it finds counterparts. It identifies tasks by their
// numbers in taskSide.
type pairing struct {
	subject, reference *taskSide
	rarity             *rarity
	labels             *preprocess.Labels
	m                  *Matching
	// found has the counterpart of each task of the subject.
	found []Counterpart
	names nameTable
	// kept is the cached scale of the pairing. It is nil until it is first used.
	kept *scale
	// trust is nil while tasks with equal paths are paired, and if only the matching decides.
	trust *trust
}

func newPairing(subject, reference *preprocess.Tree, m *Matching) *pairing {
	r := newRarity(newGamma(subject.Labels), subject, reference)
	p := &pairing{rarity: r, labels: subject.Labels}
	var wg sync.WaitGroup
	wg.Go(func() { p.reference = newTaskSide(reference, r) })
	p.subject = newTaskSide(subject, r)
	wg.Wait()
	p.names = newNameTable(p.labels, p.subject, p.reference)
	return p.reuse(m)
}

// counterparts returns the counterparts found so far.
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

// free reports whether both tasks have no counterpart yet.
func (p *pairing) free(i, j int32) bool { return p.subject.peer[i] < 0 && p.reference.peer[j] < 0 }

// pair makes two tasks counterparts.
func (p *pairing) pair(i, j int32, f Found, distance int32, e Evidence) {
	p.subject.peer[i], p.reference.peer[j] = j, i
	p.found[i] = Counterpart{Found: f, Distance: distance, Evidence: e}
}

// certain pairs the tasks for which equal paths or the matching suffice.
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

// weighed pairs tasks by their likelihood. It first assumes that the apps are similar. If the
// result shows that they are not, it starts again without this assumption.
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

// below returns the share of callees that two F-methods have in common. It is Unknown if neither
// calls anything.
func (p *pairing) below(i, j int32) float64 {
	if p.subject.leaf[i] && p.reference.leaf[j] {
		return Unknown
	}
	a, b := p.subject.belowOf(i), p.reference.belowOf(j)
	return dice(p.rarity.common(a, b), a.weight, b.weight)
}

// equalPaths pairs tasks with the same label and the same path. The matching may have other pairs
// for them, because it maximizes the number of pairs and does not prefer equal paths.
func (p *pairing) equalPaths() {
	for v, w := range equalPaths(subtree{p.subject.tree, 0}, subtree{p.reference.tree, 0}) {
		if w < 0 {
			continue
		}
		if i, j := p.subject.at[v], p.reference.at[w]; i >= 0 && j >= 0 {
			p.pair(i, j, Exact, 0, Evidence{Likelihood: 1, Name: 1, Below: Unknown, Around: Unknown, Way: Unknown})
		}
	}
}

// maxEdits limits the steps of computing the distance of two paths.
const maxEdits = 1 << 20

// distance returns the edit distance of the paths of two nodes, or Far. Insertions and deletions
// cost 1, and substitutions cost γ (DiffProf, Section 3.4.2).
func (p *pairing) distance(v, w int32) int32 {
	a, b := pathOf(p.subject.tree, v), pathOf(p.reference.tree, w)
	if len(a)*len(b) > maxEdits {
		return Far
	}
	// Aligning equal labels at the ends of both paths is never worse than another alignment.
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
