package eflask

import (
	"cmp"
	"math"
	"slices"
)

// A candidate is a pair of tasks that may be counterparts.
type candidate struct {
	i, j     int32
	found    Found
	features Features
	evidence Evidence
	// apart is the absolute difference between the energies of the two tasks.
	apart int64
	// doubtful means that the pair is not matched: the apps are unlike, and its likelihood is low.
	doubtful bool
}

// leastLikely is the smallest likelihood of a possible counterpart. A counterpart that counts as
// matched needs more (see sure).
const leastLikely = 0.5

// rounds is the largest number of rounds. Each new pair changes the similarity of two callbacks, so
// later rounds find more pairs.
const rounds = 4

// likely pairs the remaining tasks by likelihood, the likeliest first. The pairs that count as
// matched come first, because they are evidence for other pairs. The merely possible pairs follow.
func (p *pairing) likely() {
	s := p.scale()
	for round, least := 1, float64(sure); ; round++ {
		candidates := slices.DeleteFunc(s.weighed(leastLikely), func(c *candidate) bool { return c.doubtful || least == sure && !c.evidence.Sure() })
		slices.SortFunc(candidates, compare)
		paired := false
		for _, c := range candidates {
			if p.free(c.i, c.j) {
				p.pair(c.i, c.j, c.found, p.distance(p.subject.nodes[c.i], p.reference.nodes[c.j]), c.evidence)
				paired = true
			}
		}
		switch {
		case least < sure:
			s.now, s.last = nil, nil // the next pairing may start only from s.first
			return
		case !paired || round == rounds:
			least = leastLikely
		}
	}
}

// compare orders candidates by likelihood, then by closer energies, then by more similar positions,
// then by position. Swapping the runs does not change the order. Two different candidates compare
// as equal only if they are (i, j) and (j, i), which have no task in common.
func compare(a, b *candidate) int {
	return cmp.Or(
		cmp.Compare(b.evidence.Likelihood, a.evidence.Likelihood),
		cmp.Compare(a.apart, b.apart),
		cmp.Compare(max(a.i-a.j, a.j-a.i), max(b.i-b.j, b.j-b.i)),
		cmp.Compare(a.i+a.j, b.i+b.j),
	)
}

// A scale computes the likelihoods of pairs of tasks. It goes through the callbacks of the subject
// (the app methods that call tasks) one after the other.
type scale struct {
	*pairing
	index         *blockIndex
	mine, others  *blocking
	hints         []hint
	seldom        []float64 // how rare the tasks of each class are
	best, theirs  []rivals  // best matches of each callback of the subject and of the reference
	tasks, rivals []rivals  // best matches of each task of the subject and of the reference
	weighing
	// scratches has one scratch per goroutine. Each goroutine has its own copy of the scale.
	scratches []*scratch
	*scratch
}

// A scratch is the working memory of one goroutine. Its entries are stamped with the current
// callback or task of the subject. Entries with another stamp are not valid.
type scratch struct {
	paths       *paths
	at          []relation // by the reference's callbacks
	met         []int32    // for each task of the reference, the last task it was compared with, plus one
	open, under []int32    // for each class, the last callback (open) and the last task (under) with this class, plus one
	underOf     int32      // the task for which under is valid, plus one
	// held and candidates are the results for the current callback. The arenas below keep the
	// results for all callbacks.
	held          []held
	candidates    []candidate
	pairRoom      arena[held]
	candidateRoom arena[candidate]
}

// A relation compares the subject's current callback with a callback of the reference. It fills one
// cache line, because the callbacks of the reference are met in no order.
type relation struct {
	// stamp is the subject's callback for which the next fields are valid, plus one.
	stamp int32
	// met, noted and walked say what is known. noted means that this similarity is already recorded
	// in the rivals of both callbacks.
	met, noted, walked bool
	// here is the weight of the two callbacks' tasks that are already paired with each other,
	// summed over both runs. common is half of that, plus the labels that both callbacks have among
	// their unpaired tasks. It is valid if met is true.
	here, common int64
	// way is the similarity of the paths to the two callbacks. It is valid if walked is true.
	way float64
	// best has the best matches of the reference's callback, among the callbacks that this
	// goroutine has seen. It is valid for the whole round.
	best rivals
}

