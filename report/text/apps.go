package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// appCells is the largest width of an app's name in a cell, and minName the width on a narrow
// page.
const appCells, minName = 24, 10

// Apps writes the comparison of several apps by their common tasks.
func Apps(w io.Writer, g *report.AppGroup, o report.Options) error {
	most := g.MaxEnergy()
	p := newPage(o, most)
	p.scale = g.Scale(o)
	p.linef("%s, %s; %s (%s)", words.Some(len(g.Apps), "app"), words.Some(len(g.Pairs), "comparison"), p.measure(), strings.Join(g.EnergyFrom, ", "))
	p.linef("")
	p.appTable(g, most)
	p.linef("")
	p.overlaps(g)
	p.linef("")
	p.commonTasks(g)
	p.linef("")
	p.prose("runs", p.faint, g.Spread)
	for _, n := range g.Notes {
		p.prose("note", p.note, clean(n.Message))
	}
	for _, f := range g.Failures {
		p.linef("")
		p.paragraph(p.note, "left out: "+clean(f.Message))
	}
	return p.flush(w)
}

// appTable writes one row per app: its energy, and how many of its tasks 0, 1, 2, … other apps also
// have.
func (p *page) appTable(g *report.AppGroup, most units.Energy) {
	p.paragraph(p.faint, words.GroupTasks)
	p.linef("")
	shown := len(g.Apps)
	if shown > maxColumns {
		shown = maxColumns
	}
	heading := table.Row{p.scale.Noun(), "tasks"}
	for k := range shown {
		if k == maxColumns-1 && len(g.Apps) > maxColumns {
			heading = append(heading, fmt.Sprintf("%d+", k))
		} else {
			heading = append(heading, k)
		}
	}
	heading = append(heading, "unique", "0, equal paths")
	rows := make([]table.Row, len(g.Apps))
	for i, a := range g.Apps {
		row := table.Row{p.amount(a.Energy), words.Count(a.Tasks)}
		for k := range shown {
			n := a.SharedTasks[k]
			if k == maxColumns-1 {
				for _, more := range a.SharedTasks[k+1:] {
					n += more
				}
			}
			row = append(row, words.Count(n))
		}
		rows[i] = append(row, words.Percent(a.Share), words.Count(a.ExactShared[0]))
	}
	lines := aligned(heading, rows)
	names := p.appNames(g, max(p.width-cells(lines[0])-2, minName))
	bar := max(min(p.width-cells(names[0])-cells(lines[0])-2, 20), 0)
	p.linef("%s", p.head(pad("app", cells(names[0]))+"  "+lines[0]))
	for i, a := range g.Apps {
		drawn := ""
		if most > 0 {
			drawn = strings.Repeat("█", int(units.MulDiv(int64(a.Energy), int64(bar), int64(most))))
		}
		p.linef("%s  %s%s", names[i], lines[i+1], p.faint(drawn))
	}
}

// maxColumns is the largest number of other apps with a column of its own.
const maxColumns = 8

// appNames returns the apps' names, padded or cut to one width.
func (p *page) appNames(g *report.AppGroup, most int) []string {
	wide := cells("app")
	for _, a := range g.Apps {
		wide = max(wide, min(cells(clean(a.Name)), most, appCells))
	}
	names := make([]string, len(g.Apps))
	for i, a := range g.Apps {
		names[i] = pad(cutRight(clean(a.Name), wide), wide)
	}
	return names
}

// overlaps writes how much each pair of apps has in common: methods below the diagonal, tasks
// above.
func (p *page) overlaps(g *report.AppGroup) {
	p.paragraph(p.faint, words.GroupOverlap)
	p.linef("")
	names := p.appNames(g, appCells)
	const cell = 5
	fit := max((p.width-cells(names[0])-5)/cell, 1)
	for from := 0; from < len(g.Apps); from += fit {
		to := min(from+fit, len(g.Apps))
		var head strings.Builder
		fmt.Fprintf(&head, "%s     ", pad("", cells(names[0])))
		for j := from; j < to; j++ {
			fmt.Fprintf(&head, "%*d", cell, j+1)
		}
		p.linef("%s", p.head(head.String()))
		for i := range g.Apps {
			var line strings.Builder
			for j := from; j < to; j++ {
				text := ""
				if pair, ok := g.Pair(i, j); ok && j > i {
					text = fmt.Sprintf("%.0f%%", 100*pair.Tasks)
				} else if ok {
					text = fmt.Sprintf("%.0f%%", 100*pair.Methods)
				} else if i != j {
					text = "?"
				}
				fmt.Fprintf(&line, "%*s", cell, text)
			}
			p.linef("%4d %s%s", i+1, names[i], line.String())
		}
	}
}

// commonTasks writes the common tasks. Each has its method, what the other apps could save, and the
// energy of each app.
func (p *page) commonTasks(g *report.AppGroup) {
	if len(g.Tasks) == 0 {
		p.paragraph(p.faint, words.GroupNone)
		return
	}
	p.paragraph(p.faint, words.GroupTasksLegend)
	p.linef("")
	p.linef("%s", p.head(fmt.Sprintf("%10s  %s", "room", "task")))
	for _, d := range g.Tasks {
		under := " from " + clean(d.Under)
		p.linef("%10s  %s%s", p.amount(d.Saving), p.bold(cutLeft(clean(d.Short), p.width-12)), p.faint(cutRight(under, max(p.width-12-cells(clean(d.Short)), 0))))
		users := make([]string, len(d.Users))
		for i, u := range d.Users {
			users[i] = clean(g.Apps[u.App].Name) + " " + words.Spent(p.scale, u.Energy, u.Calls, d.PerCall, u.Verdict)
		}
		for _, line := range wrap(d.Ranked(users, " < "), p.width-12) {
			p.linef("%12s%s", "", line)
		}
	}
	if hidden := g.Total - len(g.Tasks); hidden > 0 {
		p.linef("")
		p.linef("%s", p.faint(words.Some(hidden, "task")+" more: --top 0 shows all."))
	}
	d := g.Tasks[0]
	first, last := g.Apps[d.Users[0].App], d.Users[len(d.Users)-1]
	p.linef("")
	p.paragraph(p.faint, "Call trees: diffprof flask --task "+last.Task+" "+clean(g.Apps[last.App].Path)+" "+clean(first.Path)+"; --format html shows all")
}
