package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// totals says where the energy of both runs went, and what was not shown.
func (p *page) totals(r *report.Report) {
	s, there := r.Summary, r.Summary.Reference
	p.linef("")
	p.sides("Where the "+p.scale.Noun()+" went, each part counted once, in "+p.scale.Unit(), r.Subject.Energy, r.Reference.Energy, []sides{
		{words.Some(s.Unmatched, "task") + " only here", s.UnmatchedEnergy, 0, false},
		{words.Some(there.Unmatched, "task") + " only there", 0, there.UnmatchedEnergy, false},
		{words.Some(s.Matched, "task") + " in both", s.MatchedEnergy, there.MatchedEnergy, false},
		{"outside of tasks", s.OutsideTasksEnergy, there.OutsideTasksEnergy, false},
		{words.OutsideAppCode, s.Outside.AppCode, there.Outside.AppCode, true},
		{words.OutsideSystem, s.Outside.System, there.Outside.System, true},
		{words.OutsideRecorder, s.Outside.Recorder, there.Outside.Recorder, true},
		{words.OutsideToplevel, s.Outside.Toplevel, there.Outside.Toplevel, true},
	})
	tasks, code := s.Tasks-len(r.Tasks)-r.Ignored, s.AppCode.Rows-len(r.AppCode)-r.IgnoredCode
	if r.GroupedBy == "" && (tasks > 0 || code > 0) {
		rest := s.MatchedEnergy + s.UnmatchedEnergy + s.AppCode.Own
		for _, t := range r.Tasks {
			rest -= t.Own
		}
		for _, c := range r.AppCode {
			rest -= c.Own
		}
		var more []string
		if tasks > 0 {
			more = append(more, words.Some(tasks, "task"))
		}
		if code > 0 {
			more = append(more, words.Some(code, "row")+" of app code")
		}
		p.linef("")
		p.paragraph(p.faint, fmt.Sprintf("%s more, %s between them: --top 0 shows all.", strings.Join(more, " and "), p.energy(rest)))
	}
}

// A sides is what of the totals of both runs something drained; an inner one is of the one above.
type sides struct {
	name               string
	subject, reference units.Energy
	inner              bool
}

// sides writes what two totals are made of. Inner parts of nothing are left out.
func (p *page) sides(title string, subject, reference units.Energy, parts []sides) {
	wide := 1
	var here, there []units.Energy
	for _, part := range append(parts, sides{"total", subject, reference, false}) {
		wide = max(wide, len(p.amount(part.subject)), len(p.amount(part.reference)))
	}
	for _, part := range parts {
		if !part.inner {
			here, there = append(here, part.subject), append(there, part.reference)
		}
	}
	p.paragraph(p.bold, title)
	const name = 23
	p.linef("%s", p.faint(fmt.Sprintf("  %s %*s  %*s", pad("", name), wide+8, "subject", wide+8, "reference")))
	line := func(part sides) string {
		text := part.name
		if part.inner {
			text = "  " + text
		}
		return fmt.Sprintf("  %s %*s  %6s  %*s  %6s", pad(text, name), wide, p.amount(part.subject), words.Share(part.subject, subject),
			wide, p.amount(part.reference), words.Share(part.reference, reference))
	}
	for _, part := range parts {
		if !part.inner || part.subject != 0 || part.reference != 0 {
			p.linef("%s", line(part))
		}
	}
	whole := line(sides{"total", subject, reference, false})
	if note := cmp.Or(words.Rounded(subject, here...), words.Rounded(reference, there...)); note != "" {
		whole += "  " + p.faint(note)
	}
	p.linef("%s", whole)
}

// A part is what of a total something drained.
type part struct {
	name   string
	energy units.Energy
}

// parts writes what a total is made of.
func (p *page) parts(title string, total units.Energy, parts []part) {
	wide := len(p.amount(total))
	energies := make([]units.Energy, len(parts))
	for i, part := range parts {
		energies[i] = part.energy
		wide = max(wide, len(p.amount(part.energy)))
	}
	p.paragraph(p.bold, title)
	line := func(name string, e units.Energy) string {
		return fmt.Sprintf("  %s %*s  %6s", pad(name, 24), wide, p.amount(e), words.Share(e, total))
	}
	for _, part := range parts {
		p.linef("%s", line(part.name, part.energy))
	}
	whole := line("total", total)
	if note := words.Rounded(total, energies...); note != "" {
		whole += "  " + p.faint(note)
	}
	p.linef("%s", whole)
}
