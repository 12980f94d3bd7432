package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// wideEnough is the smallest width at which the table has all columns.
const wideEnough = 120

// ranking writes the table of tasks and app code. Below each row are its callers, its callback and
// its counterpart.
func (p *page) ranking(r *report.Report, nest bool) {
	wide := p.width >= wideEnough
	ranking := r.Ranking()
	rows := p.columns(r, ranking, wide)
	room := p.width - cells(rows[0])
	var legend []string
	for _, v := range []words.Verdict{words.OnlyHere, words.Perhaps, words.Dearer, words.Cheaper, words.Same, words.Unclear} {
		if v == words.Perhaps && r.Summary.Possible == 0 || v == words.Unclear && !slices.ContainsFunc(ranking, func(at finding.Ranked) bool { return r.Row(at).Verdict == v }) {
			continue
		}
		entry := v.Mark() + " " + v.Words()
		if v == words.Perhaps {
			entry += ", at most"
		}
		legend = append(legend, entry)
	}
	heading := "task"
	p.paragraph(p.faint, "Tasks, "+words.TaskOrder(r.Summary.LittleInCommon, r.Suspects())+"; "+p.measure()+", callees included")
	if len(r.AppCode) > 0 {
		heading = "task or app code"
		code := "the app's own code"
		switch {
		case slices.ContainsFunc(r.AppCode, func(c report.AppCode) bool { return c.Kind == "slice" }):
			code = "slices of the app"
		case slices.ContainsFunc(r.AppCode, func(c report.AppCode) bool { return c.Parts[0].Library != "" }):
			code = "code of the app and its libraries"
		}
		p.paragraph(p.faint, "Rows marked "+report.CodeMark+" are "+code+": their "+p.scale.Noun()+" is without callees")
	}
	if !wide {
		p.legend(legend...)
	}
	p.linef("")
	p.linef("%s", p.head(strings.TrimRight(rows[0]+cutRight(heading, room), " ")))
	p.distinctSteps = distinctSteps(r.Tasks)
	for _, l := range list(r.Tasks, ranking, nest) {
		row := ranking[l.row]
		if row.Code {
			c := r.AppCode[row.Index]
			p.linef("%s%s", rows[l.row+1], p.bold(cutLeft(p.codeName(c), room)))
			p.codeDetails(r, c, wide)
			continue
		}
		t := r.Tasks[row.Index]
		p.linef("%s%s%s", rows[l.row+1], l.indent(), p.named(t, room-cells(l.indent())))
		p.details(r, t, wide)
	}
}

// named formats the method of a task. A nested task also has the number of the outer one.
func (p *page) named(t report.Task, room int) string {
	if t.Outer == 0 {
		return p.bold(cutMethod(p.short(t.Method), room))
	}
	inside := ", " + words.Inside(t.Outer)
	return p.bold(cutMethod(p.short(t.Method), room-cells(inside))) + p.faint(inside)
}

// columns formats the figures of the ranking, one line per row after the heading. All lines have
// the same width.
func (p *page) columns(r *report.Report, ranking []finding.Ranked, wide bool) []string {
	t := table.NewWriter()
	t.SetStyle(table.Style{
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault},
		Options: table.OptionsNoBordersAndSeparators,
	})
	split := wide && slices.ContainsFunc(ranking, func(row finding.Ranked) bool { return r.Row(row).Split != nil })
	heading := table.Row{"#", "", words.DifferenceHeading(r.Summary.LittleInCommon)}
	if split {
		heading = append(heading, "more calls", "more per call")
	}
	heading = append(heading, "subject", "share", "reference")
	if wide {
		heading = append(heading, "share")
	}
	// Rows are the subject's tasks. If the subject has no counts, the reference's are not shown either.
	counted := slices.ContainsFunc(ranking, func(at finding.Ranked) bool { return r.Row(at).Counts.Value(r.Counts) > 0 })
	if counted {
		heading = append(heading, r.Counts)
	}
	t.AppendHeader(heading)
	configs := make([]table.ColumnConfig, len(heading))
	for i := range configs {
		configs[i] = table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	configs[1].Align = text.AlignLeft
	t.SetColumnConfigs(configs)
	for _, row := range ranking {
		f := r.Row(row)
		paint := p.painter(f.Verdict)
		mark := f.Verdict.Mark()
		if wide {
			mark = f.Verdict.Words()
		}
		cells := table.Row{f.Number, paint(mark), paint(words.Saving(f.Verdict, f.Saving, p.scale))}
		switch {
		case split && f.Split != nil:
			cells = append(cells, p.amount(f.Split.Calls), p.amount(f.Split.PerCall))
		case split:
			cells = append(cells, "–", "–")
		}
		reference, share, counts := "–", "–", tally(f.Counts.Value(r.Counts))+":–"
		if f.Matched {
			reference, share = p.amount(f.Peer), words.Percent(f.PeerShare)
			counts = tally(f.Counts.Value(r.Counts)) + ":" + tally(f.PeerCounts.Value(r.Counts))
		}
		cells = append(cells, p.amount(f.Energy), words.Percent(f.Share), reference)
		if wide {
			cells = append(cells, share)
		}
		if counted {
			cells = append(cells, counts)
		}
		t.AppendRow(cells)
	}
	return strings.Split(t.Render(), "\n")
}

// painter returns the color of a verdict.
func (p *page) painter(v words.Verdict) func(...any) string {
	switch v {
	case words.OnlyHere, words.Dearer:
		return p.bad
	case words.Perhaps:
		return p.note
	case words.Cheaper:
		return p.good
	}
	return p.faint
}

