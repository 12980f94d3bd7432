package finding

import (
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Verdict is how the two runs compare as a whole.
type Verdict string

// The verdicts.
const (
	// More and Less: the subject uses more than the reference, or less, by more than chance.
	More Verdict = "more"
	Less Verdict = "less"
	// NoDifference: the difference lies within the smallest one that matters.
	NoDifference Verdict = "no-difference"
	// CannotTell: the difference may be chance, and may matter all the same.
	CannotTell Verdict = "cannot-tell"
	// SameContent: both sides are files of equal content.
	SameContent Verdict = "same-content"
	// NotComparable: the numbers of the runs are of two kinds.
	NotComparable Verdict = "two-kinds"
	// NothingRecorded: neither run used anything.
	NothingRecorded Verdict = "nothing-recorded"
)

// A Headline is what a comparison says first. The portions add up to the energies of both runs
// exactly, so that no figure of it is larger than its own part.
type Headline struct {
	Verdict            Verdict
	Subject, Reference units.Energy
	// Difference is the subject's energy less the reference's, and Interval where it lies.
	Difference units.Energy
	Interval   Interval
	// Basis is what the intervals rest on.
	Basis analysis.Basis
	// Matters is the smallest difference that matters, as a part of the reference. Runs is how
	// many runs a side would show it, 0 if nothing is known of that.
	Matters float64
	Runs    int
	// Doubt is why no row counts at all, where that is so.
	Doubt Doubt
	// Portions part the difference.
	Portions []Portion
	// Savable is what could be saved: the sum over what counts. Its end Most also has what the
	// system used more, by more than chance, where both runs are of one app.
	Savable Interval
	// All counts the rows of the whole comparison, also of those that are not listed.
	All int
	// Even is the factor by which the whole run and its matched rows cost more or less alike, such
	// as 1.2; 0 if they do not.
	Even float64
	// Equal is set where both runs have the same rows with the same energies: they look like one
	// recording.
	Equal bool
	// Rows counts the listed rows that count, and First is the first of them; it is meaningless
	// if Rows is 0.
	Rows  int
	First Ranked
}

// Headline sums the comparison up.
func (s *Set) Headline() Headline {
	r := s.judged.r
	total := r.Chance.Total
	least, most := analysis.Energies(total.Interval)
	h := Headline{
		Subject: r.Subject.Energy, Reference: r.Reference.Energy, Difference: r.Subject.Energy - r.Reference.Energy,
		Interval: Interval{least, most}, Basis: r.Chance.Basis, Matters: r.Matters, Doubt: s.judged.all, Portions: s.judged.parts,
		All: len(r.Tasks) + len(r.AppCode.Rows), Even: r.Chance.Even,
	}
	matters := r.Matters * float64(r.Reference.Energy)
	switch {
	case r.SameContent:
		h.Verdict, h.Interval = SameContent, Interval{}
	case h.Doubt == TwoKinds:
		h.Verdict = NotComparable
	case h.Subject == 0 && h.Reference == 0:
		h.Verdict = NothingRecorded
	case r.EqualRows():
		h.Verdict, h.Interval, h.Equal = NoDifference, Interval{}, true
	case total.Verdict == repeats.Costlier:
		h.Verdict = More
	case total.Verdict == repeats.Cheaper:
		h.Verdict = Less
	case max(math.Abs(total.Interval.Least), math.Abs(total.Interval.Most)) <= matters:
		h.Verdict = NoDifference
	default:
		h.Verdict = CannotTell
		h.Runs = r.Chance.RunsFor(r.Matters)
	}
	for _, at := range s.Ranking() {
		if s.Standing(at).Counts {
			if h.Rows == 0 {
				h.First = at
			}
			h.Rows++
		}
	}
	h.Savable = s.savable(h.Rows)
	return h
}

// savable is what the rows that count could save between them. It is the sum of the parts that
// they make up; rows that are left out take their parts along.
func (s *Set) savable(rows int) Interval {
	if s.judged.all != NoDoubt {
		return Interval{}
	}
	parts := s.judged.parts
	if !s.whole() {
		parts = s.judged.split(s.Result)
	}
	var sum, system units.Energy
	for _, p := range parts {
		switch p.Code {
		case CostlierTasks, OnlyHereTasks, CostlierOwn:
			if rows > 0 {
				sum += max(p.Difference(), 0)
			}
		case System:
			if s.Result.AppCode.OneApp {
				system += max(p.Difference(), 0)
			}
		}
	}
	return Interval{sum, sum + system}
}

// whole reports whether the set lists all rows of the comparison.
func (s *Set) whole() bool {
	all := s.judged.r
	return len(s.Result.Tasks) == len(all.Tasks) && len(s.Result.AppCode.Rows) == len(all.AppCode.Rows)
}
