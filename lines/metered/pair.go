package metered

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Pair is a line or a method of two runs with measured energy. If a run did not execute the line,
// its row is nil.
type Pair struct {
	Subject, Reference *Row
	// Saving is the subject's energy minus the reference's. Estimate judges Saving, and has its 95
	// % interval. The numbers of executions are exact, so a larger number of executions is also
	// evidence of a difference.
	Saving   units.Energy
	Estimate repeats.Estimate
	// Each tells whether the energy of one execution differs. If only one run executed the line, it
	// does not count as different.
	Each repeats.Verdict
}

// A Comparison has the pairs of two runs.
type Comparison struct {
	// Pairs are sorted by the distance of their energies, the largest first.
	Pairs []Pair
	// Open counts the lines that cannot be compared: one of the runs executed them, but has no
	// close figure for them.
	Open int
}

// Compare pairs the lines of two runs, or their methods if byMethod is set. moved maps a line of
// the reference to its line in the subject, or to 0 if the line does not exist there. moved may be
// nil.
//
// Differences are judged by repeats.JudgeReadings. These rules are added:
//
//   - The energy of one execution differs only if its two intervals are also disjoint.
//   - If it does not differ, the energy of the line differs only if the two intervals of that energy are disjoint, or if the numbers of executions differ.
//   - If all lines differ by the same factor per execution, the power of the device may differ. This factor counts as noise.
func Compare(here, there *Result, byMethod bool, moved func(r *Row) int) *Comparison {
	out := new(Comparison)
	pairs := make(map[rowKey]*Pair)
	var order []rowKey
	at := func(key rowKey) *Pair {
		if pairs[key] == nil {
			pairs[key] = new(Pair)
			order = append(order, key)
		}
		return pairs[key]
	}
	place := func(r *Row) rowKey {
		line := r.Line
		if moved != nil && line > 0 {
			if line = moved(r); line == 0 {
				return rowKey{r.Method.Label(), -r.Line} // The subject does not have the line.
			}
		}
		return rowKey{r.Method.Label(), line}
	}
	for r := range here.rows(byMethod) {
		at(rowKey{r.Method.Label(), r.Line}).Subject = r
	}
	for r := range there.rows(byMethod) {
		key := place(r)
		if p := pairs[key]; p != nil && p.Reference != nil {
			key.line = -r.Line // Another line became this line.
		}
		at(key).Reference = r
	}
	// A line that ran but has no row has an unknown energy, not the energy 0.
	ranHere, ranThere := make(map[rowKey]bool), make(map[rowKey]bool)
	for i := range here.ran {
		r := &here.ran[i]
		ranHere[rowKey{r.Method.Label(), r.Line}] = true
	}
	for i := range there.ran {
		key := place(&there.ran[i])
		ranThere[key] = true
	}
	for _, key := range order {
		switch p := pairs[key]; {
		case p.Subject != nil && !here.Shown(p.Subject) || p.Reference != nil && !there.Shown(p.Reference),
			p.Subject == nil && ranHere[key], p.Reference == nil && ranThere[key]:
			out.Open++
		default:
			out.Pairs = append(out.Pairs, *p)
		}
	}
	out.judge()
	slices.SortStableFunc(out.Pairs, func(a, b Pair) int {
		x, y := cmp.Or(a.Subject, a.Reference), cmp.Or(b.Subject, b.Reference)
		return cmp.Or(cmp.Compare(max(b.Saving, -b.Saving), max(a.Saving, -a.Saving)), cmp.Compare(x.Method.Label(), y.Method.Label()), cmp.Compare(x.Line, y.Line))
	})
	return out
}

// judge judges the differences of the pairs.
func (c *Comparison) judge() {
	energies, eaches := make([]repeats.ReadingPair, len(c.Pairs)), []repeats.ReadingPair(nil)
	var both []int
	for i := range c.Pairs {
		p := &c.Pairs[i]
		energies[i] = repeats.ReadingPair{Subject: p.Subject.reading(), Reference: p.Reference.reading()}
		if a, b := p.Subject, p.Reference; a != nil && b != nil && a.Executions > 0 && b.Executions > 0 {
			both = append(both, i)
			one := energies[i]
			for _, r := range []*repeats.Reading{&one.Subject, &one.Reference} {
				r.Figure, r.Calls = r.Figure/r.Calls, 0
			}
			eaches = append(eaches, one)
		}
	}
	each := repeats.JudgeReadings(eaches, repeats.SameProgram)
	study := repeats.JudgeReadings(energies, repeats.DifferentPrograms)
	for i := range c.Pairs {
		p := &c.Pairs[i]
		p.Estimate = repeats.JudgeReading(energies[i])
		p.Estimate.Verdict = study.Tasks[i].Verdict
		p.Saving = units.Energy(energies[i].Subject.Figure) - units.Energy(energies[i].Reference.Figure)
	}
	for k, i := range both {
		p := &c.Pairs[i]
		if a, b := p.Subject, p.Reference; a.eachLeast() > b.eachMost() || a.eachMost() < b.eachLeast() {
			p.Each = each.Tasks[k].Verdict
		}
		if p.Each == repeats.NoEvidence && p.Subject.Least <= p.Reference.Most && p.Subject.Most >= p.Reference.Least && !oftener(p.Subject, p.Reference) {
			p.Estimate.Verdict = repeats.NoEvidence
		}
	}
}

// oftener reports whether the numbers of executions of a line differ by more than chance explains.
func oftener(a, b *Row) bool {
	x, y := math.Sqrt(float64(a.Executions)), math.Sqrt(float64(b.Executions))
	return math.Abs(x-y) > within/math.Sqrt2 // The square root of a count has the variance 1/4.
}

// CompareExecutions returns 1 if the subject executed the line more often than the reference, and
// -1 if less often. It returns 0 if chance explains the difference.
func (p *Pair) CompareExecutions() int {
	switch {
	case p.Subject == nil || p.Reference == nil || !oftener(p.Subject, p.Reference):
		return 0
	}
	return cmp.Compare(p.Subject.Executions, p.Reference.Executions)
}

// reading returns the energy of a row with its error. If the row is nil, the energy is 0.
func (r *Row) reading() repeats.Reading {
	if r == nil {
		return repeats.Reading{}
	}
	return repeats.Reading{Figure: float64(r.Energy), Common: math.Expm1(r.width * r.width), Calls: float64(r.Executions)}
}

func (r *Row) eachLeast() float64 { return r.Each(float64(r.Least)) }
func (r *Row) eachMost() float64  { return r.Each(float64(r.Most)) }

// A rowKey identifies a line of a method, or a method. Methods with the same label share their
// rows.
type rowKey struct {
	label string
	line  int
}

// rows returns the lines of a result, or its methods.
func (r *Result) rows(byMethod bool) iter.Seq[*Row] {
	rows := r.Rows
	if byMethod {
		rows = r.Methods
	}
	return func(yield func(*Row) bool) {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}
}
