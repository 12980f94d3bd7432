package text

import (
	"cmp"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Top writes methods by energy, or one method with its callers and callees.
func Top(w io.Writer, t *report.Top, o report.Options) error {
	p := newPage(o, t.Subject.Energy, t.Subject)
	p.methods = t.Methods
	if t.Reference == nil {
		p.oneInput(t.Subject)
	} else {
		p.run("subject", t.Subject)
		p.run("reference", *t.Reference)
	}
	if t.Spread != "" {
		p.prose("runs", p.faint, t.Spread)
	}
	p.notes("unlike", t.Comparability)
	p.notes("warning", t.Warnings)
	p.linef("")
	if t.Sandwich != nil {
		p.sandwich(t)
		return p.flush(w)
	}
	p.paragraph(p.faint, words.TopTitle(t.Group, t.Sort, p.scale.Noun())+"; "+p.measure())
	p.linef("%s", p.faint(words.TopLegend(t.Reference != nil)))
	p.linef("")
	names := make([]rowName, len(t.Rows))
	for i, row := range t.Rows {
		names[i] = rowName{row.Method, row.Own, p.rowBy(row)}
	}
	p.rows(t.Group, p.uses(t), names)
	if note := t.Unlisted(p.scale); note != "" {
		p.linef("")
		p.paragraph(p.faint, note)
	}
	return p.flush(w)
}

// run writes the path and the energy of a run.
func (p *page) run(side string, in report.Input) {
	p.linef("%s%s", p.faint(pad(side, 11)), p.fileAndEnergy(in))
}

// A rowName is the name of a row, and whether the row is the app's own code.
type rowName struct {
	method string
	own    bool
	// by describes the energy of components. It is empty if only the processor used energy.
	by string
}

// rowBy describes the energy of a row by component, in one run or both.
func (p *page) rowBy(row report.TopRow) string {
	here := p.componentEnergies(row.Subject.Components)
	if row.Reference == nil {
		return here
	}
	there := p.componentEnergies(row.Reference.Components)
	if here == "" && there == "" {
		return ""
	}
	return cmp.Or(here, "the processor") + "; there " + cmp.Or(there, "the processor")
}

// rows writes lines of figures, each followed by a name. The first line is the heading.
func (p *page) rows(group string, figures []string, names []rowName) {
	p.linef("%s", p.head(strings.TrimRight(figures[0]+group, " ")))
	apart := p.apart()
	for i, n := range names {
		name := cutLeft(clean(apart[n.method]), p.width-cells(figures[i+1]))
		if n.own {
			name = p.bold(name)
		}
		p.linef("%s%s", figures[i+1], name)
		p.energyParts(n.by, cells(figures[i+1]))
	}
}

// energyParts writes energies by component below a row. The text starts below the row's name, or
// further left if this leaves less than half of the width.
func (p *page) energyParts(by string, indent int) {
	if by != "" {
		indent = min(indent, p.width/2)
		for _, line := range twoLines(by, p.width-indent) {
			p.linef("%s%s", strings.Repeat(" ", indent), p.faint(line))
		}
	}
}

// twoLines breaks text into at most two lines of n cells, and cuts the rest.
func twoLines(s string, n int) []string {
	lines := wrap(s, n)
	if len(lines) > 2 {
		lines = []string{lines[0], cutWords(strings.Join(lines[1:], " "), n)}
	}
	return lines
}

// aligned formats rows as lines of equal width. The heading is the first line.
func aligned(heading table.Row, rows []table.Row) []string {
	t := table.NewWriter()
	t.SetStyle(table.Style{
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault},
		Options: table.OptionsNoBordersAndSeparators,
	})
	t.AppendHeader(heading)
	configs := make([]table.ColumnConfig, len(heading))
	for i := range configs {
		configs[i] = table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	t.SetColumnConfigs(configs)
	t.AppendRows(rows)
	return strings.Split(t.Render(), "\n")
}

// uses formats the figures of a list of methods. If there is space, it includes the shares of two
// runs and the calls.
func (p *page) uses(t *report.Top) []string {
	wide, two := p.width >= wideEnough, t.Reference != nil
	shares, tallies := !two || wide, t.Counts != "" && (!two || wide)
	heading := table.Row{}
	if two {
		heading = append(heading, "saving")
	}
	add := func(figure string) {
		heading = append(heading, figure)
		if shares {
			heading = append(heading, "share")
		}
		if two {
			heading = append(heading, "there")
		}
	}
	add("self")
	add("all")
	if tallies {
		heading = append(heading, t.Counts)
	}
	rows := make([]table.Row, len(t.Rows))
	for i, r := range t.Rows {
		var there report.TopUse
		row := table.Row{}
		if two {
			there = *r.Reference
			row = append(row, p.saving(*r.ExclusiveSaving))
		}
		use := func(here, there units.Energy, share float64) {
			row = append(row, p.amount(here))
			if shares {
				row = append(row, words.Percent(share))
			}
			if two {
				row = append(row, p.amount(there))
			}
		}
		use(r.Subject.Exclusive, there.Exclusive, r.Subject.ExclusiveShare)
		use(r.Subject.Inclusive, there.Inclusive, r.Subject.InclusiveShare)
		if tallies {
			row = append(row, p.tallies(t.Counts, r.Subject.Counts, there.Counts, two))
		}
		rows[i] = append(row, owner(r.Owner, r.Own))
	}
	return aligned(append(heading, owner("code", false)), rows)
}

// owner names the owner of a method in a fixed width.
func owner(name string, own bool) string {
	if own {
		name = "own"
	}
	return pad(cmp.Or(name, "–"), len("framework"))
}

// saving formats a saving, colored by its sign.
func (p *page) saving(e units.Energy) string {
	switch {
	case e > 0:
		return p.bad(p.amount(e))
	case e < 0:
		return p.good(p.amount(e))
	}
	return p.faint(p.amount(e))
}

// tallies formats the numbers of calls of a method, in both runs if there are two.
func (p *page) tallies(name string, here, there report.Counts, two bool) string {
	if !two {
		return tally(here.Value(name))
	}
	return tally(here.Value(name)) + ":" + tally(there.Value(name))
}

// sandwich writes one method between its callers and its callees.
func (p *page) sandwich(t *report.Top) {
	method := t.Rows[0]
	p.linef("%s", p.bold(p.short(method.Method)))
	p.linef("%s", p.faint(clean(method.Method)))
	p.linef("")
	p.linef("%s", p.faint(words.TopLegend(t.Reference != nil)))
	p.linef("")
	p.rows(t.Group, p.uses(t), []rowName{{method.Method, method.Own, p.rowBy(method)}})
	for _, part := range []struct {
		title string
		links []report.TopLink
	}{{"called by", t.Sandwich.Callers}, {"calls", t.Sandwich.Callees}} {
		p.linef("")
		if len(part.links) == 0 {
			p.linef("%s", p.bold(part.title+" nothing"))
			continue
		}
		p.linef("%s", p.bold(part.title)+p.faint(", with the share of its "+p.scale.Noun()))
		names := make([]rowName, len(part.links))
		for i, l := range part.links {
			names[i] = rowName{method: l.Method, own: l.Own}
		}
		p.rows(t.Group, p.links(t, part.links), names)
	}
}

// links formats the figures of callers or callees. If there is space, it includes the calls of two
// runs.
func (p *page) links(t *report.Top, links []report.TopLink) []string {
	two := t.Reference != nil
	tallies := t.Counts != "" && (!two || p.width >= wideEnough)
	heading := table.Row{p.scale.Noun(), "share"}
	if two {
		heading = table.Row{"saving", p.scale.Noun(), "share", "there", "share"}
	}
	if tallies {
		heading = append(heading, t.Counts)
	}
	rows := make([]table.Row, len(links))
	for i, l := range links {
		row := table.Row{p.amount(l.Subject.Energy), words.Percent(l.Subject.Share)}
		var there report.LinkUse
		if two {
			there = *l.Reference
			row = append(table.Row{p.saving(*l.Saving)}, row...)
			row = append(row, p.amount(there.Energy), words.Percent(there.Share))
		}
		if tallies {
			row = append(row, p.tallies(t.Counts, l.Subject.Counts, there.Counts, two))
		}
		rows[i] = append(row, owner(l.Owner, l.Own))
	}
	return aligned(append(heading, owner("code", false)), rows)
}
