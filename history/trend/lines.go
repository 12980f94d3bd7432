package trend

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/name"
)

// Lines returns the series of those lines of a method whose energy changed. Their p-values are
// corrected together. A method without a signature means all overloads. Lines of different commits
// are matched by their text, because they move.
//
// If a run has no lines, or no lines with a known text, Lines returns no series, and why is the
// reason. If only the method has no lines, why is empty.
func (t *Trend) Lines(method name.Method) (changed []*Series, why string) {
	all, why := t.lines(func(m name.Method) bool {
		return m.Label() == method.Label() || method.Signature == "" && m.Class() == method.Class() && m.Name == method.Name
	})
	for _, s := range judged(all...) {
		if s.Latest() != nil {
			changed = append(changed, s)
		}
	}
	return changed, why
}

// A lineKey identifies a line in all commits by its method and text. number distinguishes equal
// lines: it is the number of lines with the same text above it.
type lineKey struct {
	method, text string
	number       int
}

// lines returns the series of lines, before the search for changes. It includes the methods that
// fits accepts. A nil fits accepts all methods.
func (t *Trend) lines(fits func(name.Method) bool) (series []*Series, why string) {
	runs, least := t.runLines()
	least = max(least, minShare*float64(t.Input.Energy))
	byKey := make(map[lineKey]*Series)
	sums := make(map[lineKey]float64)
	places := make([]int, len(runs)) // The index of each run in its entry.
	next := make([]int, len(t.Entries))
	lacking := 0
	for run, kept := range runs {
		entry := t.entryOf[run]
		places[run] = next[entry]
		next[entry]++
		if !slices.ContainsFunc(kept, func(l analysis.StoredLine) bool { return l.Text != "" }) {
			lacking++
		}
	}
	if lacking > 0 {
		return nil, fmt.Sprintf("%d of %d runs have no lines whose text is known: record lines, and give diffprof history add the sources of the commit with --source", lacking, len(runs))
	}
	for run, kept := range runs {
		for _, l := range kept {
			if l.Text == "" || fits != nil && !fits(l.Method) {
				continue
			}
			k := lineKey{l.Method.Label(), l.Text, l.Number}
			s := byKey[k]
			if s == nil {
				s = &Series{Kind: Line, Text: l.Text, Points: make([][]float64, len(t.Entries))}
				for entry, n := range next {
					s.Points[entry] = make([]float64, n)
				}
				byKey[k] = s
			}
			e := float64(l.Own) * t.scale(run)
			s.Method, s.Line = l.Method, l.Line
			s.Points[t.entryOf[run]][places[run]] += e
			sums[k] += e
		}
	}
	for k, s := range byKey {
		if sums[k] >= least*float64(len(runs)) {
			series = append(series, s)
		}
	}
	slices.SortFunc(series, func(a, b *Series) int {
		return cmp.Or(cmp.Compare(a.Method.Label(), b.Method.Label()), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return series, ""
}

// runLines returns the lines of all runs. A run keeps only a limited number of lines, those with
// the most energy. So a line may be missing, and least is twice the most energy that it can have.
func (t *Trend) runLines() (runs [][]analysis.StoredLine, least float64) {
	if len(t.Input.Runs) == 0 {
		return [][]analysis.StoredLine{t.Input.StoredLines}, 0
	}
	for run, r := range t.Input.Runs {
		runs = append(runs, r.Lines)
		if n := len(r.Lines); n >= analysis.MaxStoredLines {
			least = max(least, 2*float64(r.Lines[n-1].Own)*t.scale(run))
		}
	}
	return runs, least
}

// scale returns the factor by which the energies of a run are multiplied.
func (t *Trend) scale(run int) float64 {
	if len(t.Input.Runs) == 0 {
		return t.Input.Scale.Factor()
	}
	return t.Input.Runs[run].Scale.Factor()
}