// tally formats a number of calls or samples in at most six characters, up to trillions. 0 means
// unknown.
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

// detail writes a line under a row.
func (p *page) detail(name, s string) { p.linef("    %s %s", p.faint(pad(name, 5)), s) }

// details writes the lines under a task's row.
func (p *page) details(r *report.Report, t report.Task, wide bool) {
	room := p.width - 10
	if callers := p.callers(r, t, room); callers != "" {
		p.detail("from", callers)
	}
	if t.Peer != nil && t.Peer.Match != "exact" {
		p.detail("there", p.peer(t, room))
		if message := t.Peer.Confidence.Message; message != "" {
			p.detail("match", cutWords(message, room))
		}
	}
	if t.Moved != "" {
		p.detail("moved", cutWords(strings.TrimPrefix(t.Moved, "moved "), room))
	}
	if m := t.PossiblePeer; m != nil {
		there := words.PossiblePeer("", m.Energy, p.scale)
		p.detail("there", words.PossiblePeer(cutMethod(p.short(m.Method), room-cells(there)), m.Energy, p.scale))
		p.detail("match", cutWords(m.Confidence.Message, room))
	}
	if t.Split != nil && !wide && t.Saving != 0 {
		p.detail("why", words.Split(t.Split.Calls, t.Split.PerCall, p.scale))
	}
	if t.Cause != "" {
		name := "why"
		for _, line := range wrap(clean(t.Cause), room) {
			p.detail(name, line)
			name = ""
		}
	}
	p.spentBy(t.Components, t.Peer, room)
	p.evidence(r, t.Saving, t.Evidence)
	if t.Suspect != nil {
		name := "fleet"
		for i, line := range wrap("suspect: "+clean(t.Suspect.Message), room) {
			if i == 0 {
				line = p.note("suspect") + strings.TrimPrefix(line, "suspect")
			}
			p.detail(name, line)
			name = ""
		}
	}
	p.detail("via", p.faint(p.callPath(r.Subject, t.Threads, t.Path, room, p.distinctSteps[t.ID])))
}

// spentBy writes the energy by component of a task and its counterpart. If both used only the
// processor, it writes nothing.
func (p *page) spentBy(here []report.Component, peer *report.Peer, room int) {
	parts := p.componentEnergies(here)
	if peer != nil {
		if there := p.componentEnergies(peer.Components); there != "" || parts != "" {
			parts = cmp.Or(parts, "the processor") + "; there " + cmp.Or(there, "the processor")
		}
	}
	if parts != "" {
		name := "by"
		for _, line := range twoLines(parts, room) {
			p.detail(name, line)
			name = ""
		}
	}
}

// evidence writes what repeated runs show about a row.
func (p *page) evidence(r *report.Report, saving units.Energy, e *report.Evidence) {
	switch {
	case e != nil:
		p.detail("runs", words.Estimate(saving, e.SavingLeast, e.SavingMost, e.Verdict, p.scale))
	case r.Repeats != nil:
		p.detail("runs", p.faint("not tested: too small a part of both runs"))
	}
}

// callers names the app methods that call a task, at most three and as many as fit. Developers look
// at these first.
func (p *page) callers(r *report.Report, t report.Task, room int) string {
	const most = 3
	list, shown := "", 0
	for i, c := range t.Callers {
		if i == most {
			break
		}
		more := ""
		if left := len(t.Callers) - i - 1; left > 0 {
			more = fmt.Sprintf(", +%d more", left)
		}
		// A developer can change the app's own method.
		at := c.Place
		if c.Own != nil {
			at = *c.Own
		}
		name := p.short(at.Method)
		often := ""
		if n := c.Value(r.Counts); n > 0 {
			often = " ×" + tally(n)
		}
		often = cutRight(often+p.through(c), room/2)
		where := place(at.File, at.At())
		if left := room - cells(often+more); cells(name+where) > left {
			if at.At() == 0 && inClass(name, at.File) {
				where = ""
			} else if where != "" {
				where = " " + cutLeft(where[1:], room/2)
			}
			name = cutLeft(name, left-cells(where))
		}
		s := name + where + often
		if i > 0 && cells(list)+2+cells(s)+cells(more) > room {
			break
		}
		if i > 0 {
			list += ", "
		}
		list += s
		shown++
	}
	if left := len(t.Callers) - shown; left > 0 {
		list += fmt.Sprintf(", +%d more", left)
	}
	return list
}

// place formats a file and line, such as " Feed.java:42", or "" if they are unknown.
func place(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return " " + clean(file)
	}
	return fmt.Sprintf(" %s:%d", clean(file), line)
}

// through names the library between the app's own method and the task, after a space. It returns ""
// for a direct call.
func (p *page) through(c report.Caller) string {
	switch {
	case c.Own == nil && c.Through != "":
		return " in " + clean(c.Through)
	case c.Own == nil || c.Own.Method == c.Method:
		return ""
	}
	return " via " + clean(words.Intermediary(c.Through, p.methods[c.Method].Owner()))
}

// inClass reports whether a file is named after the method's outer class, as in Feed.java for
// Feed.load.
func inClass(method, file string) bool {
	class, _, _ := strings.Cut(method, ".")
	class, _, _ = strings.Cut(class, "$")
	stem, _, _ := strings.Cut(file, ".")
	return class == stem
}

// peer names the counterpart of a task if it is not the same method under the same path.
func (p *page) peer(t report.Task, room int) string {
	how := t.Peer.How
	if t.Peer.Match == "path" {
		return how
	}
	how = ", " + how
	return cutMethod(p.short(t.Peer.Method), room-cells(how)) + how
}
