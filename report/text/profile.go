package text

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// maxThreads limits the threads, and the libraries, that are drawn.
const maxThreads = 10

// Profile writes the energy profile of a run. Bars show components, threads and libraries. A flat
// profile and a call graph follow, in gprof's layout.
func Profile(w io.Writer, r *report.Profile, o report.Options) error {
	o.Voltage = cmp.Or(o.Voltage, r.Voltage)
	p := newPage(o, r.Input.Energy, r.Input)
	p.methods = r.Methods
	p.oneInput(r.Input)
	if r.Battery != nil {
		p.prose("battery", plainText, words.Battery(r.Input.Energy, r.Battery.Share, r.Battery.Capacity, r.Voltage))
	}
	if len(r.Activities) > 0 {
		list := make([]string, len(r.Activities))
		for i, a := range r.Activities {
			list[i] = clean(words.Activity(a.Name, a.Minutes))
		}
		p.prose(words.Activities, plainText, strings.Join(list, ", "))
	}
	p.notes("warning", r.Warnings)
	p.apiCosts(r)
	p.batteryUse(r.BatteryUse)
	p.models(r.Models)
	p.energyCharts(r)
	p.rails(r.Rails)
	p.bundles(r.Bundles)
	if r.Empty() {
		return p.flush(w)
	}
	p.linef("")
	if r.By == "thread" || r.By == "process" {
		p.paragraph(p.bold, "By "+r.By+"; "+p.measure())
		p.bars(r, r.Rows, len(r.Rows), selfFigures, r.By)
	} else {
		p.flat(r)
	}
	if note := r.Unlisted(p.scale); note != "" {
		p.linef("")
		p.paragraph(p.faint, note)
	}
	p.graph(r)
	return p.flush(w)
}

// models compares the run under several power models.
func (p *page) models(list []report.ModelRun) {
	if len(list) == 0 {
		return
	}
	p.linef("")
	p.paragraph(p.bold, "By power model; the rest of this page is under "+clean(list[0].Name))
	for _, m := range list {
		text := p.energy(m.Energy)
		if m.Least < m.Most {
			text += fmt.Sprintf(" (%s to %s)", p.amount(m.Least), p.amount(m.Most))
		}
		var parts []string
		for _, c := range m.Components {
			parts = append(parts, clean(words.Component(c.Name))+" "+p.amount(c.Energy()))
		}
		text += ": " + strings.Join(parts, ", ")
		if m.Wasted > 0 {
			text += "; up to " + p.amount(m.Wasted) + " of it for nothing"
		}
		p.prose(clean(m.Name), plainText, text)
	}
}

// energyCharts draws the energy of components, threads and libraries.
func (p *page) energyCharts(r *report.Profile) {
	if len(r.Components) > 0 {
		p.linef("")
		p.paragraph(p.bold, "By component; "+p.measure())
		p.components(r)
		if r.IO != nil {
			p.paragraph(p.faint, words.InputOutput(r.IO.Share, r.IO.Routines, r.IO.AllRoutines))
		}
		for _, m := range r.Machines {
			states := make([]string, len(m.States))
			for i, s := range m.States {
				states[i] = fmt.Sprintf("%s %s (%s)", clean(s.Name), units.FormatTime(s.Time), p.amount(s.Energy))
			}
			did := words.Machine(m.Operations, states)
			if m.Range != "" {
				did += "; " + clean(m.Range)
			}
			p.prose(clean(m.Name), p.faint, did)
		}
	}
	if r.By != "thread" && len(r.Threads) > 1 {
		p.linef("")
		p.paragraph(p.bold, "By thread; "+p.measure())
		p.bars(r, r.Threads, maxThreads, selfFigures, "thread")
	}
	if r.By != "library" && len(r.Libraries) > 1 {
		p.linef("")
		p.paragraph(p.bold, "By library, callees included; "+p.measure())
		p.bars(r, r.Called(), maxThreads, totalFigures, "library")
	}
}

