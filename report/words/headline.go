package words

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Headline is the first part of a report. Each field is a sentence, or empty.
type Headline struct {
	// Verdict has the energy of both runs and their difference.
	Verdict string
	// Split has the parts of the difference.
	Split string
	// Saving has the possible saving, or the reason why there is none.
	Saving string
	// First names the row to look at first.
	First string
	// Basis describes the uncertainty of the figures.
	Basis string
}

// Sentences returns the fields that are not empty, in their order.
func (h Headline) Sentences() []string {
	var list []string
	for _, s := range []string{h.Verdict, h.Split, h.Saving, h.First, h.Basis} {
		if s != "" {
			list = append(list, s)
		}
	}
	return list
}

// NewHeadline writes the headline of a comparison.
func NewHeadline(set *finding.Set, s Scale) Headline {
	r, h := set.Result, set.Headline()
	text := Headline{Verdict: verdict(r, &h, s), Basis: Basis(r)}
	switch h.Verdict {
	case finding.SameContent, finding.NotComparable, finding.NothingRecorded:
		text.Basis = ""
		return text
	}
	if h.Equal {
		text.Basis = ""
		return text
	}
	text.Basis += remedy(r, &h) + caveats(r)
	text.Verdict += withoutKnown(&h, s)
	text.Split = split(&h, s)
	text.Saving = saving(r, &h, s)
	if h.Elapsed && h.Rows == 0 && h.AllRows > 0 && h.Doubt == finding.NoDoubt {
		_, text.Saving = unsure(r)
	} else if h.Rows > 0 {
		text.First = "Look here first: " + first(set, h.First, s) + "."
	}
	return text
}

// unsure explains why energies are ranges, and what this means for the rows.
func unsure(r *analysis.Result) (reason, rows string) {
	reason = "threads may have waited in part of the time"
	rows = "The rows compare elapsed time, so a row may cost more just because its thread waited. To find out, record processor time."
	for _, in := range []*analysis.Input{&r.Subject, &r.Reference} {
		t := in.Trace
		if t.Uncertain == 0 || t.Energy == trace.WallTime || t.Unstated {
			continue
		}
		for _, w := range t.Warnings {
			switch w.Code {
			case trace.ImpossibleTime:
				return "a part of the times is damaged", "The rows compare damaged times, so record again."
			case trace.FasterProcessor:
				return "the processor ran faster than the frequency that cycles were converted by", "The rows compare times at a wrong frequency. State it with --cpu-frequency: the warnings suggest one."
			}
		}
		reason = "the recordings do not show how much of the time was work"
		rows = "It is unknown how much of the compared times was work: the warnings say why."
	}
	return reason, rows
}

// verdict compares the energy of the two runs.
func verdict(r *analysis.Result, h *finding.Headline, s Scale) string {
	s = s.legible(max(h.Subject, h.Reference))
	here, there := sideNames(r)
	both := fmt.Sprintf("%s uses %s, %s uses %s", here, s.Energy(h.Subject), there, s.Energy(h.Reference))
	lowered := here
	if there == otherRun {
		here = "This run"
	}
	if h.Elapsed {
		reason, _ := unsure(r)
		most, other := h.Subject, h.Reference
		least, otherLeast, ofModel := h.SubjectLeast, h.ReferenceLeast, false
		if spread, _ := finding.Spreads(&r.Subject); spread != nil {
			least, most, ofModel = spread.Least, spread.Most, true
		}
		if spread, _ := finding.Spreads(&r.Reference); spread != nil {
			otherLeast, other, ofModel = spread.Least, spread.Most, true
		}
		if ofModel {
			reason += ", and figures of the power model are assumed"
		}
		return fmt.Sprintf("%s: %s %s, %s %s, because %s.",
			unclear, lowered, s.Range(&least, most), there, s.Range(&otherLeast, other), reason)
	}
	if h.ByModel {
		return fmt.Sprintf("%s: %s %s, %s %s. The result depends on assumed figures of the power model: the difference is between %s and %s.",
			unclear, lowered, s.Energy(h.Subject), there, s.Energy(h.Reference), s.Energy(h.Model.Least), s.Energy(h.Model.Most))
	}
	switch h.Verdict {
	case finding.SameContent:
		switch {
		case r.Subject.Runs != nil:
			return fmt.Sprintf("The two sides are the same recordings: %s per run on each side.", s.Energy(h.Subject))
		case there == otherRun:
			return fmt.Sprintf("Both files have the same content: %s each.", s.Energy(h.Subject))
		}
		return fmt.Sprintf("%s and %s have the same content: %s each.", here, there, s.Energy(h.Subject))
	case finding.NotComparable:
		return fmt.Sprintf("%s and %s have figures of two kinds, which cannot be compared.", here, there)
	case finding.NothingRecorded:
		return fmt.Sprintf("Neither %s nor %s recorded any %s.", lowered, there, s.Noun())
	case finding.More:
		return fmt.Sprintf("%s uses %s more than %s: %s compared with %s%s.", here, s.Energy(h.Difference), there, s.Energy(h.Subject), s.Energy(h.Reference), growthText(h))
	case finding.Less:
		return fmt.Sprintf("%s uses %s less than %s: %s compared with %s%s.", here, s.Energy(-h.Difference), there, s.Energy(h.Subject), s.Energy(h.Reference), growthText(h))
	case finding.NoDifference:
		if h.Equal {
			if r.Chance.Basis == analysis.FromCounts {
				return "No difference: " + both + ", and both make equal numbers of calls."
			}
			return "No difference: " + both + ", and every row is equal. The files look like copies of one recording."
		}
		if h.Difference == 0 && h.Interval == (finding.Interval{}) {
			return "No difference in total: " + both + "."
		}
		return fmt.Sprintf("No difference in total that matters (%s): %s%s.", Percent(h.MinRelevant), both, growthText(h))
	}
	return fmt.Sprintf("%s: %s %s, %s %s%s.", unclear, lowered, s.Energy(h.Subject), there, s.Energy(h.Reference), growthText(h))
}

