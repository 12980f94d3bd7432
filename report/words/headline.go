package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Headline is what a comparison says first, a sentence a field. A field is empty where
// there is nothing to say.
type Headline struct {
	// Verdict says what both runs used and how they differ.
	Verdict string
	// Split says how the difference splits.
	Split string
	// Saving says what could be saved, or why nothing counts.
	Saving string
	// First says which row to look at first.
	First string
	// Basis says how far the figures may be off by chance.
	Basis string
}

// Sentences are the fields that say something, in their order.
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
	said := Headline{Verdict: verdict(r, &h, s), Basis: Basis(r)}
	switch h.Verdict {
	case finding.SameContent, finding.NotComparable, finding.NothingRecorded:
		said.Basis = ""
		return said
	}
	if h.Equal {
		said.Basis = ""
		return said
	}
	said.Split = split(&h, s)
	said.Saving = saving(r, &h, s)
	if h.Rows > 0 {
		said.First = "Look here first: " + first(set, h.First, s) + "."
	}
	return said
}

// verdict writes what both runs used, and how they differ.
func verdict(r *analysis.Result, h *finding.Headline, s Scale) string {
	s = s.legible(max(h.Subject, h.Reference))
	here, there := sideNames(r)
	both := fmt.Sprintf("%s uses %s, %s uses %s", here, s.Energy(h.Subject), there, s.Energy(h.Reference))
	if there == otherRun {
		here = "This run"
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
		return fmt.Sprintf("%s and %s have figures of two kinds, which do not compare.", here, there)
	case finding.NothingRecorded:
		return fmt.Sprintf("Neither %s nor %s recorded any %s.", strings.Replace(here, "This run", "this run", 1), there, s.Noun())
	case finding.More:
		return fmt.Sprintf("%s uses %s more than %s: %s against %s%s.", here, s.Energy(h.Difference), there, s.Energy(h.Subject), s.Energy(h.Reference), grown(h))
	case finding.Less:
		return fmt.Sprintf("%s uses %s less than %s: %s against %s%s.", here, s.Energy(-h.Difference), there, s.Energy(h.Subject), s.Energy(h.Reference), grown(h))
	case finding.NoDifference:
		if h.Equal {
			return "No difference: " + both + ", and every row is equal. The files look like one recording."
		}
		if h.Difference == 0 && h.Interval == (finding.Interval{}) {
			return "No difference in total: " + both + "."
		}
		return fmt.Sprintf("No difference in total that matters (%s): %s%s.", Percent(h.Matters), both, grown(h))
	}
	said := "These runs cannot tell which uses more: " + both + grown(h)
	if h.Runs > 0 {
		said += fmt.Sprintf("; %s a side would show a difference of %s", Some(h.Runs, "run"), Percent(h.Matters))
	}
	return said + "."
}

// grown writes the difference in percent of the reference, with its interval where it has one:
// ", +3.1% (-0.4% to +6.6%)". It is empty where the reference used nothing.
func grown(h *finding.Headline) string {
	if h.Reference == 0 {
		return ""
	}
	of := func(e units.Energy) string { return changeOf(float64(e), float64(h.Reference)) }
	said := ", " + of(h.Difference)
	if h.Interval.Least != h.Interval.Most {
		said += fmt.Sprintf(" (%s to %s)", of(h.Interval.Least), of(h.Interval.Most))
	}
	return said
}

// changeOf writes a difference in percent, with its sign.
func changeOf(x, of float64) string {
	said := units.Fixed(100*x/of, 1) + "%"
	if x > 0 {
		said = "+" + said
	}
	return said
}

