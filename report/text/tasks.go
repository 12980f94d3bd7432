package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// wideEnough is the width from which the table has all of its columns.
const wideEnough = 120

// tasks writes the table of tasks: a row each, and under it where in the app the
// task is started, from which event, and what it was paired with.
func (p *page) tasks(r *report.Report) {
	wide := p.width >= wideEnough
	rows := p.columns(r, wide)
	room := p.width - cells(rows[0])
	var legend []string
	for _, v := range []words.Verdict{words.OnlyHere, words.Dearer, words.Cheaper, words.Same} {
		legend = append(legend, v.Mark()+" "+string(v))
	}
	p.paragraph(p.faint, "Tasks, most room for saving first; energy in "+p.scale.Unit()+" with what the task calls")
	if !wide {
		p.legend(legend...)
	}
	p.linef("")
	p.linef("%s", p.head(strings.TrimRight(rows[0]+"task", " ")))
	for i, t := range r.Tasks {
		p.linef("%s%s", rows[i+1], p.named(t, room))
		p.details(r, t, wide)
	}
}

// named writes the method of a task, and which task it lies inside of.
func (p *page) named(t report.Task, room int) string {
	if t.Outer == 0 {
		return p.bold(cutLeft(p.short(t.Method), room))
	}
	inside := ", " + words.Inside(t.Outer)
	return p.bold(cutLeft(p.short(t.Method), room-cells(inside))) + p.faint(inside)
}

// columns lays out the figures: the heading first, then a row for each task, all
// of equal width.
func (p *page) columns(r *report.Report, wide bool) []string {
	t := table.NewWriter()
	t.SetStyle(table.Style{
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault},
		Options: table.OptionsNoBordersAndSeparators,
	})
	split := wide && slices.ContainsFunc(r.Tasks, func(t report.Task) bool { return t.Split != nil })
	heading := table.Row{"#", "", "saving"}
	if split {
		heading = append(heading, "more calls", "dearer calls")
	}
	heading = append(heading, "subject", "share", "reference")
	if wide {
		heading = append(heading, "share")
	}
	if r.Counts != "" {
		heading = append(heading, r.Counts)
	}
	t.AppendHeader(heading)
	configs := make([]table.ColumnConfig, len(heading))
	for i := range configs {
		configs[i] = table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	configs[1].Align = text.AlignLeft
	t.SetColumnConfigs(configs)
	for i, task := range r.Tasks {
		verdict, paint := p.verdict(task)
		mark := verdict.Mark()
		reference, share, counts := "–", "–", tally(task.Of(r.Counts))+":–"
		if task.Peer != nil {
			reference, share = p.amount(task.Peer.Energy), words.Percent(task.Peer.Share)
			counts = tally(task.Of(r.Counts)) + ":" + tally(task.Peer.Of(r.Counts))
		}
		if wide {
			mark = string(verdict)
		}
		row := table.Row{i + 1, paint(mark), paint(p.amount(task.Saving))}
		switch {
		case split && task.Split != nil:
			row = append(row, p.amount(task.Split.Calls), p.amount(task.Split.PerCall))
		case split:
			row = append(row, "–", "–")
		}
		row = append(row, p.amount(task.Energy), words.Percent(task.Share), reference)
		if wide {
			row = append(row, share)
		}
		if r.Counts != "" {
			row = append(row, counts)
		}
		t.AppendRow(row)
	}
	return strings.Split(t.Render(), "\n")
}

// verdict says how the subject does on a task, with a colour.
func (p *page) verdict(t report.Task) (words.Verdict, func(...any) string) {
	verdict := words.VerdictOf(t.Peer != nil, t.Saving)
	switch verdict {
	case words.OnlyHere, words.Dearer:
		return verdict, p.bad
	case words.Cheaper:
		return verdict, p.good
	}
	return verdict, p.faint
}

// tally writes a number of calls or samples in five digits at most, up to
// trillions; 0 is one that is not known.
func tally(n int64) string {
	switch {
	case n == 0:
		return "–"
	case n < 100_000:
		return words.Count(n)
	case n < 10_000_000:
		return words.Count(n/1000) + "k"
	case n < 10_000_000_000:
		return words.Count(n/1_000_000) + "M"
	default:
		return words.Count(n/1_000_000_000) + "G"
	}
}