// unclear begins the verdict if it is unclear which run uses more.
const unclear = "Unclear which uses more"

// withoutKnown states the difference without known rows. It begins with a space, and is "" if there
// are none.
func withoutKnown(h *finding.Headline, s Scale) string {
	rest := h.Remainder
	if rest.Excluded == 0 {
		return ""
	}
	sign := ""
	if rest.Difference > 0 {
		sign = "+"
	}
	without := *h
	without.Difference, without.Interval = rest.Difference, rest.Interval
	return fmt.Sprintf(" Without %s: %s%s%s.", Some(rest.Excluded, "known row"), sign, s.legible(rest.Difference).Energy(rest.Difference), growthText(&without))
}

// growthText formats the difference in percent of the reference: ", +3.1% (-0.4% to +6.6%)". It
// returns "" if the reference used nothing.
func growthText(h *finding.Headline) string {
	if h.Reference == 0 {
		return ""
	}
	change := func(e units.Energy) string { return changeOf(float64(e), float64(h.Reference)) }
	text := ", " + change(h.Difference)
	if h.Interval.Least != h.Interval.Most {
		text += fmt.Sprintf(" (%s to %s)", change(h.Interval.Least), change(h.Interval.Most))
	}
	return text
}

// changeOf formats a difference in percent, with its sign.
func changeOf(x, whole float64) string {
	text := units.Fixed(100*x/whole, 1) + "%"
	if x > 0 {
		text = "+" + text
	}
	return text
}

// PartName names a part of the difference.
func PartName(p finding.Portion) string {
	switch p.Code {
	case finding.CostlierTasks:
		return Some(p.Rows, "task") + " costing more"
	case finding.CheaperTasks:
		return Some(p.Rows, "task") + " costing less"
	case finding.SubjectOnlyTasks:
		return Some(p.Rows, "task") + " only here"
	case finding.ReferenceOnly:
		return Some(p.Rows, "task") + " only there"
	case finding.CostlierOwn:
		return "app code costing more"
	case finding.CheaperOwn:
		return "app code costing less"
	case finding.SubjectOnlyOwn:
		return "app code only here"
	case finding.ReferenceOnlyOwn:
		return "app code only there"
	case finding.MovedTasks:
		return Some(p.Rows, "moved task")
	case finding.PossibleTasks:
		return Some(p.Rows, "task") + " perhaps matched"
	case finding.PossibleOwn:
		return "app code perhaps matched"
	case finding.System:
		return "the system's own work"
	case finding.Recorder:
		return OutsideRecorder
	case finding.Waiting:
		return OutsideWaiting
	case finding.NoMethod:
		return OutsideToplevel
	}
	return "the unclear rest"
}

// Parts below 1/minPartRatio of the largest part are summed up as "smaller parts".
const minPartRatio = 100