// rivals records the two best partners: the best is number who with value good, and the second best
// has the value other.
type rivals struct {
	who         int32
	good, other float64
}

// join adds the partners recorded in o. No partner may be in both.
func (r *rivals) join(o rivals) {
	if o.good > r.good {
		*r, o = o, *r
	}
	r.other = max(r.other, o.good)
}

// note records a partner that was not recorded before.
func (r *rivals) note(who int32, good float64) {
	if good > r.good {
		r.who, r.good, r.other = who, good, r.good
	} else {
		r.other = max(r.other, good)
	}
}

// without returns the value of the best partner, leaving out partner who.
func (r *rivals) without(who int32) float64 {
	if r.who == who {
		return r.other
	}
	return r.good
}

func newScale(p *pairing) *scale {
	s := &scale{pairing: p, index: newBlockIndex(p.labels, p.rarity.class)}
	s.mine, s.others = s.index.blocksOf(p.subject), s.index.blocksOf(p.reference)
	s.hints = p.hints()
	s.scratches = []*scratch{s.newScratch(newPaths(p.subject, p.reference))}
	s.seldom = make([]float64, len(p.rarity.class))
	all := float64(len(p.subject.nodes) + len(p.reference.nodes))
	for c := range s.seldom {
		// log(1/frequency), scaled to a range from 0 to about 1.
		s.seldom[c] = math.Log(max(all, 1)/float64(max(p.subject.all[c]+p.reference.all[c], 1))) / 10
	}
	return s
}

// weighed lists the unpaired tasks that may match, with the evidence for each pair. It leaves out
// pairs whose likelihood is below least, often before all their evidence is computed. The list is
// valid until the next call.
func (s *scale) weighed(least float64) []*candidate {
	s.begin(least)
	s.best, s.theirs = fill(s.best, len(s.subject.callbacks), rivals{}), fill(s.theirs, len(s.reference.callbacks), rivals{})
	s.share(func(s *scale, c int32) {
		switch {
		case len(s.subject.callbacks[c].open.classes) == 0:
		case s.anew(c):
			s.callback(c)
		default:
			s.again(c)
		}
	})
	var candidates []*candidate
	for _, list := range s.now.candidates {
		for k := range list {
			candidates = append(candidates, &list[k])
		}
	}
	s.conflicts(candidates)
	return candidates
}

// callback compares each task of a callback with its possible counterparts.
func (s *scale) callback(c int32) {
	s.turnTo(c)
	for _, i := range s.subject.tasksOf(c) {
		if s.subject.peer[i] >= 0 {
			continue
		}
		for _, h := range s.hintsOf(i) {
			if s.reference.peer[h.j] < 0 {
				s.hold(c, i, h.j, h.found)
			}
		}
		for _, at := range s.mine.placesOf(i) {
			tasks := s.others.tasksIn(at.block)
			near := nearby(tasks, at.before, int32(len(s.mine.tasksIn(at.block))))
			if len(near) < len(tasks) {
				s.now.partly[c] = true
			}
			for _, j := range near {
				s.hold(c, i, j, Likeness)
			}
		}
	}
	s.keep(c)
}

// turnTo makes c the current callback.
func (s *scale) turnTo(c int32) {
	for _, class := range s.subject.callbacks[c].open.classes {
		s.open[class] = c + 1
	}
	for _, i := range s.subject.tasksOf(c) {
		if j := s.subject.peer[i]; j >= 0 {
			s.relation(c, s.reference.callback[j]).here += s.subject.weight(i) + s.reference.weight(j)
		}
	}
}

