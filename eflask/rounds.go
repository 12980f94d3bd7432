package eflask

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// A weighing reuses results of weigh from round to round, because most pairs of tasks keep their
// result. The result depends on these facts:
//
//   - which tasks of the two callbacks have counterparts, and which counterparts they have;
//   - the numbers of tasks of the two F-methods that are lone, that is, without a counterpart;
//   - the hints, and facts that never change.
//
// So each round computes only two kinds of pairs: those in callbacks that changed, and those whose
// result depends on a number of lone tasks that changed. A test checks that computing all pairs in
// each round gives the same result.
type weighing struct {
	least threshold
	// now is the current round. last is the round before it, or nil. first is the first round of a
	// pairing, from which the next pairing may start.
	first, last, now *round
	// all means that every pair must be computed again. restarted means that the last round was the
	// first round of another pairing. rehinted then reports which callbacks of the subject have
	// other hints. starting is the value of restarted for the next round.
	all, restarted, starting bool
	rehinted                 []bool
	// changed reports, for each side and callback, whether the callback changed since the last
	// round. lone is the number of lone tasks of each class in the last round, by side.
	changed [2][]bool
	lone    [2][]int32
}

// A round has the results of one round of likely.
type round struct {
	// peers is a copy of each side's counterparts.
	peers [2][]int32
	// held has all compared pairs, and candidates those that may become counterparts. Both are by
	// callback of the subject. Several rounds may share these lists.
	held       [][]held
	candidates [][]candidate
	// partly is true for a callback if one of its tasks was not compared with a whole block.
	partly []bool
}

// A held is a pair of tasks that was compared by weigh.
type held struct {
	i, j int32
	// rest is the weighted sum of the features that decided the verdict, without fUnique. It is
	// rounded.
	rest    float32
	found   Found
	verdict verdict
	// in is what the two callbacks have in common. It is Unknown if an earlier pair has the same two
	// callbacks.
	in float64
	// way is the similarity of the paths to the two callbacks. It is Unknown until it is computed.
	way float64
}

// A verdict is the decision whether a pair is a candidate.
type verdict uint8

const (
	// never means that the pair stays rejected until one of its callbacks changes.
	never verdict = iota
	// yet means that the pair is rejected now, but perhaps not when fewer tasks are lone.
	yet
	// worth means that the pair is a candidate. The candidates of a callback are in the order of
	// these pairs.
	worth
)

// A threshold is the smallest likelihood of a candidate, and its logit, which is fast to compare.
type threshold struct{ likelihood, logit float64 }

func newThreshold(likelihood float64) threshold {
	return threshold{likelihood, math.Log(likelihood / (1 - likelihood))}
}

// margin is far larger than the rounding error of a sum of weighted features, and wideMargin than
// that of held.rest.
const (
	margin     = 1e-9
	wideMargin = 1e-3
)

// judge compares the likelihood by features with the threshold. It sets the verdict of the pair,
// and reports whether the pair is worth weighing further. It mostly avoids computing the
// exponential.
func (t *threshold) judge(f *Features, h *held) bool {
	var a, b float64
	for i := 0; i+1 < len(f); i += 2 {
		a += weights[i] * f[i]
		b += weights[i+1] * f[i+1]
	}
	if len(f)%2 == 1 {
		a += weights[len(f)-1] * f[len(f)-1]
	}
	z := a + b
	h.rest = float32(z - weights[fUnique]*f[fUnique])
	switch {
	case z > t.logit+margin:
		h.verdict = worth
	case z < t.logit-margin:
		h.verdict = yet
		// Fewer lone tasks raise or lower the likelihood of a pair, depending on the sign of the
		// weight.
		if z+max(0, weights[fUnique])*(1-f[fUnique])-min(0, weights[fUnique])*f[fUnique] < t.logit-margin {
			h.verdict = never
		}
	case f.Likelihood(&weights) < t.likelihood:
		h.verdict = yet
	default:
		h.verdict = worth
	}
	return h.verdict == worth
}

