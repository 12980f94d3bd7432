// Package score compares a method's result for a pair of runs with the truth, which package run
// knows.
//
// All scores count true tasks of the subject by number. A method makes [Claim]s. A claim states
// that a task of the subject corresponds to a task of the reference, or that the reference does not
// have it. For each true task:
//
//   - It is found if a claim about it has a partner with the same number. If the partner is one of k
//     tasks that the method cannot distinguish, it counts 1/k.
//   - It is mistaken if the claim has another partner.
//
// Over the true tasks, this gives
//
//	precision = sum of 1/k of those found / (found + mistaken)
//	recall    = found / those that both runs have
//
// and F1 is the harmonic mean of the two. In scores weighted by energy, a task counts with its
// energy in the subject, without nested tasks. A claim about something that is not a true task is
// also mistaken if its partner is a true task. It has the weight of one task.
package score

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/units"
)

// A Claim is what a method claims about a task of the subject.
type Claim struct {
	// Subject has the task's number. If a method cannot distinguish several tasks, it makes one
	// claim about all of them, and Subject has all their numbers.
	Subject []int
	// Matched is true if the task has a partner. Reference has the true tasks of the partner.
	Matched   bool
	Reference []int
	// Perhaps means that the method does not claim that the task is only in the subject. It has a
	// partner that is not sure, or calls that moved from other tasks.
	Perhaps bool
	// Found is how the partner was found: exact, path, hierarchy or renamed.
	Found string
	// Own is the task's energy without nested tasks. It is used only if Subject is empty. Saving is
	// the possible saving that the method reports.
	Own, Saving units.Energy
}

// A Pair is two runs with known true tasks, and their energies.
type Pair struct {
	Subject, Reference *run.Run
	s, r               map[int]run.Drain
}

// NewPair returns the pair of two runs.
func NewPair(subject, reference *run.Run) *Pair {
	return &Pair{subject, reference, subject.Tasks(), reference.Tasks()}
}

// A Ratio is a part and its whole.
type Ratio struct{ Part, Whole float64 }

// Value returns the quotient. It returns 1 if the whole is 0.
func (r Ratio) Value() float64 {
	if r.Whole == 0 {
		return 1
	}
	return r.Part / r.Whole
}

func (r *Ratio) add(part, whole float64) { r.Part += part; r.Whole += whole }

// A Wrong counts the pairs that a method found, and how many of them are wrong: their tasks have no
// true task in common.
type Wrong struct{ Wrong, Pairs int }

// A Score is the quality of a method's result for a pair.
type Score struct {
	// Precision and Recall count true tasks. EnergyPrecision and EnergyRecall weight them by
	// energy.
	Precision, Recall             Ratio
	EnergyPrecision, EnergyRecall Ratio
	// OnlyPrecision is the share of true claims among the claims that a task is only in the
	// subject. OnlyRecall is the share of tasks with such a claim among the tasks that are only in
	// the subject. A task whose partner is not sure has no such claim.
	OnlyPrecision, OnlyRecall Ratio
	// Top10 is the share of the ten largest true savings that are among the ten largest reported
	// savings.
	Top10 Ratio
	// Error is the sum of the errors of the savings, divided by the sum of the true savings.
	// MedianError is the median of the errors, each divided by its true saving.
	Error       Ratio
	MedianError float64
	// Found has the number of pairs and of wrong pairs, by how they were found.
	Found map[string]Wrong
}

// F1 is the harmonic mean of precision and recall.
func F1(precision, recall Ratio) float64 {
	p, r := precision.Value(), recall.Value()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// TasksF1 is F1 over true tasks.
func (s *Score) TasksF1() float64 { return F1(s.Precision, s.Recall) }

// EnergyF1 is F1 over true tasks, weighted by their energy.
func (s *Score) EnergyF1() float64 { return F1(s.EnergyPrecision, s.EnergyRecall) }

// A verdict says whether the claims found a true task. If there are several claims about the task,
// the best verdict counts.
type verdict uint8

const (
	silent verdict = iota // no claim is about the task
	mistaken
	unsure // there is a partner that is not sure
	unmatched
	found
)

// A judgement is a verdict and, for a found task, the number of candidates for the partner.
type judgement struct {
	verdict
	among int
}

// Score compares the claims with the truth.
func (p *Pair) Score(claims []Claim) *Score {
	s := &Score{Found: make(map[string]Wrong)}
	judged := make(map[int]judgement)
	for _, c := range claims {
		inPartner := make(map[int]bool)
		for _, n := range c.Reference {
			inPartner[n] = true
		}
		right := false
		for _, n := range c.Subject {
			j := judgement{unmatched, 1}
			if c.Perhaps {
				j.verdict = unsure
			}
			if c.Matched {
				if j.verdict = mistaken; inPartner[n] {
					j, right = judgement{found, len(inPartner)}, true
				}
			}
			if j.verdict > judged[n].verdict {
				judged[n] = j
			}
		}
		if !c.Matched || len(c.Subject) == 0 && len(c.Reference) == 0 {
			continue
		}
		w := s.Found[c.Found]
		w.Pairs++
		if !right {
			w.Wrong++
		}
		s.Found[c.Found] = w
		if len(c.Subject) == 0 {
			s.Precision.add(0, 1)
			s.EnergyPrecision.add(0, float64(c.Own))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(p.s)) {
		_, shared := p.r[n]
		energy := float64(p.s[n].Own)
		v := judged[n].verdict
		if v == found || v == mistaken {
			part := is(v == found) / float64(judged[n].among)
			s.Precision.add(part, 1)
			s.EnergyPrecision.add(energy*part, energy)
		}
		if shared {
			s.Recall.add(is(v == found), 1)
			s.EnergyRecall.add(energy*is(v == found), energy)
		} else {
			s.OnlyRecall.add(is(v == unmatched), 1)
		}
		if v == unmatched {
			s.OnlyPrecision.add(is(!shared), 1)
		}
	}
	p.savings(s, claims)
	return s
}

// savings compares the reported savings with the true ones.
func (p *Pair) savings(s *Score, claims []Claim) {
	type saving struct{ true, reported float64 }
	var all []saving
	var errors []float64
	for _, c := range claims {
		if len(c.Subject) == 0 {
			continue
		}
		var sum units.Energy
		for _, n := range c.Subject {
			sum += p.s[n].Inclusive - p.r[n].Inclusive
		}
		v := saving{float64(sum), float64(c.Saving)}
		all = append(all, v)
		s.Error.add(math.Abs(v.reported-v.true), math.Abs(v.true))
		if v.true != 0 {
			errors = append(errors, math.Abs(v.reported-v.true)/math.Abs(v.true))
		}
	}
	if len(errors) > 0 {
		slices.Sort(errors)
		s.MedianError = errors[len(errors)/2]
	}
	top := func(value func(saving) float64) map[int]bool {
		order := make([]int, len(all))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(all[b]), value(all[a])) })
		ten := make(map[int]bool)
		for _, i := range order[:min(10, len(order))] {
			ten[i] = true
		}
		return ten
	}
	reported := top(func(v saving) float64 { return v.reported })
	for i := range top(func(v saving) float64 { return v.true }) {
		s.Top10.add(is(reported[i]), 1)
	}
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