// selfFigures and totalFigures return what a bar shows of a row, without or with callees: energy,
// time, and energy by component.
func selfFigures(u *report.ProfileUse) (units.Energy, int64, []report.Component) {
	return u.Exclusive, u.ExclusiveTime, u.ExclusiveBy
}

func totalFigures(u *report.ProfileUse) (units.Energy, int64, []report.Component) {
	return u.Inclusive, u.InclusiveTime, u.InclusiveBy
}

// components draws the components of the run, with the energy of their tails.
func (p *page) components(r *report.Profile) {
	b := newBars(r.Components[0].Energy(), r.Components)
	rows := make([]table.Row, len(r.Components))
	wide := 0
	for _, c := range r.Components {
		wide = max(wide, cells(clean(words.Component(c.Name))))
	}
	part := func(e units.Energy) string {
		if e == 0 {
			return "–"
		}
		return p.amount(e)
	}
	rest := slices.ContainsFunc(r.Components, func(c report.Component) bool { return c.Rest != 0 })
	heading := table.Row{pad("component", wide), p.scale.Noun(), "share", "use", "tail"}
	if rest {
		heading = append(heading, "unattributed")
	}
	var own []units.Energy
	for i, c := range r.Components {
		rows[i] = table.Row{
			pad(clean(words.Component(c.Name)), max(wide, len("component"))), p.amount(c.Energy()), words.Share(c.Energy(), r.Input.Energy), part(c.Use), part(c.Tail),
		}
		if rest {
			rows[i] = append(rows[i], part(c.Rest))
		}
		own = append(own, c.Energy())
	}
	lines := aligned(heading, rows)
	p.linef("%s", p.head(strings.TrimRight(lines[0], " ")))
	for i, line := range lines[1:] {
		p.linef("%s%s", line, b.bar(r.Components[i].Energy(), r.Components[i:i+1]))
	}
	if note := words.Rounded(r.Input.Energy, own...); note != "" {
		p.linef("%s", p.faint(note))
	}
	p.legend(b.key(r.Components)...)
}

// bars draws the first rows with their components. The parameter list limits their number.
func (p *page) bars(r *report.Profile, rows []report.ProfileRow, list int, energyOf func(*report.ProfileUse) (units.Energy, int64, []report.Component), noun string) {
	shown := rows[:min(len(rows), list)]
	names := make([]string, len(shown))
	most, wide := units.Energy(1), len(noun)
	for i := range shown {
		e, _, _ := energyOf(&shown[i].ProfileUse)
		most = max(most, e)
		names[i] = clean(words.RowName(shown[i].Method))
		if c := shown[i].Category; c != "" {
			names[i] += " (" + c + ")"
		}
		wide = max(wide, cells(names[i]))
	}
	wide = min(wide, p.width*3/8)
	b := newBars(most, r.Components)
	figures := make([]table.Row, len(shown))
	for i := range shown {
		e, ns, _ := energyOf(&shown[i].ProfileUse)
		figures[i] = table.Row{p.amount(e), words.Share(e, r.Input.Energy)}
		if r.Clock != "" {
			figures[i] = append(figures[i], shownTime(ns))
		}
	}
	heading := table.Row{p.scale.Noun(), "share"}
	if r.Clock != "" {
		heading = append(heading, "time")
	}
	lines := aligned(heading, figures)
	p.linef("%s", p.head(pad(noun, wide)+"  "+strings.TrimRight(lines[0], " ")))
	for i := range shown {
		e, _, by := energyOf(&shown[i].ProfileUse)
		p.linef("%s  %s%s", pad(cutWords(names[i], wide), wide), lines[i+1], b.bar(e, by))
	}
	if more := len(rows) - len(shown); more > 0 {
		p.linef("%s", p.faint(words.Some(more, noun)+" more: --by "+noun+" lists all"))
	}
}

// shownTime formats a time for a column.
func shownTime(ns int64) string {
	if ns == 0 {
		return "–"
	}
	return units.FormatTime(ns)
}

