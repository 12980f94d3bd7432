package finding

import (
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Verdict states how the two runs compare as a whole.
type Verdict string

// The verdicts.
const (
	// More and Less mean that the subject uses more or less than the reference, by more than
	// chance.
	More Verdict = "more"
	Less Verdict = "less"
	// NoDifference means that the difference is less than the smallest relevant one.
	NoDifference Verdict = "no-difference"
	// CannotTell means that the difference may be chance, but could also be relevant.
	CannotTell Verdict = "cannot-tell"
	// SameContent means that both sides are files of equal content.
	SameContent Verdict = "same-content"
	// NotComparable means that the numbers of the runs are of two kinds.
	NotComparable Verdict = "two-kinds"
	// NothingRecorded means that neither run used energy.
	NothingRecorded Verdict = "nothing-recorded"
)

// A Headline is the summary of a comparison. Its portions add up to the energies of both runs
// exactly, so no figure is larger than the part that it describes.
type Headline struct {
	Verdict            Verdict
	Subject, Reference units.Energy
	// Difference is the subject's energy minus the reference's. Interval is its confidence
	// interval.
	Difference units.Energy
	Interval   Interval
	// Rest is the difference without the known rows, which rules leave out. Rest.Left is 0 if there are
	// none.
	Rest Rest
	// Basis is the source of the intervals.
	Basis analysis.Basis
	// Matters is the smallest relevant difference, as a share of the reference. Runs is the number
	// of runs per side that would show it, 0 if unknown.
	Matters float64
	Runs    int
	// Doubt is the doubt that applies to every row, if there is one.
	Doubt Doubt
	// Portions break down the difference.
	Portions []Portion
	// Savable is the possible saving: the sum over the rows that count. Its end Most adds what the
	// system used more, by more than chance, if both runs belong to one app.
	Savable Interval
	// All counts the rows of the whole comparison, including rows that are not listed.
	All int
	// Even is the factor by which the costs of the whole run and its matched rows changed alike,
	// such as 1.2. It is 0 if they did not.
	Even float64
	// Elapsed is set if the difference may be waiting: the energies were charged for elapsed time in
	// which threads may have waited, and their ranges overlap. The verdict is CannotTell then.
	// SubjectLeast and ReferenceLeast are the least energies.
	Elapsed                      bool
	SubjectLeast, ReferenceLeast units.Energy
	// Equal is set if both runs have the same rows with the same energies. They look like one
	// recording.
	Equal bool
	// Rows counts the listed rows that count. First is the first of them, and is only valid if Rows
	// is not 0.
	Rows  int
	First Ranked
}

// Headline summarizes the comparison.
func (s *Set) Headline() Headline {
	r := s.judged.r
	total := r.Chance.Total
	least, most := analysis.Energies(total.Interval)
	h := Headline{
		Subject: r.Subject.Energy, Reference: r.Reference.Energy, Difference: r.Subject.Energy - r.Reference.Energy,
		Interval: Interval{least, most}, Basis: r.Chance.Basis, Matters: r.Matters, Doubt: s.judged.all, Portions: s.judged.parts,
		All: len(r.Tasks) + len(r.AppCode.Rows), Even: r.Chance.Even, Rest: s.Rest(),
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
		if !s.OneAfterOther() {
			h.Runs = r.Chance.RunsFor(r.Matters)
		}
	}
	h.doubtElapsed(r)
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

// doubtElapsed takes back a verdict that waiting may have caused.
func (h *Headline) doubtElapsed(r *analysis.Result) {
	h.SubjectLeast, h.ReferenceLeast = r.Subject.Least(), r.Reference.Least()
	uncertain := h.SubjectLeast < h.Subject || h.ReferenceLeast < h.Reference
	if !uncertain || h.Equal || h.SubjectLeast > h.Reference || h.ReferenceLeast > h.Subject {
		return
	}
	switch h.Verdict {
	case More, Less, NoDifference, CannotTell:
		h.Verdict, h.Elapsed, h.Runs = CannotTell, true, 0
		h.Interval.Least = min(h.Interval.Least, h.SubjectLeast-h.Reference)
		h.Interval.Most = max(h.Interval.Most, h.Subject-h.ReferenceLeast)
	}
}

// savable returns what the rows that count could save together. It is the sum of the parts that
// they belong to. A row that is not listed removes its part of the sum.
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
		case CostlierTasks, OnlyHereTasks, CostlierOwn, OnlyHereOwn:
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
