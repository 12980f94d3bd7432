package lines

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Pair is one line in two runs. A row is nil if its run has no sample at the line.
type Pair struct {
	Subject, Reference *Row
	// Saving is the subject's energy minus the reference's.
	Saving units.Energy
	// Estimate has the interval of Saving, and whether the difference is real.
	Estimate repeats.Estimate
}

// A Figure selects one of the two energies of a row.
type Figure uint8

// The figures.
const (
	Own Figure = iota // without callees
	All               // with callees
)

// Compare pairs the lines of two runs and judges the differences (repeats.JudgeReadings). The pairs
// are sorted by absolute difference, the largest first. If only one run has a line, the pair has
// one row, and the other is nil.
//
//   - by selects the compared energy.
//   - noise is the relative standard deviation of a row from run to run.
//   - alike is set if both runs executed the same program.
//   - subject maps a line of the reference to its line in the subject, or to 0 if the line does not exist there. It may be nil if lines have not moved.
func Compare(here, there *Table, by Figure, noise float64, alike bool, subject func(r *Row) int) []Pair {
	type key struct {
		label string
		line  int
	}
	at := make(map[key]int, len(here.Rows))
	pairs := make([]Pair, 0, len(here.Rows))
	for i := range here.Rows {
		r := &here.Rows[i]
		at[key{r.Method.Label(), r.Line}] = len(pairs)
		pairs = append(pairs, Pair{Subject: r})
	}
	for i := range there.Rows {
		r := &there.Rows[i]
		line := r.Line
		if subject != nil && line > 0 {
			if line = subject(r); line == 0 {
				pairs = append(pairs, Pair{Reference: r})
				continue
			}
		}
		if k, ok := at[key{r.Method.Label(), line}]; ok && pairs[k].Reference == nil {
			pairs[k].Reference = r
		} else {
			pairs = append(pairs, Pair{Reference: r})
		}
	}
	programs := repeats.DifferentPrograms
	if alike {
		programs = repeats.SameProgram
	}
	rows := readingPairs(pairs, here, there, Own, noise, 1)
	study := repeats.JudgeReadings(rows, programs)
	if by == All {
		// A difference is also in the rows of all callers, so these rows cannot show how much runs
		// vary. Rows without callees can show it, because each energy is in only one of them.
		rows = readingPairs(pairs, here, there, All, noise, study.Excess*study.Excess)
		study = repeats.JudgeReadings(rows, repeats.DifferentPrograms)
	}
	for i := range pairs {
		pairs[i].Saving = units.Energy(rows[i].Subject.Figure) - units.Energy(rows[i].Reference.Figure)
		pairs[i].Estimate = study.Tasks[i]
	}
	slices.SortStableFunc(pairs, func(a, b Pair) int {
		switch x, y := math.Abs(float64(a.Saving)), math.Abs(float64(b.Saving)); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return pairs
}

// readingPairs returns the energies of the pairs with their variances. excess multiplies the
// variances.
func readingPairs(pairs []Pair, here, there *Table, by Figure, noise, excess float64) []repeats.ReadingPair {
	rows := make([]repeats.ReadingPair, len(pairs))
	for i, p := range pairs {
		rows[i].Subject, rows[i].Reference = here.reading(p.Subject, by, noise), there.reading(p.Reference, by, noise)
		for _, r := range []*repeats.Reading{&rows[i].Subject, &rows[i].Reference} {
			r.Common, r.Quantum = r.Common*excess, r.Quantum*excess
		}
	}
	return rows
}

// reading returns a figure of a row with its noise. If r is nil, the figure is 0.
func (t *Table) reading(r *Row, by Figure, noise float64) repeats.Reading {
	out := repeats.Reading{Common: noise*noise/float64(t.Runs) + t.Doubt*t.Doubt}
	if r == nil {
		out.Quantum = t.quantum(0, 0)
		return out
	}
	f := t.figure(r, by)
	out.Figure, out.Quantum = float64(f.energy), f.quantum
	return out
}