// flat writes the flat profile.
func (p *page) flat(r *report.Profile) {
	p.paragraph(p.bold, words.ProfileTitle(r.By, r.Sort, p.scale.Noun())+"; "+p.measure())
	// On a narrow page, times that are proportional to energy are left out, to give names more
	// space.
	wide := p.width >= wideEnough
	times := r.Clock != "" && (wide || len(r.Components) > 0)
	clock := ""
	if times {
		clock = r.Clock
	}
	p.paragraph(p.faint, words.ProfileLegend(clock))
	heading := table.Row{"self", "share"}
	if times {
		heading = append(heading, "time")
	}
	heading = append(heading, "all", "share")
	if times && wide {
		heading = append(heading, "time")
	}
	if r.Counts != "" {
		heading = append(heading, r.Counts)
	}
	rows := make([]table.Row, len(r.Rows))
	for i := range r.Rows {
		u := &r.Rows[i]
		row := table.Row{p.amount(u.Exclusive), words.Percent(u.ExclusiveShare)}
		if times {
			row = append(row, shownTime(u.ExclusiveTime))
		}
		row = append(row, p.amount(u.Inclusive), words.Percent(u.InclusiveShare))
		if times && wide {
			row = append(row, shownTime(u.InclusiveTime))
		}
		if r.Counts != "" {
			row = append(row, timesCalled(u.Value(r.Counts), u.Recursive))
		}
		rows[i] = append(row, owner(u.Owner, u.Own))
	}
	lines := aligned(append(heading, owner("code", false)), rows)
	p.linef("%s", p.head(strings.TrimRight(lines[0]+r.By, " ")))
	apart := p.apart()
	for i := range r.Rows {
		u := &r.Rows[i]
		p.linef("%s%s", lines[i+1], p.inCycle(apart, u.Method, u.Cycle, u.Own, p.width-cells(lines[i+1])))
		p.energyParts(p.componentEnergies(u.InclusiveBy), cells(lines[i+1]))
	}
}

// timesCalled formats calls as gprof does: "5+2" for 5 calls from outside and 2 recursive calls.
func timesCalled(n int64, recursive *int64) string {
	if recursive == nil || *recursive == 0 {
		return tally(n)
	}
	return tally(n-*recursive) + "+" + tally(*recursive)
}

// inCycle formats a row's name and cycle, such as "load <cycle 1>", in at most room cells.
func (p *page) inCycle(apart map[string]string, method string, cycle int, own bool, room int) string {
	mark := ""
	if cycle > 0 {
		mark = " " + words.Cycle(cycle)
	}
	name := cutMethod(clean(cmp.Or(apart[method], method)), max(room-cells(mark), 8))
	if own {
		name = p.bold(name)
	}
	return name + p.faint(mark)
}

// componentEnergies formats the energy of each component. It returns "" if only the processor used
// energy.
func (p *page) componentEnergies(by []report.Component) string {
	if len(by) == 0 || len(by) == 1 && by[0].Name == finding.Processor && by[0].Tail == 0 && by[0].Rest == 0 {
		return ""
	}
	parts := make([]string, len(by))
	for i, c := range by {
		parts[i] = words.Drain(clean(c.Name), c.Use, c.Tail, c.Rest, c.Least, c.Most, p.scale)
	}
	return strings.Join(parts, ", ")
}

// maxEntries and maxLinks limit the call graph.
const maxEntries, maxLinks = 10, 5