// hold computes the likelihood of pair (i, j), once. i is a task of the current callback.
func (s *scale) hold(c, i, j int32, found Found) {
	if s.met[j] == i+1 {
		return
	}
	s.met[j] = i + 1
	s.weighAnew(c, held{i: i, j: j, found: found, way: Unknown}, true)
}

// relation returns what is known about callback c of the subject, which must be the current one,
// and callback d of the reference.
func (s *scale) relation(c, d int32) *relation {
	r := &s.at[d]
	if r.stamp != c+1 {
		*r = relation{stamp: c + 1, best: r.best}
	}
	return r
}

// meet computes relation.common of two callbacks.
func (s *scale) meet(c, d int32) *relation {
	r := s.relation(c, d)
	if r.met {
		return r
	}
	r.met, r.common = true, r.here/2
	with := &s.reference.callbacks[d]
	for _, class := range with.open.classes {
		if s.open[class] == c+1 {
			r.common += s.rarity.weight[class]
		}
	}
	return r
}

// unique returns the feature fUnique of two tasks of the given classes.
func (s *scale) unique(x, y int32) float64 {
	return 1 / float64(max(s.subject.lone[x], s.reference.lone[y], 1))
}

// weigh computes the evidence for a pair of unpaired tasks, without evidence from other pairs. It
// rejects the pair if its likelihood is too low, or if neither the names nor the callees have
// anything in common. Otherwise it adds the pair to the candidates. The type weighing lists what
// the result depends on.
func (s *scale) weigh(c int32, h *held) {
	i, j := h.i, h.j
	d := s.reference.callback[j]
	here, with, both := &s.subject.callbacks[c], &s.reference.callbacks[d], &s.at[d]
	x, y := s.subject.class[i], s.reference.class[j]

	// The weights of the two callbacks without the pair itself.
	common, left, right := both.common, here.weight-s.subject.weight(i), with.weight-s.reference.weight(j)
	if with.open.has(x) {
		common -= s.rarity.weight[x]
	}
	if x != y && s.open[y] == c+1 {
		common -= s.rarity.weight[y]
	}
	e := Evidence{Below: Unknown, Around: max(dice(common, left, right), 0)}
	f := Features{fBias: 1, fAround: e.Around, fRarity: (s.seldom[x] + s.seldom[y]) / 2}
	if here.label == with.label {
		f[fCallback] = 1
	}
	alone := left+right == 0
	if !alone {
		f[fElsewhere] = float64(here.paired+with.paired-both.here) / float64(left+right)
	}
	f[fUnique] = s.unique(x, y)
	switch h.found {
	case Likeness:
	case Delegate:
		f[fDelegate] = 1
	default:
		f[fMatched] = 1
	}
	leaf := s.subject.leaf[i] && s.reference.leaf[j]
	if leaf {
		f[fLeaf] = 1
	}

	// Comparing names is slow, comparing paths is slower, and comparing callees is slowest. Each is
	// done only if it can change the verdict. Until then, names, paths and callees count as equal.
	if x != y {
		most := f.most(alone, leaf)
		if !s.least.judge(&most, h) {
			return
		}
	}
	if e.Name = s.name(i, j); e.Name == 1 {
		f[fSame], f[fSameAround] = 1, e.Around
	}
	f[fName], f[fWay] = e.Name, 1
	if alone && e.Name > 0 {
		f[fAlone] = 1
	}
	if !leaf {
		f[fBelow] = 1
	}
	if leaf && e.Name == 0 {
		h.verdict = never
		return
	}
	if !s.least.judge(&f, h) {
		return
	}
	if !both.walked {
		both.way, both.walked = s.paths.alike(s.subject, c, s.reference, d), true
	}
	e.Way, f[fWay] = both.way, both.way
	if !leaf {
		if !s.least.judge(&f, h) {
			return
		}
		shared := 0
		if e.Below, shared = s.alikeBelow(i, j); e.Name == 0 && shared < leastShared {
			h.verdict = never
			return
		}
		f[fBelow] = e.Below
	}
	if s.least.judge(&f, h) {
		e.Likelihood = f.Likelihood(&weights)
		s.candidates = append(s.candidates, candidate{i: i, j: j, found: h.found, features: f, evidence: e, apart: s.apart(i, j)})
	}
}

