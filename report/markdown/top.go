package markdown

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Top writes a table of methods, classes, packages or libraries. For one method it also writes
// tables of its callers and callees.
func Top(w io.Writer, t *report.Top, o report.Options) error {
	p := &topPage{Top: t, scale: scaleOf(o, t.Subject, t.Reference), names: apart(t.Methods)}
	if t.Sandwich == nil {
		fmt.Fprintf(p, "**%s**; %s in %s. %s.\n", words.TopTitle(t.Group, t.Sort, p.scale.Noun()), p.scale.Noun(), p.scale.Unit(), words.TopLegend(t.Reference != nil))
	} else {
		fmt.Fprintf(p, "**%s**; %s in %s. %s.\n", literal(t.Rows[0].Method), p.scale.Noun(), p.scale.Unit(), words.TopLegend(t.Reference != nil))
	}
	if t.Spread != "" {
		fmt.Fprintf(p, "\n%s.\n", strings.ToUpper(t.Spread[:1])+t.Spread[1:])
	}
	p.uses()
	if t.Sandwich != nil {
		p.links("called by", t.Sandwich.Callers)
		p.links("calls", t.Sandwich.Callees)
	} else if note := t.Unlisted(p.scale); note != "" {
		fmt.Fprintf(p, "\n%s\n", note)
	}
	if notes := slices.Concat(t.Comparability, t.Warnings); len(notes) > 0 {
		p.WriteString("\n")
		for _, note := range notes {
			fmt.Fprintf(p, "- %s\n", escaped(note.Message))
		}
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// scaleOf returns the scale for one run, or for two if other is not nil.
func scaleOf(o report.Options, in report.Input, other *report.Input) words.Scale {
	unit := o.Unit
	if in.Unit == report.UnknownUnit || other != nil && other.Unit == report.UnknownUnit {
		plain := units.Plain
		unit = &plain
	}
	return words.ScaleFor(unit, o.Voltage, in.Energy)
}

// A topPage is the state of rendering a table of methods.
type topPage struct {
	*report.Top
	strings.Builder
	scale words.Scale
	names map[string]string
}

// apart returns distinct names of methods, by label.
func apart(methods report.Methods) map[string]string {
	labels := slices.Sorted(maps.Keys(methods))
	list := make([]name.Method, len(labels))
	for i, label := range labels {
		list[i] = methods[label]
	}
	names := make(map[string]string, len(labels))
	for i, short := range name.DistinctNames(list) {
		names[labels[i]] = short
	}
	return names
}

// owner describes the owner of a row.
func owner(name string, own bool) string {
	if own {
		return "own"
	}
	return cmp.Or(name, "–")
}

// uses writes the rows.
func (p *topPage) uses() {
	two := p.Reference != nil
	rows := table{{p.Group, "code", "self", "all"}}
	if two {
		rows = table{{p.Group, "code", "saving", "self", "there", "all", "there"}}
	}
	if p.Counts != "" {
		rows[0] = append(rows[0], p.Counts)
	}
	for _, r := range p.Rows {
		row := []string{literal(p.names[r.Method]), owner(r.Owner, r.Own)}
		counts := tally(r.Subject.Value(p.Counts))
		if two {
			row = append(row, p.scale.Amount(*r.ExclusiveSaving), p.scale.Amount(r.Subject.Exclusive), p.scale.Amount(r.Reference.Exclusive),
				p.scale.Amount(r.Subject.Inclusive), p.scale.Amount(r.Reference.Inclusive))
			counts += ":" + tally(r.Reference.Value(p.Counts))
		} else {
			row = append(row, p.scale.Amount(r.Subject.Exclusive), p.scale.Amount(r.Subject.Inclusive))
		}
		if p.Counts != "" {
			row = append(row, counts)
		}
		rows = append(rows, row)
	}
	rows.write(&p.Builder)
}

// links writes callers or callees.
func (p *topPage) links(title string, links []report.TopLink) {
	if len(links) == 0 {
		fmt.Fprintf(p, "\n%s nothing\n", title)
		return
	}
	two := p.Reference != nil
	rows := table{{title, "code", p.scale.Noun(), "share"}}
	if two {
		rows = table{{title, "code", "saving", p.scale.Noun(), "share", "there", "share"}}
	}
	for _, l := range links {
		row := []string{literal(p.names[l.Method]), owner(l.Owner, l.Own)}
		if two {
			row = append(row, p.scale.Amount(*l.Saving))
		}
		row = append(row, p.scale.Amount(l.Subject.Energy), words.Percent(l.Subject.Share))
		if two {
			row = append(row, p.scale.Amount(l.Reference.Energy), words.Percent(l.Reference.Share))
		}
		rows = append(rows, row)
	}
	rows.write(&p.Builder)
}