// graph writes the call graph as gprof does: callers above each method, callees below.
func (p *page) graph(r *report.Profile) {
	if len(r.Graph) == 0 {
		return
	}
	number := make(map[string]int, len(r.Graph))
	for i, e := range r.Graph {
		number[r.Rows[e.Row].Method] = i + 1
	}
	p.linef("")
	p.paragraph(p.bold, "Call graph of these methods, sorted by "+p.scale.Noun()+" with callees; "+p.measure())
	p.linef("%s", p.faint("above a method: its callers; below it: its callees"))
	shown := r.Graph[:min(len(r.Graph), maxEntries)]
	g := &grapher{page: p, Profile: r, apart: p.apart(), number: number}
	for _, e := range shown {
		g.entry(&e)
	}
	lines := aligned(g.heading(), g.rows)
	p.linef("%s", p.head(strings.TrimRight(lines[0], " ")+"  "+r.By))
	for i, line := range lines[1:] {
		if g.first[i] && i > 0 {
			p.linef("")
		}
		indent := 2
		if g.main[i] {
			indent = 0
		}
		room := p.width - cells(line) - indent
		p.linef("%s%s%s", line, strings.Repeat(" ", indent), g.name(i, room))
	}
	if more := len(r.Graph) - len(shown); more > 0 {
		p.linef("")
		p.paragraph(p.faint, fmt.Sprintf("%s more are in --format json.", words.Some(more, "method")))
	}
	if len(r.Cycles) > 0 {
		p.linef("")
		p.paragraph(p.bold, "Cycles (methods that call each other), each as a whole; "+p.measure())
		for _, c := range r.Cycles[:min(len(r.Cycles), maxLinks)] {
			p.linef("  %s  self %s, all %s (%s), %s", c.Method, p.amount(c.Exclusive), p.amount(c.Inclusive), words.Percent(c.InclusiveShare), timesCalled(c.Value(r.Counts), c.Recursive))
		}
	}
}

// A grapher lays out a call graph.
type grapher struct {
	*page
	*report.Profile
	apart  map[string]string
	number map[string]int

	rows    []table.Row
	names   []report.GraphLink
	main    []bool // by row: the row is the entry's own
	first   []bool // by row: the row is the first of its entry
	omitted []string
}

func (g *grapher) heading() table.Row {
	row := table.Row{"share", "self", "all"}
	if g.Profile.Counts != "" {
		row = append(row, g.Profile.Counts)
	}
	return row
}

// add adds a row with its figures.
func (g *grapher) add(link report.GraphLink, share, times string, main, first bool) {
	row := table.Row{share, g.amount(link.Self), g.amount(link.All)}
	if g.Profile.Counts != "" {
		row = append(row, times)
	}
	g.rows, g.names = append(g.rows, row), append(g.names, link)
	g.main, g.first, g.omitted = append(g.main, main), append(g.first, first), append(g.omitted, "")
}

func (g *grapher) entry(e *report.GraphEntry) {
	u := &g.Profile.Rows[e.Row]
	begin := len(g.rows)
	g.links(e.Callers)
	g.add(report.GraphLink{Method: u.Method, Cycle: u.Cycle, Self: u.Exclusive, All: u.Inclusive},
		words.Percent(u.InclusiveShare), timesCalled(u.Value(g.Profile.Counts), u.Recursive), true, false)
	g.links(e.Callees)
	g.first[begin] = true
}

// links adds callers or callees, and the number of omitted ones.
func (g *grapher) links(links []report.GraphLink) {
	for _, l := range links[:min(len(links), maxLinks)] {
		times := tally(l.Value(g.Profile.Counts))
		if l.AllCalls != nil && l.Calls != nil {
			times += "/" + tally(*l.AllCalls)
		}
		g.add(l, "", times, false, false)
	}
	if len(links) <= maxLinks {
		return
	}
	var rest report.GraphLink
	for _, l := range links[maxLinks:] {
		rest.Self += l.Self
		rest.All += l.All
	}
	g.add(rest, "", "", false, false)
	g.omitted[len(g.omitted)-1] = fmt.Sprintf("%d more", len(links)-maxLinks)
}

// name formats the name of a row. If the method has an entry of its own, its number is added.
func (g *grapher) name(i, room int) string {
	if g.omitted[i] != "" {
		return g.faint(g.omitted[i])
	}
	link := &g.names[i]
	at := ""
	if n := g.number[link.Method]; n > 0 {
		at = fmt.Sprintf(" [%d]", n)
	}
	text := g.inCycle(g.apart, link.Method, link.Cycle, false, room-cells(at))
	if g.main[i] {
		text = g.bold(text)
	}
	return text + g.faint(at)
}