// rejects reports whether a pair that was rejected is surely rejected again if only fUnique changes
// to the given value.
func (t *threshold) rejects(h *held, unique float64) bool {
	return h.verdict == yet && float64(h.rest)+weights[fUnique]*unique < t.logit-wideMargin
}

// restart prepares a scale for another pairing of the same trees.
func (s *scale) restart(p *pairing) {
	s.pairing = p
	before := s.hints
	s.hints = p.hints()
	s.now, s.last, s.starting = nil, nil, false
	if s.first == nil || !slices.Equal(s.first.peers[0], p.subject.peer) || !slices.Equal(s.first.peers[1], p.reference.peer) {
		s.mine, s.others = s.index.blocksOf(p.subject), s.index.blocksOf(p.reference)
		return
	}
	s.now, s.starting = s.first, true
	s.rehinted = fill(s.rehinted, len(p.subject.callbacks), false)
	for _, i := range differ(before, s.hints) {
		s.rehinted[p.subject.callback[i]] = true
	}
}

// differ compares two lists of hints, and returns the subject's tasks whose hints differ.
func differ(a, b []hint) []int32 {
	var out []int32
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			a, b = a[1:], b[1:]
		case len(b) == 0 || len(a) > 0 && a[0].i <= b[0].i:
			out, a = append(out, a[0].i), a[1:]
		default:
			out, b = append(out, b[0].i), b[1:]
		}
	}
	return out
}

// begin starts a round. It finds the callbacks that changed since the last round.
func (s *scale) begin(least float64) {
	s.last, s.now = s.now, &round{
		held: make([][]held, len(s.subject.callbacks)), candidates: make([][]candidate, len(s.subject.callbacks)),
		partly: make([]bool, len(s.subject.callbacks)),
	}
	s.restarted, s.starting = s.starting, false
	s.all = s.last == nil || least != s.least.likelihood
	s.least = newThreshold(least)
	if s.all || s.restarted {
		s.first = s.now
	}
	var wg sync.WaitGroup
	wg.Go(func() { s.describe(1, s.reference) })
	s.describe(0, s.subject)
	wg.Wait()
	for c := range s.subject.callbacks {
		if s.anew(int32(c)) {
			blocks := len(s.index.blocks)
			wg.Go(func() { s.others.sort(s.reference.peer, blocks) })
			s.mine.sort(s.subject.peer, blocks)
			wg.Wait()
			break
		}
	}
}

// describe finds what changed on side k since the last round.
func (s *scale) describe(k int, side *taskSide) {
	s.changed[k] = fill(s.changed[k], len(side.callbacks), false)
	if s.all || s.restarted {
		side.describe(nil)
		s.lone[k] = append(s.lone[k][:0], side.lone...)
	} else {
		for task, peer := range side.peer {
			if peer != s.last.peers[k][task] {
				s.changed[k][side.callback[task]] = true
			}
		}
		s.lone[k] = append(s.lone[k][:0], side.lone...)
		side.describe(s.changed[k])
	}
	s.now.peers[k] = slices.Clone(side.peer)
}

// anew reports whether the pairs of a callback must be listed anew, because they may be others than
// in the last round.
func (s *scale) anew(c int32) bool {
	switch {
	case s.all:
		return true
	case s.restarted:
		return s.rehinted[c]
	}
	return s.last.partly[c]
}

// hintsOf returns the hints for a task.
func (s *scale) hintsOf(i int32) []hint {
	from, _ := slices.BinarySearchFunc(s.hints, i, func(h hint, i int32) int { return cmp.Compare(h.i, i) })
	to := from
	for to < len(s.hints) && s.hints[to].i == i {
		to++
	}
	return s.hints[from:to]
}

