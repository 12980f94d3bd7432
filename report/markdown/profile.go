package markdown

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// maxThreads is the largest number of listed threads, and of listed libraries.
const maxThreads = 10

// Profile writes the energy of a run in tables of components, of threads, of libraries and of
// methods.
func Profile(w io.Writer, d *report.Document, o report.Options) error {
	r := d.Profile
	o.Voltage = cmp.Or(o.Voltage, r.Voltage)
	p := &profilePage{Profile: r, scale: scaleOf(o, r.Input, nil), names: apart(r.Methods)}
	fmt.Fprintf(p, "**%s**%s: %s (%s)", literal(words.Name(r.Input.Path)), words.MeanOf(r.Input.Runs), p.scale.Range(r.Input.LeastApart(), r.Input.Energy), escaped(r.Input.EnergyFrom))
	if r.Battery != nil {
		fmt.Fprintf(p, ", %s", words.Battery(r.Input.Energy, r.Battery.Share, r.Battery.Capacity, r.Voltage))
	}
	p.WriteString(".\n")
	p.apiCosts()
	p.batteryUse()
	if len(r.Components) > 0 {
		p.components()
	}
	wastes(&p.Builder, d.Input, p.scale, func(m name.Method) string { return link(d.Input, o.Root, o.Links, m, name.Method{}) })
	if r.By != "thread" && len(r.Threads) > 1 {
		p.rows("thread", r.Threads, func(u *report.ProfileUse) (units.Energy, []report.Component) { return u.Exclusive, u.ExclusiveBy })
	}
	if r.By != "library" && len(r.Libraries) > 1 {
		p.rows("library", r.Called(), func(u *report.ProfileUse) (units.Energy, []report.Component) { return u.Inclusive, u.InclusiveBy })
	}
	if !r.Empty() {
		p.flat()
	}
	for i, note := range r.Warnings {
		if i == 0 {
			p.WriteString("\n")
		}
		fmt.Fprintf(p, "- %s\n", escaped(note.Message))
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// A profilePage is the state of rendering a profile.
type profilePage struct {
	*report.Profile
	strings.Builder
	scale words.Scale
	names map[string]string
}

// components writes the energy of the run by component.
func (p *profilePage) components() {
	rows := table{{"component", p.scale.Noun() + ", " + p.scale.Unit(), "share", "use", "tail", "unattributed"}}
	for _, c := range p.Components {
		rows = append(rows, []string{
			escaped(words.Component(c.Name)), p.scale.Amount(c.Energy()), words.Share(c.Energy(), p.Input.Energy),
			p.scale.Amount(c.Use), p.scale.Amount(c.Tail), p.scale.Amount(c.Rest),
		})
	}
	rows.write(&p.Builder)
	if p.IO != nil {
		fmt.Fprintf(p, "\n%s.\n", words.InputOutput(p.IO.Share, p.IO.Routines, p.IO.AllRoutines))
	}
}

// rows writes the energy of the run by thread or by library.
func (p *profilePage) rows(noun string, list []report.ProfileRow, figures func(*report.ProfileUse) (units.Energy, []report.Component)) {
	rows := table{{noun, p.scale.Noun() + ", " + p.scale.Unit(), "share"}}
	if len(p.Components) > 0 {
		rows[0] = append(rows[0], "by component")
	}
	for i := range list[:min(len(list), maxThreads)] {
		e, by := figures(&list[i].ProfileUse)
		name := literal(words.RowName(list[i].Method))
		if c := list[i].Category; c != "" {
			name += " (" + c + ")"
		}
		row := []string{name, p.scale.Amount(e), words.Share(e, p.Input.Energy)}
		if len(p.Components) > 0 {
			row = append(row, p.energyParts(by))
		}
		rows = append(rows, row)
	}
	rows.write(&p.Builder)
	if more := len(list) - maxThreads; more > 0 {
		fmt.Fprintf(p, "\n%s more.\n", words.Some(more, noun))
	}
}

// energyParts formats the energy of components.
func (p *profilePage) energyParts(list []report.Component) string {
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = escaped(words.Drain(c.Name, c.Use, c.Tail, c.Rest, c.Least, c.Most, p.scale))
	}
	return strings.Join(parts, ", ")
}

// flat writes the flat profile.
func (p *profilePage) flat() {
	fmt.Fprintf(p, "\n**%s**; %s in %s. %s.\n", words.ProfileTitle(p.By, p.Sort, p.scale.Noun()), p.scale.Noun(), p.scale.Unit(), words.ProfileLegend(p.Clock))
	rows := table{{p.By, "code", "self", "share", "all", "share"}}
	if p.Clock != "" {
		rows[0] = append(rows[0], "time")
	}
	if p.Counts != "" {
		rows[0] = append(rows[0], p.Counts)
	}
	if len(p.Components) > 0 {
		rows[0] = append(rows[0], "all by component")
	}
	for i := range p.Rows {
		u := &p.Rows[i]
		name := literal(cmp.Or(p.names[u.Method], u.Method))
		if u.Cycle > 0 {
			name += " " + escaped(words.Cycle(u.Cycle))
		}
		row := []string{
			name, owner(u.Owner, u.Own), p.scale.Amount(u.Exclusive), words.Percent(u.ExclusiveShare),
			p.scale.Amount(u.Inclusive), words.Percent(u.InclusiveShare),
		}
		if p.Clock != "" {
			row = append(row, units.FormatTime(u.ExclusiveTime))
		}
		if p.Counts != "" {
			row = append(row, tally(u.Value(p.Counts)))
		}
		if len(p.Components) > 0 {
			row = append(row, p.energyParts(u.InclusiveBy))
		}
		rows = append(rows, row)
	}
	rows.write(&p.Builder)
	if note := p.Unlisted(p.scale); note != "" {
		fmt.Fprintf(p, "\n%s\n", note)
	}
}