// leastShared is the number of callees that two F-methods with unlike names must have in common.
// One is too few: it is sometimes a method that every app uses.
const leastShared = 2

// alikeBelow returns the share and the number of callees that two F-methods have in common.
func (s *scale) alikeBelow(i, j int32) (share float64, shared int) {
	a, b := s.subject.belowOf(i), s.reference.belowOf(j)
	if s.underOf != i+1 {
		s.underOf = i + 1
		for _, class := range a.classes {
			s.under[class] = i + 1
		}
	}
	common := int64(0)
	for _, class := range b.classes {
		if s.under[class] == i+1 {
			common += s.rarity.weight[class]
			shared++
		}
	}
	// If one of two methods with similar names calls the other, the called one does the work of
	// both (DiffProf, Section 3.4.1). It therefore counts as a common callee.
	x, y := s.subject.class[i], s.reference.class[j]
	calls, called := s.under[y] == i+1, b.has(x)
	left, right := a.weight, b.weight
	if x != y && (calls || called) && s.alike(i, j) > 0 {
		if calls && !b.has(y) {
			common, right = common+s.rarity.weight[y], right+s.rarity.weight[y]
			shared++
		}
		if called && s.under[x] != i+1 {
			common, left = common+s.rarity.weight[x], left+s.rarity.weight[x]
			shared++
		}
	}
	return dice(common, left, right), shared
}

// apart returns the absolute difference between the energies of two tasks.
func (p *pairing) apart(i, j int32) int64 {
	x := int64(p.subject.tree.Energy.All(p.subject.nodes[i]))
	y := int64(p.reference.tree.Energy.All(p.reference.nodes[j]))
	return max(x-y, y-x)
}

// name returns the similarity of the names of two F-methods. If the names are similar and one
// method calls the other, it counts as delegation. If the names have nothing in common, such a call
// is an ordinary one, such as StringBuilder.append.
func (p *pairing) name(i, j int32) float64 {
	a, b := p.subject.label(i), p.reference.label(j)
	if p.subject.class[i] == p.reference.class[j] && p.labels.Gamma(a, b) == 0 {
		return 1
	}
	known := p.alike(i, j)
	if 0 < known && known < delegation && (p.subject.calls(i, p.rarity.class[b]) || p.reference.calls(j, p.rarity.class[a])) {
		return delegation
	}
	return known
}

// alike compares only the names of two F-methods, not their calls.
func (p *pairing) alike(i, j int32) float64 {
	return p.names.alike(p.subject.label(i), p.reference.label(j))
}

// conflicts adds evidence from other pairs to each candidate: how similar its callbacks are to
// other callbacks, and how likely the best other pair of either task is.
func (s *scale) conflicts(candidates []*candidate) {
	s.tasks, s.rivals = fill(s.tasks, len(s.subject.nodes), rivals{}), fill(s.rivals, len(s.reference.nodes), rivals{})
	for _, c := range candidates {
		a, b := s.subject.callback[c.i], s.reference.callback[c.j]
		c.features[fConflict] = max(s.best[a].without(b), s.theirs[b].without(a))
		c.evidence.Likelihood, c.doubtful = c.features.Likelihood(&weights), false
		if s.trust.unlike() {
			c.evidence.Likelihood = s.trust.unlikeApps(c.i, c.j, &c.evidence)
			c.doubtful = c.evidence.Likelihood < leastLikely
		}
		s.tasks[c.i].note(c.j, c.evidence.Likelihood)
		s.rivals[c.j].note(c.i, c.evidence.Likelihood)
	}
	for _, c := range candidates {
		c.evidence.Rival = max(s.tasks[c.i].without(c.j), s.rivals[c.j].without(c.i))
	}
}
