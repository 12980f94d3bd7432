package eflask

import (
	"cmp"
	"math"
	"slices"
)

// A candidate is a pair of tasks that may do the same.
type candidate struct {
	i, j     int32
	found    Found
	features Features
	evidence Evidence
	// apart is the absolute difference between the energies of the two tasks.
	apart int64
	// doubtful means that the apps are too unlike for the pair to be matched.
	doubtful bool
}

// leastLikely is the minimum likelihood of a counterpart, even of one that is not sure.
const leastLikely = 0.5

// rounds limits how often the remaining pairs are weighed. Each new pair changes the similarity of
// two callbacks, so later rounds find more.
const rounds = 4

// likely pairs the remaining tasks by likelihood, the likeliest first. It first makes all sure
// pairs, because sure pairs are evidence for other pairs. Then it makes the pairs that are only
// likely.
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
			s.now, s.last = nil, nil // The next pairing may start only from the first round.
			return
		case !paired || round == rounds:
			least = leastLikely
		}
	}
}

// compare orders candidates. The likelier candidate comes first, then the one with closer energies,
// then the one with more similar positions, then the earlier one. It treats both sides alike, so
// two different candidates compare as equal only if they are (i, j) and (j, i). Such candidates
// have no task in common.
func compare(a, b *candidate) int {
	return cmp.Or(
		cmp.Compare(b.evidence.Likelihood, a.evidence.Likelihood),
		cmp.Compare(a.apart, b.apart),
		cmp.Compare(max(a.i-a.j, a.j-a.i), max(b.i-b.j, b.j-b.i)),
		cmp.Compare(a.i+a.j, b.i+b.j),
	)
}

// A scale weighs pairs of tasks. It processes one callback of the subject after the other.
type scale struct {
	*pairing
	index         *blockIndex
	mine, others  *blocking
	hints         []hint
	seldom        []float64 // seldom has the rarity of the tasks of each class.
	best, theirs  []rivals  // best and theirs have the rivals of callbacks.
	tasks, rivals []rivals  // tasks and rivals have the rivals of tasks.
	weighing
	// scratches has one scratch per goroutine. Each goroutine works with a copy of the scale.
	scratches []*scratch
	*scratch
}

// A scratch is the working memory of one goroutine for its current callback and its current task.
// It has entries for the reference's callbacks and tasks, and for classes. An entry is valid only
// if its stamp is the stamp of the current callback or task.
type scratch struct {
	paths       *paths
	at          []relation // at is indexed by the reference's callbacks.
	met         []int32    // met has for each task of the reference the subject's task with which it was weighed last, plus one.
	open, under []int32    // For each class, open has the callback whose bag has the class, and under has the task whose bag has the class. Both are numbers plus one.
	underOf     int32      // underOf is the task for which under is valid, plus one.
	noted       []rivals   // noted has the rivals of the reference's callbacks among the callbacks of this scratch.
	names       *nameTable
	// held and candidates are the results for the current callback. The arenas below have the
	// results for all callbacks.
	held          []held
	candidates    []candidate
	pairRoom      arena[held]
	candidateRoom arena[candidate]
}

// A relation compares the subject's current callback with a callback of the reference.
type relation struct {
	stamp int32
	// here is twice the weight of the tasks that are counterparts of each other. common is here
	// plus the weight of the tasks without a counterpart whose label is on both sides. common is
	// valid after meet compared the callbacks.
	here, common int64
	met          bool
	// noted means that the similarity of the two callbacks is recorded in the rivals of both.
	noted bool
	// way is the similarity of the paths to the two callbacks. It is valid after it was computed.
	way    float64
	walked bool
}

// rivals has the values of the best and of the second best partner. who is the number of the best
// partner.
type rivals struct {
	who         int32
	good, other float64
}

// join adds the partners recorded in o. No partner may be recorded in both rivals.
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