// PartName names a part of the difference.
func PartName(p finding.Portion) string {
	switch p.Code {
	case finding.CostlierTasks:
		return that(p.Rows, "more")
	case finding.CheaperTasks:
		return that(p.Rows, "less")
	case finding.OnlyHereTasks:
		return Some(p.Rows, "task") + " only here"
	case finding.OnlyThere:
		return Some(p.Rows, "task") + " only there"
	case finding.CostlierOwn:
		return "the app's own code that costs more"
	case finding.CheaperOwn:
		return "the app's own code that costs less"
	case finding.MovedTasks:
		return Some(p.Rows, "task") + " that moved"
	case finding.PerhapsTasks:
		return Some(p.Rows, "task") + " with a counterpart perhaps"
	case finding.PerhapsOwn:
		return "the app's own code with a counterpart perhaps"
	case finding.System:
		return "the system by itself"
	case finding.Recorder:
		return OutsideRecorder
	case finding.Waiting:
		return OutsideWaiting
	case finding.NoMethod:
		return OutsideToplevel
	}
	return "all without a clear difference"
}

// that names tasks that cost more, or less.
func that(tasks int, what string) string {
	if tasks == 1 {
		return "1 task that costs " + what
	}
	return Some(tasks, "task") + " that cost " + what
}

// smallPart is how many times a part fits into the largest one for it to be among the smaller
// parts of a sentence.
const smallPart = 100

// split writes how the difference splits.
func split(h *finding.Headline, s Scale) string {
	if s.unit == nil {
		most := units.Energy(0)
		for _, p := range h.Portions {
			most = max(most, p.Difference(), -p.Difference())
		}
		s = In(nil, s.voltage, most)
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
		case max(d, -d) < most/smallPart:
			small += d
		case d != 0:
			add(PartName(p), d)
		}
	}
	if small != 0 && s.Amount(small) != "~0" {
		add("smaller parts", small)
	}
	if len(parts) < 2 {
		return ""
	}
	return "The difference splits into " + strings.Join(parts, ", ") + "."
}

// saving writes what could be saved.
func saving(r *analysis.Result, h *finding.Headline, s Scale) string {
	e := h.Savable
	s = s.legible(e.Most)
	here, _ := sideNames(r)
	switch {
	case h.Doubt == finding.LittleInCommon:
		return "These runs have little in common, so nothing can be called a saving."
	case h.All == 0:
		return nothingToCompare(r, e, s)
	case h.Rows == 0 && h.Even > 1:
		return evenly(h)
	case h.Rows == 0 && e.Most > 0:
		return fmt.Sprintf("No task and no code of the app costs more by more than chance, but the system does: up to %s could be saved, %s of %s.",
			s.Energy(e.Most), Share(e.Most, h.Subject), here)
	case h.Rows == 0 && h.Verdict == finding.More:
		return "No task and no code of the app costs more by more than chance: the difference is spread, or the system's."
	case h.Rows == 0:
		return "No task and no code of the app costs more by more than chance."
	case h.Verdict == finding.CannotTell && e.Least > 0:
		return fmt.Sprintf("Single rows are clear all the same: %s could be saved, %s of %s.", s.Energy(e.Least), Share(e.Least, h.Subject), here)
	case e.Most == 0:
		return Some(h.Rows, "row") + " cost more, but other rows of the same work cost as much less: nothing is left to save."
	case e.Least == e.Most || s.Amount(e.Least) == s.Amount(e.Most) && s.unit != nil:
		said := fmt.Sprintf("%s could be saved, %s of %s.", upper(s.Energy(e.Least)), Share(e.Least, h.Subject), here)
		if h.Even > 1 {
			said += " " + evenly(h)
		}
		return said
	}
	return fmt.Sprintf("%s could be saved, %s of %s; %s with what the system did for it.",
		upper(s.Energy(e.Least)), Share(e.Least, h.Subject), here, s.Energy(e.Most))
}

// evenly writes that all rows cost more alike.
func evenly(h *finding.Headline) string {
	said := fmt.Sprintf("The whole run costs more evenly: each matched row uses about %s more", about(h.Even-1))
	switch {
	case h.Rows > 0:
		return said + ", so one cause may be behind all of them."
	case h.Verdict == finding.More:
		return said + ", and no single row costs more by more than chance."
	case h.Basis == analysis.FromRepeats:
		return said + ", which may be chance."
	}
	return said + ". A slower run of an equal program looks the same: record several runs of each side."
}

