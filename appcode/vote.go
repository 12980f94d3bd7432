package appcode

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// votes are what speaks for methods of two runs being the same, and for the runs being of one
// app.
type votes struct {
	// of counts the votes for a side of the subject and one of the reference.
	of map[[2]*side]int
	// total is what own methods of either run have F-methods to call, and agree is how much of
	// that they have in common in the same places. A rare F-method counts for more.
	total [2]int64
	agree int64
	// methods counts the subject's own methods that have some in common.
	methods int
}

// A weigher counts F-methods that own methods call.
type weigher struct {
	own    [2]func(trace.MethodID) bool
	counts map[preprocess.LabelID]int64
}

// isOwn reports whether a side of the run with this number is of own methods.
func (w *weigher) isOwn(run int, s *side) bool { return w.own[run](s.Parts[0].Method) }

// worth is what an F-method counts for in one place.
func (w *weigher) worth(label preprocess.LabelID) int64 { return 1_000_000 / w.counts[label] }

// vote lays the callbacks of two runs on one another where their paths are equal, and has
// the A-methods in them vote which is which. known has the labels of the methods that are
// known to be in both runs.
func (r *run) vote(o *run, known map[string]bool, own [2]func(trace.MethodID) bool) *votes {
	v := &votes{of: make(map[[2]*side]int)}
	w := &weigher{own, make(map[preprocess.LabelID]int64)}
	s, t := newShaper(r, known), newShaper(o, known)
	var places [2]map[preprocess.LabelID]int64
	for i, in := range []*shaper{s, t} {
		places[i] = in.places(func(s *side) bool { return w.isOwn(i, s) })
		for label, n := range places[i] {
			w.counts[label] += n
		}
	}
	for i := range places {
		for label, n := range places[i] { // sums of whole numbers, in any order
			v.total[i] += n * w.worth(label)
		}
	}
	agreeing := make(map[*side]bool)
	for _, nodes := range aligned(r.tree, o.tree) {
		f, g := s.described(nodes[0]), t.described(nodes[1])
		work := s.pairCalls(f, g, f.roots(), g.roots())
		for len(work) > 0 {
			p := work[len(work)-1]
			work = work[:len(work)-1]
			a, b := &f[p[0]], &g[p[1]]
			both := intersection(a.tasks, b.tasks)
			v.of[[2]*side{a.side, b.side}] += 1 + likeness(a, b)/250 + min(2*len(both), 8)
			if len(both) > 0 && w.isOwn(0, a.side) && w.isOwn(1, b.side) {
				agreeing[a.side] = true
				for _, label := range both {
					v.agree += w.worth(label)
				}
			}
			work = append(work, s.pairCalls(f, g, a.kids, b.kids)...)
		}
	}
	v.methods = len(agreeing)
	return v
}

// places counts the places in which own methods call each F-method.
func (s *shaper) places(own func(*side) bool) map[preprocess.LabelID]int64 {
	counts := make(map[preprocess.LabelID]int64)
	for v := range s.run.tree.Nodes {
		if s.run.tree.Nodes[v].Kind != preprocess.App {
			continue
		}
		f := s.fragment(int32(v))
		for i := range f {
			if own(f[i].side) {
				for _, label := range f[i].tasks {
					counts[label]++
				}
			}
		}
	}
	return counts
}

// Runs of one app have at least this share of the calls to F-methods in common, in thousandths, and
// at least this number of own methods that make them.
const (
	leastAgreement = 750
	leastMethods   = 10
)

// oneApp reports whether the votes show that the runs belong to one app.
func (v *votes) oneApp() bool {
	return v.methods >= leastMethods && 1000*v.agree >= leastAgreement*min(v.total[0], v.total[1])
}

// renamed reports whether the votes contradict the names of methods that an obfuscator named:
// two builds of one app have its names for different methods.
func (v *votes) renamed(r, o *run) bool {
	label := func(s *side) string { return s.compared.Label() }
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
	for sides, n := range v.of {
		switch s, t := label(sides[0]), label(sides[1]); {
		case s == t && both[s]:
			same += n
		case both[s] || both[t]:
			others += n
		}
	}
	return others > 2*same
}

// elect pairs the sides that have no counterpart yet by their votes: those of most votes
// first, and of equally many those whose classes have most. Sides that fit refuses stay alone.
func (v *votes) elect(found *pairs, fit func(s, r *side) bool) {
	type candidate struct {
		sides          [2]*side
		votes, classes int
	}
	classes := make(map[[2]string]int)
	classOf := func(sides [2]*side) [2]string {
		return [2]string{sides[0].compared.Place(), sides[1].compared.Place()}
	}
	var candidates []candidate
	for sides, n := range v.of {
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

// compareSides orders pairs of sides, whichever run is the subject.
func compareSides(a, b [2]*side) int {
	labels := func(of [2]*side) (least, most string) {
		s, r := of[0].compared.Label(), of[1].compared.Label()
		return min(s, r), max(s, r)
	}
	calls := func(of [2]*side) int64 { return max(of[0].Calls-of[1].Calls, of[1].Calls-of[0].Calls) }
	energy := func(of [2]*side) units.Energy { return max(of[0].Energy-of[1].Energy, of[1].Energy-of[0].Energy) }
	leastA, mostA := labels(a)
	leastB, mostB := labels(b)
	return cmp.Or(cmp.Compare(calls(a), calls(b)), cmp.Compare(energy(a), energy(b)), cmp.Compare(leastA, leastB), cmp.Compare(mostA, mostB))
}
