package appcode

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// votes are evidence that a method of one run is a method of the other, and that both runs belong
// to one app.
type votes struct {
	// counts has the number of votes for each pair of sides.
	counts map[[2]*side]int
	agreement
}

// A ballot is the state of vote.
type ballot struct {
	shapers [2]*shaper
	// counts reports whether the features of a side count for the agreement.
	counts      func(run int, s *side) bool
	descriptors descriptors
	chances     [2]*chances
	// places counts the places that have a feature, in both runs together.
	places map[feature]int64
	votes  *votes
}

// worth returns the weight of a feature at one place. Rare features have more weight.
func (b *ballot) worth(f feature) int64 { return 1_000_000 / b.places[f] }

// vote collects the votes of two runs. It walks down from each callback that has the same path in
// both runs. Two calls in the same place are a vote that their A-methods (methods of the app) are
// the same. known has the labels of methods that are known to be in both runs. counts reports
// whether a side counts for the agreement.
func (r *run) vote(o *run, known map[string]bool, counts func(run int, s *side) bool) *votes {
	b := &ballot{
		shapers: [2]*shaper{newShaper(r, known), newShaper(o, known)}, counts: counts, descriptors: newDescriptors(r, o),
		places: make(map[feature]int64), votes: &votes{counts: make(map[[2]*side]int), agreement: agreement{methods: make(map[*side]bool)}},
	}
	var shown [2][]occurrence
	for run, s := range b.shapers {
		shown[run] = b.occurrences(run, s)
		b.chances[run] = newChances(shown[run])
		b.votes.sampled = b.votes.sampled || !b.chances[run].all
		for _, p := range shown[run] {
			b.places[p.feature]++
		}
	}
	for run := range shown {
		for _, p := range shown[run] {
			b.votes.add(run, b.worth(p.feature), b.chances[run].chance(p.samples))
		}
	}
	s := b.shapers[0]
	for _, nodes := range aligned(r.tree, o.tree) {
		f, g := s.described(nodes[0]), b.shapers[1].described(nodes[1])
		work := s.pairCalls(f, g, f.roots(), g.roots())
		for len(work) > 0 {
			p := work[len(work)-1]
			work = work[:len(work)-1]
			x, y := &f[p[0]], &g[p[1]]
			b.votes.counts[[2]*side{x.side, y.side}] += 1 + likeness(x, y)/250 + min(2*b.compare(x, y), 8)
			work = append(work, s.pairCalls(f, g, x.kids, y.kids)...)
		}
	}
	return b.votes
}

// compare adds the features that two calls in the same place have in common to the agreement. It
// returns the number of F-methods that both call.
func (b *ballot) compare(x, y *call) int {
	count := b.counts(0, x.side) && b.counts(1, y.side)
	agree := func(f feature, samples [2]int64) {
		b.votes.agree(b.worth(f), [2]int64{b.chances[0].chance(samples[0]), b.chances[1].chance(samples[1])})
		b.votes.methods[x.side] = true
	}
	n := inBothCalls(x, y, func(i, j int) {
		if count {
			agree(calling(x.tasks[i]), [2]int64{x.shown[i], y.shown[j]})
		}
	})
	if count && x.parent >= 0 && y.parent >= 0 {
		f, ok := b.descriptors.feature(x.side)
		if g, too := b.descriptors.feature(y.side); ok && too && f == g {
			agree(f, [2]int64{x.samples, y.samples})
		}
	}
	return n
}

// occurrences returns all features of a run with their places, for the sides that count. If the
// framework calls a method, its descriptor is no feature, because the path to the callback contains
// it.
func (b *ballot) occurrences(run int, s *shaper) []occurrence {
	var all []occurrence
	for v := range s.run.tree.Nodes {
		if s.run.tree.Nodes[v].Kind != preprocess.App {
			continue
		}
		for _, c := range s.fragment(int32(v)) {
			if !b.counts(run, c.side) {
				continue
			}
			for i, label := range c.tasks {
				all = append(all, occurrence{calling(label), c.shown[i]})
			}
			if f, ok := b.descriptors.feature(c.side); ok && c.parent >= 0 {
				all = append(all, occurrence{f, c.samples})
			}
		}
	}
	return all
}

// oneApp reports whether the runs agree enough to belong to one app.
func (v *votes) oneApp() bool { return v.enough(minMethods) }

// renamed reports whether the votes contradict the obfuscated names. In two builds of one app, an
// obfuscator may give the same short name to different methods.
func (v *votes) renamed(r, o *run) bool {
	label := labelOf
	both := make(map[string]bool)
	for _, s := range r.sides {
		if shrunk(s.Method) {
			both[label(s)] = false
		}
	}
	for _, s := range o.sides {
		if _, ok := both[label(s)]; ok {
			both[label(s)] = true
		}
	}
	same, others := 0, 0
	for sides, n := range v.counts {
		switch s, t := label(sides[0]), label(sides[1]); {
		case s == t && both[s]:
			same += n
		case both[s] || both[t]:
			others += n
		}
	}
	return others > 2*same
}

// pairByVotes pairs the sides that have no counterpart, the pair with the most votes first. Among
// equal pairs, the votes for their classes decide. It skips pairs for which fit returns false.
func (v *votes) pairByVotes(found *pairs, fit func(s, r *side) bool) {
	type candidate struct {
		sides          [2]*side
		votes, classes int
	}
	classes := make(map[[2]string]int)
	classOf := func(sides [2]*side) [2]string {
		return [2]string{sides[0].compared.Place(), sides[1].compared.Place()}
	}
	var candidates []candidate
	for sides, n := range v.counts {
		classes[classOf(sides)] += n
		if _, ok := found.peers[sides[0]]; !ok && !found.taken[sides[1]] && fit(sides[0], sides[1]) {
			candidates = append(candidates, candidate{sides: sides, votes: n})
		}
	}
	for i := range candidates {
		candidates[i].classes = classes[classOf(candidates[i].sides)]
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.votes, a.votes), cmp.Compare(b.classes, a.classes), compareSides(a.sides, b.sides))
	})
	for _, c := range candidates {
		if _, ok := found.peers[c.sides[0]]; !ok && !found.taken[c.sides[1]] {
			found.add(c.sides[0], c.sides[1], Alike)
		}
	}
}

// compareSides orders pairs of sides. The order stays the same if the runs are swapped.
func compareSides(a, b [2]*side) int {
	labels := func(pair [2]*side) (least, most string) {
		s, r := pair[0].label, pair[1].label
		return min(s, r), max(s, r)
	}
	calls := func(pair [2]*side) int64 { return max(pair[0].Calls-pair[1].Calls, pair[1].Calls-pair[0].Calls) }
	energy := func(pair [2]*side) units.Energy {
		return max(pair[0].Energy-pair[1].Energy, pair[1].Energy-pair[0].Energy)
	}
	leastA, mostA := labels(a)
	leastB, mostB := labels(b)
	return cmp.Or(cmp.Compare(calls(a), calls(b)), cmp.Compare(energy(a), energy(b)), cmp.Compare(leastA, leastB), cmp.Compare(mostA, mostB))
}