// about writes a share in whole percent, a small one with a digit more.
func about(share float64) string {
	if share < 0.095 {
		return units.Fixed(100*share, 1) + "%"
	}
	return units.Fixed(100*share, 0) + "%"
}

// nothingToCompare writes why a comparison has no rows.
func nothingToCompare(r *analysis.Result, e finding.Interval, s Scale) string {
	here, _ := sideNames(r)
	said := "There is no task and no code of the app to compare"
	o := r.Summary.Outside
	most, why := units.Energy(0), ""
	for _, part := range []struct {
		energy units.Energy
		why    string
	}{
		{o.System, "is code of the system or of libraries that no app code calls; name the app's packages with --app-package if some of it is the app"},
		{o.Toplevel, "has no method"},
		{o.Recorder, "is the recorder's own"},
		{o.Waiting, "is waiting"},
	} {
		if part.energy > most {
			most, why = part.energy, part.why
		}
	}
	if why != "" {
		said += fmt.Sprintf(": %s of %s %s", Share(most, r.Subject.Energy), here, why)
	}
	if e.Most > 0 {
		said += fmt.Sprintf(". The system uses %s more, by more than chance", s.Energy(e.Most))
	}
	return said + "."
}

// legible is the scale, or one with a unit for each figure where the scale's unit is too large to
// show anything of an energy.
func (s Scale) legible(e units.Energy) Scale {
	if s.unit != nil && *s.unit != units.Plain && s.Amount(e) == "~0" {
		return Each(nil, s.voltage)
	}
	return s
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// first names a row, with its own figures.
func first(set *finding.Set, at finding.Ranked, s Scale) string {
	r := set.Result
	if at.Code {
		return AppCode(r, at.Index, s.legible(r.AppCode.Rows[at.Index].Energy))
	}
	s = s.legible(r.Tasks[at.Index].Energy)
	return Task(r, at.Index, s) + callers(set, at.Index, s)
}

// callers names the method of the app that uses most of a task, with its own part.
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

// Basis says how far the figures of a comparison may be off by chance.
func Basis(r *analysis.Result) string {
	switch r.Chance.Basis {
	case analysis.FromRepeats:
		study := r.Repeats.Study
		return fmt.Sprintf("%s: %s of %d tested rows differ by more than chance (false discovery rate %s, intervals of %s).",
			upper(sides(&r.Subject, &r.Reference)), Count(study.Evident()), len(study.Tasks), Percent(repeats.Rate), level(study.Level))
	case analysis.FromSamples:
		return upper(sides(&r.Subject, &r.Reference)) + ": intervals follow from the numbers of samples, and small differences may be chance."
	case analysis.FromSetting:
		return fmt.Sprintf("%s: intervals follow from the stated noise of a run, %s.", upper(sides(&r.Subject, &r.Reference)), Percent(r.Chance.Noise))
	}
	return upper(sides(&r.Subject, &r.Reference)) + ": the noise of a run is assumed, and small differences may be chance."
}

// Doubt says why a row that costs more does not count; empty for no doubt.
func Doubt(d finding.Doubt) string {
	switch d {
	case finding.TwoKinds:
		return "the figures of the two runs do not compare"
	case finding.LittleInCommon:
		return "these runs have little in common"
	case finding.NotSure:
		return "it may have a counterpart"
	case finding.Chance:
		return "the difference may be chance"
	}
	return ""
}

// Interval writes where a saving lies: "12.3 mJ (8.1 to 15.9)", without an interval of one figure.
func Interval(saving units.Energy, of finding.Interval, s Scale) string {
	if of.Least == of.Most || of.Least == saving && of.Most == saving {
		return s.Energy(saving)
	}
	if s.unit == nil {
		s = In(nil, s.voltage, max(saving, -saving, units.Energy(math.Abs(float64(of.Most)))))
	}
	return fmt.Sprintf("%s (%s to %s)", s.Energy(saving), s.Amount(of.Least), s.Amount(of.Most))
}
