package report

import (
	"cmp"
	"math"
	"strings"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A Judgement is what a comparison comes to. Every surface shows it, and none judges by
// itself.
type Judgement struct {
	Headline Headline `json:"headline"`
	// Sentences say the headline to people, in their order.
	Sentences []string `json:"sentences"`
}

// A Headline is as finding.Headline.
type Headline struct {
	// Verdict is "more", "less", "no-difference", "cannot-tell", "same-content", "two-kinds" or
	// "nothing-recorded".
	Verdict finding.Verdict `json:"verdict"`
	// Difference is the subject's energy less the reference's, between Least and Most.
	Difference units.Energy `json:"differenceNJ"`
	Least      units.Energy `json:"differenceLeastNJ"`
	Most       units.Energy `json:"differenceMostNJ"`
	// Known is the difference without the rows that a baseline or ignore leaves out; absent if none are.
	Known *WithoutKnown `json:"withoutKnown,omitempty"`
	// Basis is what intervals rest on: "repeats", "samples", "setting" or "assumed".
	Basis string `json:"basis"`
	// Noise is the relative standard deviation of a run's total from run to run. It is the stated one
	// if Basis is "setting". It is null where too few runs show it.
	Noise *float64 `json:"noise"`
	// Matters is the smallest difference that matters, as a part of the reference, and Runs how
	// many runs a side would show it; 0 where that is not known.
	Matters float64 `json:"matters"`
	Runs    int     `json:"runsToTell"`
	// Doubt is why no row counts, empty where rows may count.
	Doubt finding.Doubt `json:"doubt"`
	// Parts add up to the energies of both runs.
	Parts []HeadlinePart `json:"parts"`
	// ActLeast and ActMost are what could be saved.
	ActLeast units.Energy `json:"actLeastNJ"`
	ActMost  units.Energy `json:"actMostNJ"`
	// Rows counts the rows that count, and First is the ID of the first; empty for none.
	Rows  int    `json:"rows"`
	First string `json:"first"`
}

// WithoutKnown is the difference of the totals without known rows. The conditions of --fail-on use it.
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

// Standing is the judgement on a row.
type Standing struct {
	// Rank is the row's place among the tasks and the app code of the comparison, from 1.
	Rank int `json:"rank"`
	// Counting is whether the row is a finding.
	Counting bool `json:"counts"`
	// WhyNot is why a row that costs more does not count: "two-kinds", "little-in-common",
	// "perhaps" or "noise"; empty otherwise.
	WhyNot finding.Doubt `json:"whyNot"`
	// WhyNotMessage says the same to people.
	WhyNotMessage string `json:"whyNotMessage"`
	// Severity is "error", "warning", "information" or "hint"; empty for a row that does not
	// count.
	Severity string `json:"severity"`
	// SavingLeast and SavingMost are where the saving lies, at 0 or above.
	SavingLeast units.Energy `json:"savingLeastNJ"`
	SavingMost  units.Energy `json:"savingMostNJ"`
	// costlier is whether the row costs more by more than chance, if it counts or not.
	costlier bool
}

// standing is the judgement on a row.
func (ts *RowWriter) standing(at finding.Ranked) Standing {
	s := ts.set.Standing(at)
	rank := ts.taskRanks
	if at.Code {
		rank = ts.codeRanks
	}
	return Standing{
		Rank: rank[at.Index], Counting: s.Counts, WhyNot: s.Doubt, WhyNotMessage: words.Doubt(s.Doubt), Severity: ts.set.SeverityOf(at),
		SavingLeast: s.Saving.Least, SavingMost: s.Saving.Most, costlier: s.Costlier(),
	}
}

// rank returns the places of the tasks and of the app code of a set in its ranking, from 1.
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
			Verdict: h.Verdict, Difference: h.Difference, Least: h.Interval.Least, Most: h.Interval.Most, Basis: string(h.Basis), Matters: h.Matters, Noise: noiseOf(r.Chance.Noise),
			Runs: h.Runs, Doubt: h.Doubt, Parts: []HeadlinePart{}, ActLeast: h.Savable.Least, ActMost: h.Savable.Most, Rows: h.Rows,
		},
		Sentences: words.NewHeadline(set, words.Each(r.Unit(nil), r.Voltage)).Sentences(),
	}
	if rest := h.Rest; rest.Left > 0 {
		made.Headline.Known = &WithoutKnown{rest.Left, rest.Difference, rest.Interval.Least, rest.Interval.Most}
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

// noiseOf is a deviation to three digits, nil where it is not known.
func noiseOf(deviation float64) *float64 {
	if math.IsNaN(deviation) || math.IsInf(deviation, 0) {
		return nil
	}
	deviation = digits(deviation)
	return &deviation
}

// Headline writes the headline in the unit of the options. For a report not made by New it returns
// the stored sentences.
func (r *Report) Headline(o Options) words.Headline {
	if r.set == nil {
		return words.Headline{Verdict: strings.Join(r.Judgement.Sentences, " ")}
	}
	return words.NewHeadline(r.set, words.Each(r.set.Result.Unit(o.Unit), cmp.Or(o.Voltage, r.Voltage)))
}