// split lists the parts of the difference. Parts below 1/minPartRatio of the largest are summed up
// as "smaller parts". These are omitted if they make no visible difference.
func split(h *finding.Headline, s Scale) string {
	if s.unit == nil {
		most := units.Energy(0)
		for _, p := range h.Portions {
			most = max(most, p.Difference(), -p.Difference())
		}
		s = ScaleFor(nil, s.voltage, most)
	}
	most, small := units.Energy(0), units.Energy(0)
	for _, p := range h.Portions {
		most = max(most, p.Difference(), -p.Difference())
	}
	s = s.legible(most)
	var parts []string
	add := func(name string, d units.Energy) {
		sign := "+"
		if d < 0 {
			sign = ""
		}
		parts = append(parts, name+" "+sign+s.Energy(d))
	}
	for _, p := range h.Portions {
		d := p.Difference()
		switch {
		case max(d, -d) < most/minPartRatio:
			small += d
		case d != 0:
			add(PartName(p), d)
		}
	}
	relevant := min(most, max(h.Difference, -h.Difference)) / minPartRatio
	if max(small, -small) >= relevant && small != 0 && s.Amount(small) != "~0" {
		add("smaller parts", small)
	}
	recording := ""
	if recorded(h) {
		recording = "Most of the difference is the work of recording, not of the app."
	}
	if len(parts) < 2 {
		return recording
	}
	return strings.TrimSuffix("Parts of the difference: "+strings.Join(parts, ", ")+". "+recording, " ")
}

// recorded reports whether recording causes most of the difference.
func recorded(h *finding.Headline) bool {
	for _, p := range h.Portions {
		if d, all := p.Difference(), h.Difference; p.Code == finding.Recorder {
			return all > 0 && 2*d > all || all < 0 && 2*d < all
		}
	}
	return false
}

// saving formats the possible saving.
func saving(r *analysis.Result, h *finding.Headline, s Scale) string {
	e := h.Savable
	s = s.legible(e.Most)
	here, _ := sideNames(r)
	switch {
	case h.Doubt == finding.LittleInCommon:
		return "These runs have little in common, so no difference is called a saving."
	case h.AllRows == 0:
		return nothingToCompare(r, e, s)
	case h.Rows == 0 && h.CommonFactor.Factor > 1:
		return commonFactor(r, h)
	case h.Rows == 0 && e.Most > 0:
		return fmt.Sprintf("No task or app code costs more than chance explains, but the system does: up to %s could be saved, %s of %s.",
			s.Energy(e.Most), Share(e.Most, h.Subject), here)
	case h.Rows == 0 && h.Verdict == finding.More:
		return "The whole run costs more than chance explains, but no task and no app code does so by itself."
	case h.Rows == 0:
		return "No task or app code costs more than chance explains."
	case h.Verdict == finding.Less && e.Least > 0:
		return fmt.Sprintf("Yet some rows cost more: %s could be saved, %s of %s.", s.Energy(e.Least), Share(e.Least, h.Subject), here)
	case h.Verdict == finding.CannotTell && e.Least > 0:
		return fmt.Sprintf("Some rows clearly cost more: %s could be saved, %s of %s.", s.Energy(e.Least), Share(e.Least, h.Subject), here)
	case e.Most == 0:
		return trace.Counted("%s {row costs|rows cost} more, but other rows of the same work cost less by the same amount, so there is nothing to save.", Count(h.Rows))
	case e.Least == e.Most || s.Amount(e.Least) == s.Amount(e.Most) && s.unit != nil:
		text := fmt.Sprintf("%s could be saved, %s of %s.", upper(s.Energy(e.Least)), Share(e.Least, h.Subject), here)
		if h.CommonFactor.Factor > 1 {
			text += " " + commonFactor(r, h)
		}
		return text
	}
	text := fmt.Sprintf("%s could be saved, %s of %s; %s including ", upper(s.Energy(e.Least)), Share(e.Least, h.Subject), here, s.Energy(e.Most))
	var causes []string
	if e.Most-e.Least > h.Moved+h.Shifted {
		causes = append(causes, "the system")
	}
	if h.Moved > 0 {
		causes = append(causes, "code that may have moved, been renamed, or replaced other calls")
	}
	if h.Shifted > 0 {
		causes = append(causes, "what all rows use more")
	}
	return text + strings.Join(causes, ", and ") + "."
}

// commonFactor says that the matched rows cost more by about the same factor, and what may explain
// it.
func commonFactor(r *analysis.Result, h *finding.Headline) string {
	c := h.CommonFactor
	which := fmt.Sprintf("%s of %s matched rows", Count(c.Along), Count(c.Rows))
	if c.Along == c.Rows {
		which = fmt.Sprintf("All %s matched rows", Count(c.Rows))
	}
	text := fmt.Sprintf("%s cost more by about the same factor: they use about %s more", which, approximately(c.Factor-1))
	here, there, likely := longer(r, c.Factor)
	switch {
	case likely:
		return fmt.Sprintf("%s. The recordings last %s and %s: the longer run did more, or was slower. If it did more, normalize by duration.",
			text, units.FormatTime(int64(here)), units.FormatTime(int64(there)))
	case h.Rows > 0:
		return text + ", so they may have one cause."
	case h.Verdict == finding.More:
		return text + ", and no single row costs more than chance explains."
	case h.Basis == analysis.FromRepeats:
		return text + ", which may be chance."
	}
	return text + ". A slower run of the same program looks like that: record several runs of each side."
}

