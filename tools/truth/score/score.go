// Package score holds what a method of comparing runs says of a pair against the truth
// that package run keeps.
//
// Everything counts true tasks of the subject, by number. A method makes [Claim]s: this
// of the subject is that of the reference, or the reference has it not. A true task is
// found if a claim about it names a partner that holds the same number, and mistaken if
// its claim names another partner. A partner that is k tasks which the method cannot
// tell apart says 1/k of which one it is. So, over the true tasks,
//
//	precision = sum of 1/k of those found / (found + mistaken)
//	recall    = found / those that both runs have
//
// and F1 is their harmonic mean. Weighted by energy, a task counts with what it drains
// in the subject and no task inside of it does. A claim about what is no true task, with
// a true one as partner, is mistaken as well, with the weight of one task.
package score

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/units"
)

// A Claim is what a method says of a task of the subject.
type Claim struct {
	// Subject are the true tasks that it is about. A method that cannot tell tasks
	// apart makes one claim about several.
	Subject []int
	// Matched says that the task has a partner, and Reference are the true tasks that
	// the partner stands for.
	Matched   bool
	Reference []int
	// Perhaps says that the method names a partner that is not sure. Such a task is not called only here.
	Perhaps bool
	// Found says how: exact, path, hierarchy, renamed.
	Found string
	// Own is what the task drains without tasks further inside; it counts where
	// Subject is empty. Saving is the room for improvement that the method reports.
	Own, Saving units.Energy
}

// A Pair is two runs of which the true tasks are known, and what each drains.
type Pair struct {
	Subject, Reference *run.Run
	s, r               map[int]run.Drain
}

// NewPair returns the pair of two runs.
func NewPair(subject, reference *run.Run) *Pair {
	return &Pair{subject, reference, subject.Tasks(), reference.Tasks()}
}

// A Ratio is a part of a whole.
type Ratio struct{ Part, Whole float64 }

// Value returns the quotient, 1 where there is no whole.
func (r Ratio) Value() float64 {
	if r.Whole == 0 {
		return 1
	}
	return r.Part / r.Whole
}

func (r *Ratio) add(part, whole float64) { r.Part += part; r.Whole += whole }

// Wrong counts the pairs of a method, and how many have no true task in common.
type Wrong struct{ Wrong, Pairs int }

// A Score is how well a method did on a pair.
type Score struct {
	// Precision and Recall count true tasks, EnergyPrecision and EnergyRecall weigh
	// them by what they drain.
	Precision, Recall             Ratio
	EnergyPrecision, EnergyRecall Ratio
	// OnlyPrecision is how much of what is called only here truly is, OnlyRecall how
	// much of what is only here is called so. A task with a partner perhaps is not called only here.
	OnlyPrecision, OnlyRecall Ratio
	// Top10 is how many of the ten largest true savings are among the ten largest
	// reported ones.
	Top10 Ratio
	// Error is the sum of the errors of the savings, over the sum of the true savings;
	// MedianError the median of the errors, each over its true saving.
	Error       Ratio
	MedianError float64
	// Found counts the pairs of claims by how they were found.
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

// EnergyF1 is F1 over their energy.
func (s *Score) EnergyF1() float64 { return F1(s.EnergyPrecision, s.EnergyRecall) }

// A verdict is what the claims say of a true task, the best that any of them says.
type verdict uint8

const (
	silent verdict = iota // no claim is about it
	mistaken
	unsure // there is a partner perhaps
	unmatched
	found
)

// A judgement is a verdict and, of a task found, how many the partner may be.
type judgement struct {
	verdict
	among int
}

// Score returns how well the claims fit the truth.
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
	top := func(of func(saving) float64) map[int]bool {
		order := make([]int, len(all))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(of(all[b]), of(all[a])) })
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
