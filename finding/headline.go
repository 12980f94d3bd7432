package finding

import (
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Verdict says how the two runs compare as a whole.
type Verdict string

// The verdicts.
const (
	// More and Less mean that the subject uses more or less than the reference, by more than
	// chance.
	More Verdict = "more"
	Less Verdict = "less"
	// NoDifference means that the difference is smaller than the smallest relevant difference.
	NoDifference Verdict = "no-difference"
	// CannotTell means that the difference may be chance, but may also be relevant.
	CannotTell Verdict = "cannot-tell"
	// SameContent means that both sides have files with the same content.
	SameContent Verdict = "same-content"
	// NotComparable means that the numbers of the runs are not comparable, such as measured energy
	// and sample counts.
	NotComparable Verdict = "two-kinds"
	// NothingRecorded means that neither run used energy.
	NothingRecorded Verdict = "nothing-recorded"
)

// A Headline is the summary of a comparison. Its portions add up to the energies of both runs
// exactly, so no figure exceeds its part of the run.
type Headline struct {
	Verdict            Verdict
	Subject, Reference units.Energy
	// Difference is the subject's energy minus the reference's energy. Interval is its confidence
	// interval.
	Difference units.Energy
	Interval   Interval
	// Remainder is the difference without the rows that Set.Without excludes. Remainder.Excluded is
	// 0 if there are none.
	Remainder Remainder
	// Basis says where the intervals come from.
	Basis analysis.Basis
	// MinRelevant is the smallest relevant difference, as a share of the reference. Runs is the
	// number of runs per side that would detect such a difference, or 0 if unknown.
	MinRelevant float64
	Runs        int
	// Doubt is the doubt that applies to every row, if any.
	Doubt Doubt
	// Portions break down the difference.
	Portions []Portion
	// Savable is the possible saving: the sum over the rows that count. If both runs are of one
	// app, Savable.Most includes the system's additional energy, if that is more than chance.
	Savable Interval
	// Moved is the part of the saving that may be no saving. Its code may have moved from other
	// methods of the app, for example because it was renamed, or it may replace other calls.
	// Savable.Least excludes this part.
	Moved units.Energy
	// Shifted is the part of the saving that a common factor of all rows explains: the run may only
	// be slower or longer. Savable.Least excludes it.
	Shifted units.Energy
	// AllRows counts the rows of the whole comparison, including rows that are not listed.
	AllRows int
	// CommonFactor is the common factor, such as 1.2, by which the energies of the whole run and of
	// its matched rows changed. It is zero if they changed by different factors.
	CommonFactor repeats.CommonFactor
	// Elapsed is true if waiting may have caused the difference. Energy was then charged for
	// elapsed time, in which threads may have waited, and the ranges of the two energies overlap.
	// The verdict is CannotTell. SubjectLeast and ReferenceLeast are the lower ends of the ranges.
	Elapsed                      bool
	SubjectLeast, ReferenceLeast units.Energy
	// ByModel is true if assumed figures of the power model decide which run uses more. The verdict
	// is then CannotTell. Model is the range of the difference over these figures.
	ByModel bool
	Model   Interval
	// Equal is set if both runs have the same rows with the same energies. They are probably the
	// same recording.
	Equal bool
	// Rows counts the listed rows that count. First is the first such row. It is valid only if Rows
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
		Interval: Interval{least, most}, Basis: r.Chance.Basis, MinRelevant: r.MinRelevant, Doubt: s.judged.all, Portions: s.judged.parts,
		AllRows: len(r.Tasks) + len(r.AppCode.Rows), CommonFactor: r.Chance.Even, Remainder: s.Remainder(),
	}
	matters := r.MinRelevant * float64(r.Reference.Energy)
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
			h.Runs = r.Chance.RunsFor(r.MinRelevant)
		}
	}
	h.doubtElapsed(r)
	h.doubtModel(r)
	for _, at := range s.Ranking() {
		if s.Standing(at).IsFinding {
			if h.Rows == 0 {
				h.First = at
			}
			h.Rows++
		}
	}
	h.Savable, h.Moved, h.Shifted = s.savable(h.Rows)
	return h
}

// doubtElapsed changes the verdict to CannotTell if waiting may have caused the difference.
func (h *Headline) doubtElapsed(r *analysis.Result) {
	h.SubjectLeast, h.ReferenceLeast = r.Subject.Least(), r.Reference.Least()
	if h.Equal || !waited(r) {
		return
	}
	switch h.Verdict {
	case More, Less, NoDifference, CannotTell:
		h.Verdict, h.Elapsed, h.Runs = CannotTell, true, 0
		h.Interval.Least = min(h.Interval.Least, h.SubjectLeast-h.Reference)
		h.Interval.Most = max(h.Interval.Most, h.Subject-h.ReferenceLeast)
	}
}

// doubtModel changes the verdict to CannotTell if it depends on assumed figures of the power model.
func (h *Headline) doubtModel(r *analysis.Result) {
	differs, ok := modelled(r)
	differs.Least -= r.Subject.Energy - r.Subject.Least()
	differs.Most += r.Reference.Energy - r.Reference.Least()
	if !ok || h.Equal || h.Elapsed || !byModel(h.Difference, differs) {
		return
	}
	switch h.Verdict {
	case More, Less:
		h.Verdict, h.ByModel, h.Model, h.Runs = CannotTell, true, differs, 0
		h.Interval.Least = min(h.Interval.Least, differs.Least)
		h.Interval.Most = max(h.Interval.Most, differs.Most)
	}
}

// waited reports whether waiting may have caused the difference of the totals: the ranges of the
// two energies overlap.
func waited(r *analysis.Result) bool {
	here, there := r.Subject.Least(), r.Reference.Least()
	uncertain := here < r.Subject.Energy || there < r.Reference.Energy
	return uncertain && here <= r.Reference.Energy && there <= r.Subject.Energy
}

// savable returns the possible saving of the listed rows that count. rows is the number of rows
// that count. moved is the part whose work may come from other methods, so that it is no saving.
// shifted is the part that a common factor of all rows explains.
func (s *Set) savable(rows int) (saving Interval, moved, shifted units.Energy) {
	if s.judged.all != NoDoubt {
		return Interval{}, 0, 0
	}
	parts := s.judged.parts
	if !s.whole() {
		parts = s.judged.split(s.Result)
	}
	var sum, system units.Energy
	for _, p := range parts {
		switch p.Code {
		case CostlierTasks, SubjectOnlyTasks, CostlierOwn, SubjectOnlyOwn:
			if rows > 0 {
				sum += max(p.Difference(), 0)
			}
		case System:
			if s.Result.AppCode.OneApp {
				system += max(p.Difference(), 0)
			}
		}
	}
	chance := s.judged.r.Chance
	add := func(elsewhere, common units.Energy) { moved, shifted = moved+elsewhere, shifted+common }
	for i := range s.Result.AppCode.Rows {
		if row := &s.Result.AppCode.Rows[i]; s.judged.code(row).IsFinding {
			add(chance.UnsureCode(row))
		}
	}
	for i := range s.Result.Tasks {
		if t := &s.Result.Tasks[i]; s.judged.task(t).IsFinding {
			add(chance.Unsure(t))
		}
	}
	moved = min(moved, sum)
	shifted = min(shifted, sum-moved)
	return Interval{sum - moved - shifted, sum + system}, moved, shifted
}

// whole reports whether the set lists all rows of the comparison.
func (s *Set) whole() bool {
	all := s.judged.r
	return len(s.Result.Tasks) == len(all.Tasks) && len(s.Result.AppCode.Rows) == len(all.AppCode.Rows)
}