// longer reports whether different lengths of the recordings explain the factor between their
// energies. It also returns the lengths.
func longer(r *analysis.Result, factor float64) (here, there time.Duration, ok bool) {
	const near = 0.15
	if r.Subject.Scale != nil || r.Reference.Scale != nil {
		return 0, 0, false
	}
	here, there = analysis.Length(r.Subject.Trace), analysis.Length(r.Reference.Trace)
	if here <= 0 || there <= 0 {
		return 0, 0, false
	}
	ratio := float64(here) / float64(there)
	return here, there, ratio > 1+near/2 && math.Abs(math.Log(ratio/factor)) < near
}

// approximately formats a share in whole percent, or with one decimal below 10 %.
func approximately(share float64) string {
	if share < 0.095 {
		return units.Fixed(100*share, 1) + "%"
	}
	return units.Fixed(100*share, 0) + "%"
}

// nothingToCompare explains why a comparison has no rows.
func nothingToCompare(r *analysis.Result, e finding.Interval, s Scale) string {
	here, _ := sideNames(r)
	text := "There is no task or app code to compare"
	o := r.Summary.Outside
	most, why := units.Energy(0), ""
	for _, part := range []struct {
		energy units.Energy
		why    string
	}{
		{o.System, "is code of the system or of libraries that no app code calls; name the app's packages with --app-package if some of it is the app's"},
		{o.Toplevel, "has no method"},
		{o.Recorder, "is the recorder's own work"},
		{o.Waiting, "is waiting"},
	} {
		if part.energy > most {
			most, why = part.energy, part.why
		}
	}
	if why != "" {
		text += fmt.Sprintf(": %s of %s %s", Share(most, r.Subject.Energy), here, why)
	}
	if e.Most > 0 {
		text += fmt.Sprintf(". The system uses %s more, which is more than chance explains", s.Energy(e.Most))
	}
	return text + "."
}

// legible returns a scale in which e is not just "~0".
func (s Scale) legible(e units.Energy) Scale {
	if s.unit != nil && *s.unit != units.Plain && s.Amount(e) == "~0" {
		return ScalePerFigure(nil, s.voltage)
	}
	return s
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// first returns the sentence of a row.
func first(set *finding.Set, at finding.Ranked, s Scale) string {
	r := set.Result
	if at.Code {
		return AppCode(r, at.Index, s.legible(r.AppCode.Rows[at.Index].Energy))
	}
	s = s.legible(r.Tasks[at.Index].Energy)
	return Task(r, at.Index, s) + callers(set, at.Index, s)
}

// callers names the app's method that uses most of a task's energy, with its part.
func callers(set *finding.Set, task int, s Scale) string {
	t := &set.Result.Tasks[task]
	source := set.Result.Subject.Tree.Source
	list := eflask.Callers(set.Result.Subject.Tree, t.Node)
	most := -1
	for i, c := range list {
		if source.Nodes[c.Source].Method >= 0 && (most < 0 || c.Energy > list[most].Energy) {
			most = i
		}
	}
	if most < 0 {
		return ""
	}
	method := source.Methods[source.Nodes[list[most].Source].Method]
	if from := set.Origin(list[most].Source); from.Own.Name != "" {
		method = from.Own
	}
	if len(list) == 1 {
		return "; called from " + method.Short()
	}
	return fmt.Sprintf("; called from %d methods, most by %s, %s", len(list), method.Short(), s.Energy(list[most].Energy))
}

// Doubt says why a row that costs more is not a finding. It returns "" without a doubt.
func Doubt(d finding.Doubt) string {
	switch d {
	case finding.TwoKinds:
		return "the figures of the two runs cannot be compared"
	case finding.LittleInCommon:
		return "these runs have little in common"
	case finding.PossibleCounterpart:
		return "it may have a counterpart"
	case finding.MayWait:
		return "its thread may only have waited"
	case finding.ByModel:
		return "assumed figures of the power model decide which run uses more"
	case finding.Chance:
		return "the difference may be chance"
	}
	return ""
}

// Interval formats a saving with its interval: "12.3 mJ (8.1 to 15.9)", or without it if both ends
// are equal.
func Interval(saving units.Energy, in finding.Interval, s Scale) string {
	if in.Least == in.Most || in.Least == saving && in.Most == saving {
		return s.Energy(saving)
	}
	if s.unit == nil {
		s = ScaleFor(nil, s.voltage, max(saving, -saving, units.Energy(math.Abs(float64(in.Most)))))
	}
	return fmt.Sprintf("%s (%s to %s)", s.Energy(saving), s.Amount(in.Least), s.Amount(in.Most))
}
