package text

import (
	"cmp"
	"fmt"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// totals writes how both runs' energy breaks down, and how many rows are omitted.
func (p *page) totals(r *report.Report) {
	p.linef("")
	p.portions(r)
	tasks, code, rest := r.Omitted()
	if r.GroupedBy == "" && (tasks > 0 || code > 0) {
		p.linef("")
		p.paragraph(p.faint, fmt.Sprintf("%s more, %s in all: --top 0 shows all.", words.Rows(tasks, code), p.energy(rest)))
	}
}

// portions writes the breakdown of both runs' energy.
func (p *page) portions(r *report.Report) {
	subject, reference := r.Subject.Energy, r.Reference.Energy
	total := report.Portion{Name: "total", Subject: subject, Reference: reference}
	list := r.Portions()
	wide := 1
	var here, there []units.Energy
	for _, part := range append(list, total) {
		wide = max(wide, len(p.amount(part.Subject)), len(p.amount(part.Reference)))
	}
	p.paragraph(p.bold, "Where the "+p.scale.Noun()+" went, each part counted once, in "+p.scale.Unit())
	const name = 23
	p.linef("%s", p.faint(fmt.Sprintf("  %s %*s  %*s", pad("", name), wide+8, "subject", wide+8, "reference")))
	line := func(part report.Portion) string {
		text := part.Name
		if part.Inner {
			text = "  " + text
		}
		return fmt.Sprintf("  %s %*s  %6s  %*s  %6s", pad(text, name), wide, p.amount(part.Subject), words.Share(part.Subject, subject),
			wide, p.amount(part.Reference), words.Share(part.Reference, reference))
	}
	for _, part := range list {
		if !part.Inner {
			here, there = append(here, part.Subject), append(there, part.Reference)
		}
		p.linef("%s", line(part))
	}
	whole := line(total)
	if note := cmp.Or(words.Rounded(subject, here...), words.Rounded(reference, there...)); note != "" {
		whole += "  " + p.faint(note)
	}
	p.linef("%s", whole)
}

// A part is a named part of a total.
type part struct {
	name   string
	energy units.Energy
}

// parts writes a breakdown of total.
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
