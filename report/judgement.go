package report

import (
	"cmp"
	"math"
	"strings"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A Judgement is the conclusion of a comparison. All outputs show this one.
type Judgement struct {
	Headline Headline `json:"headline"`
	// Sentences are the sentences of the headline, in order.
	Sentences []string `json:"sentences"`
}

// A Headline has the fields of finding.Headline.
type Headline struct {
	// Verdict is "more", "less", "no-difference", "cannot-tell", "same-content", "two-kinds" or
	// "nothing-recorded".
	Verdict finding.Verdict `json:"verdict"`
	// Difference is the subject's energy minus the reference's energy. Least and Most are its
	// bounds.
	Difference units.Energy `json:"differenceNJ"`
	Least      units.Energy `json:"differenceLeastNJ"`
	Most       units.Energy `json:"differenceMostNJ"`
	// Known is the difference without known or ignored rows. It is absent if there are none.
	Known *WithoutKnown `json:"withoutKnown,omitempty"`
	// Basis is what the intervals are based on: "repeats", "samples", "counts", "setting" or
	// "assumed".
	Basis string `json:"basis"`
	// Noise is the relative standard deviation of the total between runs, such as 0.02 for 2 %. If
	// Basis is "setting", the user gave it. It is null if there are too few runs.
	Noise *float64 `json:"noise"`
	// MinRelevant is the smallest relevant difference, as a fraction of the reference. Runs is the
	// number of runs per side that would detect it, or 0 if unknown.
	MinRelevant float64 `json:"matters"`
	Runs        int     `json:"runsToTell"`
	// Doubt is why no row is a finding. It is empty if rows may be findings.
	Doubt finding.Doubt `json:"doubt"`
	// Parts add up to the energies of both runs.
	Parts []HeadlinePart `json:"parts"`
	// SavableLeast and SavableMost are the bounds of the possible saving.
	SavableLeast units.Energy `json:"actLeastNJ"`
	SavableMost  units.Energy `json:"actMostNJ"`
	// Rows is the number of findings. First is the ID of the first one, or empty.
	Rows  int    `json:"rows"`
	First string `json:"first"`
}

// WithoutKnown is the difference of the totals without known rows, as --fail-on uses it.
type WithoutKnown struct {
	// Rows is the number of known rows.
	Rows       int          `json:"rows"`
	Difference units.Energy `json:"differenceNJ"`
	Least      units.Energy `json:"differenceLeastNJ"`
	Most       units.Energy `json:"differenceMostNJ"`
}

// A HeadlinePart is a part of the difference.
type HeadlinePart struct {
	Code       finding.PartCode `json:"code"`
	Name       string           `json:"name"`
	Rows       int              `json:"rows"`
	Subject    units.Energy     `json:"subjectNJ"`
	Reference  units.Energy     `json:"referenceNJ"`
	Difference units.Energy     `json:"differenceNJ"`
}

// Standing tells whether a row is a finding, and why.
type Standing struct {
	// Rank is the position of the row in the ranking of tasks and app code, from 1.
	Rank int `json:"rank"`
	// IsFinding is set if the row is a finding.
	IsFinding bool `json:"counts"`
	// Doubt is why a row that costs more is not a finding: "two-kinds", "little-in-common",
	// "perhaps", "waiting", "model" or "noise". It is empty for other rows.
	Doubt finding.Doubt `json:"whyNot"`
	// DoubtMessage states Doubt in words.
	DoubtMessage string `json:"whyNotMessage"`
	// Severity is "error", "warning", "information" or "hint", or "" if the row is not a finding.
	Severity string `json:"severity"`
	// SavingLeast and SavingMost are the bounds of the saving. They are never negative.
	SavingLeast units.Energy `json:"savingLeastNJ"`
	SavingMost  units.Energy `json:"savingMostNJ"`
	// costlier is set if the row costs more by more than chance, finding or not.
	costlier bool
}

// standing returns the Standing of a row.
func (ts *RowWriter) standing(at finding.Ranked) Standing {
	s := ts.set.Standing(at)
	rank := ts.taskRanks
	if at.Code {
		rank = ts.codeRanks
	}
	return Standing{
		Rank: rank[at.Index], IsFinding: s.IsFinding, Doubt: s.Doubt, DoubtMessage: words.Doubt(s.Doubt), Severity: ts.set.SeverityOf(at),
		SavingLeast: s.Saving.Least, SavingMost: s.Saving.Most, costlier: s.Costlier(),
	}
}

// rank returns the position in the ranking, from 1, of each task and each row of app code.
func rank(set *finding.Set) (tasks, code []int) {
	tasks, code = make([]int, len(set.Result.Tasks)), make([]int, len(set.Result.AppCode.Rows))
	for i, row := range set.Ranking() {
		if row.Code {
			code[row.Index] = i + 1
		} else {
			tasks[row.Index] = i + 1
		}
	}
	return tasks, code
}

// newJudgement makes the judgement of a set.
func newJudgement(set *finding.Set) Judgement {
	r, h := set.Result, set.Headline()
	made := Judgement{
		Headline: Headline{
			Verdict: h.Verdict, Difference: h.Difference, Least: h.Interval.Least, Most: h.Interval.Most, Basis: string(h.Basis), MinRelevant: h.MinRelevant, Noise: noiseOf(r.Chance.Noise),
			Runs: h.Runs, Doubt: h.Doubt, Parts: []HeadlinePart{}, SavableLeast: h.Savable.Least, SavableMost: h.Savable.Most, Rows: h.Rows,
		},
		Sentences: words.NewHeadline(set, words.ScalePerFigure(r.Unit(nil), r.Voltage)).Sentences(),
	}
	if rest := h.Remainder; rest.Excluded > 0 {
		made.Headline.Known = &WithoutKnown{rest.Excluded, rest.Difference, rest.Interval.Least, rest.Interval.Most}
	}
	for _, p := range h.Portions {
		made.Headline.Parts = append(made.Headline.Parts, HeadlinePart{p.Code, words.PartName(p), p.Rows, p.Subject, p.Reference, p.Difference()})
	}
	switch {
	case h.Rows == 0:
	case h.First.Code:
		made.Headline.First = set.CodeID(h.First.Index)
	default:
		made.Headline.First = set.ID(h.First.Index)
	}
	return made
}

// noiseOf rounds a deviation to three digits. It returns nil if the deviation is unknown.
func noiseOf(deviation float64) *float64 {
	if math.IsNaN(deviation) || math.IsInf(deviation, 0) {
		return nil
	}
	deviation = digits(deviation)
	return &deviation
}

// Headline returns the headline in the unit of the options. If the report was read from a file, it
// returns the stored sentences.
func (r *Report) Headline(o Options) words.Headline {
	if r.set == nil {
		return words.Headline{Verdict: strings.Join(r.Judgement.Sentences, " ")}
	}
	return words.NewHeadline(r.set, words.ScalePerFigure(r.set.Result.Unit(o.Unit), cmp.Or(o.Voltage, r.Voltage)))
}
