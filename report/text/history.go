package text

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// History writes the entries of a history: one row per entry, optionally with its runs.
func History(w io.Writer, h *report.History, o report.Options) error {
	p := newPage(o, 0)
	p.scale = words.ScalePerFigure(o.Unit, o.Voltage)
	for _, k := range h.Known {
		p.linef("%s", clean(fmt.Sprintf("%s is already stored, as %s of %s.", k.Name, k.Run, k.Ref)))
	}
	switch {
	case h.New != nil && *h.New == 0:
		p.linef("Nothing was added.")
		return p.flush(w)
	case h.New != nil:
		p.linef("Added %s:", words.Some(*h.New, "run"))
	case h.Removed:
		p.linef("Removed:")
	case len(h.Entries) == 0:
		p.linef("The history has no such entry.")
		return p.flush(w)
	}
	if !h.Whole {
		p.entries(h.Entries, o)
		if h.Changed {
			p.paragraph(p.note, "The repository has changes that are not committed. If the recorded app has them, commit them first, or set --commit.")
		}
		return p.flush(w)
	}
	for i := range h.Entries {
		if i > 0 {
			p.linef("")
		}
		p.entry(&h.Entries[i], o)
	}
	return p.flush(w)
}

// entry writes an entry with its runs.
func (p *page) entry(e *report.HistoryEntry, o report.Options) {
	row := func(name, value string) {
		if value != "" {
			p.linef("%s%s", p.faint(pad(name, 11)), clean(value))
		}
	}
	row("entry", e.Ref)
	row("commit", e.Commit)
	row("parents", strings.Join(e.Parents, " "))
	row("time", e.Time.Format(time.DateTime)+" UTC")
	row("version", e.Version)
	row("app", e.App)
	row("device", e.Device)
	row("scenario", e.Scenario)
	if len(e.Runs) > 0 {
		first := &e.Runs[0]
		row("energy", p.ofEntry(e, o)+" ("+first.EnergyFrom+")")
		row("power", first.PowerSource)
		row("format", first.Format)
	}
	p.linef("")
	rows := []table.Row{{"energy", "CPU", "length", "contexts", "kept", "recorded"}}
	var names []string
	var kept, recorded int64
	for i := range e.Runs {
		r := &e.Runs[i]
		rows = append(rows, table.Row{
			p.unitless(r.Energy, r.Unit, o), duration(r.CPUTime), duration(r.WallTime), humanize.Comma(int64(r.Contexts)),
			humanize.IBytes(uint64(r.Kept)), humanize.IBytes(uint64(r.Recorded)),
		})
		names = append(names, r.Name)
		kept, recorded = kept+r.Kept, recorded+r.Recorded
	}
	p.lines(rows, "run", names)
	if kept > 0 && recorded > kept {
		p.linef("")
		p.linef("%s", p.faint(fmt.Sprintf("%s of %s: 1/%d of the size", humanize.IBytes(uint64(kept)), humanize.IBytes(uint64(recorded)), recorded/kept)))
	}
}

// duration formats a time in nanoseconds. 0 means unknown.
func duration(ns int64) string {
	if ns == 0 {
		return "-"
	}
	return units.FormatTime(ns)
}

// entries writes one row per entry. A column without any text is omitted.
func (p *page) entries(entries []report.HistoryEntry, o report.Options) {
	columns := []struct {
		head  string
		value func(*report.HistoryEntry) string
	}{
		{"entry", func(e *report.HistoryEntry) string { return e.Ref }},
		{"commit", func(e *report.HistoryEntry) string {
			if e.Commit == "" {
				return ""
			}
			return e.Name
		}},
		{"date", func(e *report.HistoryEntry) string { return e.Time.Format(time.DateOnly) }},
		{"version", func(e *report.HistoryEntry) string { return e.Version }},
		{"app", func(e *report.HistoryEntry) string { return e.App }},
		{"device", func(e *report.HistoryEntry) string { return e.Device }},
		{"runs", func(e *report.HistoryEntry) string { return fmt.Sprint(len(e.Runs)) }},
		{"energy", func(e *report.HistoryEntry) string { return p.ofEntry(e, o) }},
	}
	rows := make([]table.Row, len(entries)+1)
	var scenarios []string
	for _, c := range columns {
		used := false
		for i := range entries {
			used = used || c.value(&entries[i]) != ""
		}
		if !used {
			continue
		}
		rows[0] = append(rows[0], c.head)
		for i := range entries {
			value := clean(c.value(&entries[i]))
			if c.head != "energy" {
				value = cutRight(value, maxCells)
			}
			rows[i+1] = append(rows[i+1], value)
		}
	}
	all := ""
	for i := range entries {
		scenarios = append(scenarios, entries[i].Scenario)
		all += entries[i].Scenario
	}
	last := "scenario"
	if all == "" {
		last = ""
	}
	p.lines(rows, last, scenarios)
}

// maxCells is the largest width of names of devices, apps and versions.
const maxCells = 24

// lines writes rows, each followed by a name. The first row is the heading.
func (p *page) lines(rows []table.Row, head string, names []string) {
	t := table.NewWriter()
	t.SetStyle(table.Style{
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault},
		Options: table.OptionsNoBordersAndSeparators,
	})
	t.AppendHeader(rows[0])
	var configs []table.ColumnConfig
	for i, name := range rows[0] {
		if name != "entry" && name != "commit" && name != "date" && name != "version" && name != "app" && name != "device" {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	for _, row := range rows[1:] {
		t.AppendRow(row)
	}
	lines := strings.Split(t.Render(), "\n")
	p.linef("%s", p.head(strings.TrimRight(lines[0]+head, " ")))
	for i, name := range names {
		p.linef("%s%s", lines[i+1], cutRight(clean(name), max(p.width-cells(lines[i+1]), 8)))
	}
}

// ofEntry formats the energy of an entry: the median run, and the smallest and the largest run.
func (p *page) ofEntry(e *report.HistoryEntry, o report.Options) string {
	if len(e.Runs) == 0 {
		return ""
	}
	unit := e.Runs[0].Unit
	if e.Least == e.Most {
		return p.unitless(e.Energy, unit, o)
	}
	return fmt.Sprintf("%s (%s to %s)", p.unitless(e.Energy, unit, o), p.unitless(e.Least, unit, o), p.unitless(e.Most, unit, o))
}

// unitless formats an energy. If the file does not state its unit, it writes a plain number.
func (p *page) unitless(e units.Energy, unit string, o report.Options) string {
	if unit == report.UnknownUnit {
		return words.ScalePerFigure(new(units.Plain), o.Voltage).Energy(e)
	}
	return p.energy(e)
}