// again copies the pairs of a callback from the last round, and weighs those again whose result may
// have changed.
func (s *scale) again(c int32) {
	pairs, candidates := s.last.held[c], s.last.candidates[c]
	s.now.partly[c] = s.last.partly[c]
	if s.replay(c, pairs) {
		s.now.held[c], s.now.candidates[c] = pairs, candidates
		return
	}
	s.turnTo(c)
	for _, h := range pairs {
		var before *candidate
		if h.verdict == worth {
			before, candidates = &candidates[0], candidates[1:]
		}
		switch {
		case !s.free(h.i, h.j):
		case s.holds(c, &h):
			if before != nil {
				s.candidates = append(s.candidates, *before)
			}
			s.held = append(s.held, h)
		case before != nil && s.same(c, &h):
			s.update(h, *before)
		default:
			s.weighAnew(c, h, false)
		}
	}
	s.keep(c)
}

// replay records again what unchanged pairs of callbacks have in common. It reports whether all
// pairs keep their result.
func (s *scale) replay(c int32, pairs []held) bool {
	hold := true
	for k := range pairs {
		h := &pairs[k]
		d := s.reference.callback[h.j]
		if h.in != Unknown && !s.changed[0][c] && !s.changed[1][d] {
			s.best[c].note(d, h.in)
			s.at[d].best.note(c, h.in)
		}
		hold = hold && s.holds(c, h)
	}
	return hold
}

// same reports whether only the numbers of lone tasks may have changed for a pair since the last
// round. If the visits of belowOf are limited, it returns false, because the results of belowOf
// then depend on its earlier calls.
func (s *scale) same(c int32, h *held) bool {
	return !s.changed[0][c] && !s.changed[1][s.reference.callback[h.j]] && !s.subject.scarce && !s.reference.scarce
}

// holds reports whether a pair keeps its result from the last round.
func (s *scale) holds(c int32, h *held) bool {
	if s.changed[0][c] || s.changed[1][s.reference.callback[h.j]] {
		return false
	}
	if h.verdict == never {
		return true
	}
	x, y := s.subject.class[h.i], s.reference.class[h.j]
	return s.subject.lone[x] == s.lone[0][x] && s.reference.lone[y] == s.lone[1][y] || s.same(c, h) && s.least.rejects(h, s.unique(x, y))
}

// update judges a candidate of the last round again after the numbers of lone tasks changed.
func (s *scale) update(h held, c candidate) {
	c.features[fUnique], c.features[fConflict] = s.unique(s.subject.class[h.i], s.reference.class[h.j]), 0
	if s.least.judge(&c.features, &h) {
		s.candidates = append(s.candidates, c)
	}
	s.held = append(s.held, h)
}

// weighAnew calls weigh for a pair of the current callback. It also records what the two callbacks
// have in common, unless the last round did so and they are unchanged. The parameter first is true
// if the pair was not weighed before.
func (s *scale) weighAnew(c int32, h held, first bool) {
	d := s.reference.callback[h.j]
	r := s.meet(c, d)
	if first || s.changed[0][c] || s.changed[1][d] {
		h.in = Unknown
		if !r.noted {
			r.noted = true
			h.in = dice(r.common, s.subject.callbacks[c].weight, s.reference.callbacks[d].weight)
			s.best[c].note(d, h.in)
			r.best.note(c, h.in)
		}
	}
	if h.way != Unknown {
		r.way, r.walked = h.way, true
	}
	s.weigh(c, &h)
	if r.walked {
		h.way = r.way
	}
	s.held = append(s.held, h)
}

// keep stores the results for the current callback in the round.
func (s *scale) keep(c int32) {
	s.now.held[c], s.now.candidates[c] = s.pairRoom.keep(s.held), s.candidateRoom.keep(s.candidates)
	s.held, s.candidates = s.held[:0], s.candidates[:0]
}

// An arena allocates many short lists that live about equally long.
type arena[T any] struct{ block []T }

// keep copies a list into the arena, because the next list overwrites it.
func (a *arena[T]) keep(list []T) []T {
	const atOnce = 1 << 12
	if len(list) == 0 {
		return nil
	}
	if len(a.block)+len(list) > cap(a.block) {
		a.block = make([]T, 0, max(atOnce, len(list)))
	}
	at := len(a.block)
	a.block = append(a.block, list...)
	return a.block[at:len(a.block):len(a.block)]
}