// without returns the value of the best partner other than who.
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
		// This is the logarithm of the inverse frequency, scaled to a range from 0 to about 1.
		s.seldom[c] = math.Log(max(all, 1)/float64(max(p.subject.all[c]+p.reference.all[c], 1))) / 10
	}
	return s
}

// weighed lists the pairs of tasks without counterparts that may match, with the evidence for each.
// It leaves out pairs whose likelihood is below least. It may leave out a pair before all its
// evidence is known. The list is valid until the next call.
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

// callback weighs each task of a callback against all of its possible counterparts.
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

// hold weighs a pair of tasks of the current callback, unless it was weighed before.
func (s *scale) hold(c, i, j int32, found Found) {
	if s.met[j] == i+1 {
		return
	}
	s.met[j] = i + 1
	s.weighAnew(c, held{i: i, j: j, found: found, way: Unknown})
}

// relation returns the relation between the subject's current callback c and callback d of the
// reference.
func (s *scale) relation(c, d int32) *relation {
	r := &s.at[d]
	if r.stamp != c+1 {
		*r = relation{stamp: c + 1}
	}
	return r
}

// meet computes the common weight of two callbacks.
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

// weigh computes the evidence for a pair of tasks without counterparts. It does not use evidence
// from other pairs. The pair is not a candidate if its likelihood is too low, or if neither the
// names nor the callees have anything in common. The comment of weighing lists its inputs.
func (s *scale) weigh(c, i, j int32, found Found) (candidate, verdict) {
	d := s.reference.callback[j]
	here, with, both := &s.subject.callbacks[c], &s.reference.callbacks[d], &s.at[d]
	x, y := s.subject.class[i], s.reference.class[j]

	// This is the work of the callbacks without the pair itself.
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
	f[fUnique] = 1 / float64(max(s.subject.lone[x], s.reference.lone[y], 1))
	switch found {
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

	// Comparing names is slow, comparing paths is slower, and comparing callees is slowest. Each
	// comparison is done only if it can change the verdict. Until then, the compared parts count as
	// equal.
	if x != y {
		most := f.most(alone, leaf)
		if v := s.least.judge(&most); v != worth {
			return candidate{}, v
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
		return candidate{}, never
	}
	if v := s.least.judge(&f); v != worth {
		return candidate{}, v
	}
	if !both.walked {
		both.way, both.walked = s.paths.alike(s.subject, c, s.reference, d), true
	}
	e.Way, f[fWay] = both.way, both.way
	if !leaf {
		if v := s.least.judge(&f); v != worth {
			return candidate{}, v
		}
		shared := 0
		if e.Below, shared = s.alikeBelow(i, j); e.Name == 0 && shared < leastShared {
			return candidate{}, never
		}
		f[fBelow] = e.Below
	}
	if v := s.least.judge(&f); v != worth {
		return candidate{}, v
	}
	e.Likelihood = f.Likelihood(&weights)
	return candidate{i: i, j: j, found: found, features: f, evidence: e, apart: s.apart(i, j)}, worth
}

// leastShared is the minimum number of common callees for weighing two F-methods with unlike names.
// A single common leaf may be a method that every app uses.
const leastShared = 2

// alikeBelow returns the share of equal callees of two F-methods, and the number of equal callees.
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
	// If one of two methods with similar names calls the other, the callee does its work (DiffProf,
	// Section 3.4.1). Therefore the callee itself counts as common work.
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

// name returns the similarity of the names of two F-methods. If one calls the other, and their
// names have something in common, the call counts as delegation. If the names have nothing in
// common, it is an ordinary call, as of StringBuilder.append.
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

// alike returns the similarity of the names of two F-methods, regardless of their calls.
func (p *pairing) alike(i, j int32) float64 {
	return p.names.alike(p.subject.label(i), p.reference.label(j))
}

// conflicts adds evidence from other pairs to candidates. It adds how much more the callbacks have
// in common with other callbacks, and how likely the rivals of the pair are.
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