// details writes the lines under a task's row.
func (p *page) details(r *report.Report, t report.Task, wide bool) {
	line := func(name, s string) {
		p.linef("    %s %s", p.faint(pad(name, 5)), s)
	}
	room := p.width - 10
	if callers := p.callers(r, t, room); callers != "" {
		line("from", callers)
	}
	if t.Peer != nil && t.Peer.Match != "exact" {
		line("there", p.peer(t, room))
	}
	if t.Split != nil && !wide && t.Saving != 0 {
		line("why", p.why(*t.Split))
	}
	line("via", p.faint(p.via(r.Subject, t.Threads, t.Path, room)))
}

// callers writes the methods of the app that start a task, as many as fit and at
// most three: what a developer opens first.
func (p *page) callers(r *report.Report, t report.Task, room int) string {
	const most = 3
	said, shown := "", 0
	for i, c := range t.Callers {
		if i == most {
			break
		}
		more := ""
		if left := len(t.Callers) - i - 1; left > 0 {
			more = fmt.Sprintf(", +%d more", left)
		}
		name := p.short(c.Method)
		often := ""
		if n := c.Of(r.Counts); n > 0 {
			often = " ×" + tally(n)
		}
		where := place(c)
		if left := room - cells(often+more); cells(name+where) > left {
			if c.Line == 0 && inClass(name, c.File) {
				where = ""
			} else if where != "" {
				where = " " + cutLeft(where[1:], room/2)
			}
			name = cutLeft(name, left-cells(where))
		}
		s := name + where + often
		if i > 0 && cells(said)+2+cells(s)+cells(more) > room {
			break
		}
		if i > 0 {
			said += ", "
		}
		said += s
		shown++
	}
	if left := len(t.Callers) - shown; left > 0 {
		said += fmt.Sprintf(", +%d more", left)
	}
	return said
}

// place says where a caller is declared, after a blank; empty if nobody knows.
func place(c report.Caller) string {
	switch {
	case c.File == "":
		return ""
	case c.Line == 0:
		return " " + clean(c.File)
	}
	return fmt.Sprintf(" %s:%d", clean(c.File), c.Line)
}

// inClass reports whether a method's short name tells its file: that of its outer class.
func inClass(method, file string) bool {
	class, _, _ := strings.Cut(method, ".")
	class, _, _ = strings.Cut(class, "$")
	stem, _, _ := strings.Cut(file, ".")
	return class == stem
}

// why puts a split into words, without a part that is nothing.
func (p *page) why(s report.Split) string {
	var parts []string
	add := func(e units.Energy, more, fewer string) {
		switch {
		case e > 0:
			parts = append(parts, p.energy(e)+" for "+more)
		case e < 0:
			parts = append(parts, p.energy(e)+" for "+fewer)
		}
	}
	add(s.Calls, "more calls", "fewer calls")
	add(s.PerCall, "dearer calls", "cheaper calls")
	return strings.Join(parts, ", ")
}

// peer says what a task was paired with where that is not the same method under
// the same path.
func (p *page) peer(t report.Task, room int) string {
	how := words.Match(t.Peer.Match, t.Peer.Distance)
	if t.Peer.Match == "path" {
		return how
	}
	how = ", " + how
	return cutLeft(p.short(t.Peer.Method), room-cells(how)) + how
}

// via writes a path below the root, after the thread that it is of where the run has
// several.
func (p *page) via(in report.Input, threads, path []string, room int) string {
	if len(path) < 2 {
		return p.short(path[0])
	}
	var names []string
	if in.Threads > 1 && len(threads) > 0 {
		const most = 20
		name := cutLeft(cmp.Or(clean(threads[0]), "unnamed"), most)
		if more := len(threads) - 1; more > 0 {
			name += fmt.Sprintf(" +%d", more)
		}
		names = append(names, "["+name+"]")
	}
	for _, label := range path[1:] {
		names = append(names, p.short(label))
	}
	return steps(names, room)
}

// steps writes all steps of a path, or the first and as many of the last as fit:
// the callback and what led to it.
func steps(names []string, room int) string {
	const arrow, gap = " › ", "… › "
	first, last := names[0], len(names)-1
	left := room - cells(first)
	from := last + 1
	for ; from > 1; from-- {
		left -= cells(arrow) + cells(names[from-1])
		// All but the last step to be added needs room for the gap too.
		if left < 0 || (from > 2 && left < cells(gap)) {
			break
		}
	}
	switch {
	case from <= 1:
		return cutLeft(strings.Join(names, arrow), room)
	case from > last:
		return cutLeft(names[last], room)
	default:
		return first + arrow + gap + strings.Join(names[from:], arrow)
	}
}
