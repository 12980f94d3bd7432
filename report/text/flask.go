package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Flasks writes the call trees of a task in both runs, side by side: the subject on the left, the
// reference on the right. A sign before each row says whether its methods match.
func Flasks(w io.Writer, d *report.Document, o report.Options) error {
	r, f := d.Report, d.Flask
	if o.Voltage == 0 {
		o.Voltage = r.Voltage
	}
	root := slices.Index(f.Rows.Part, 1)
	p := &flasks{page: newPage(o, max(f.Rows.SubjectEnergy[root], f.Rows.ReferenceEnergy[root]), r.Subject, r.Reference), f: f, root: root}
	p.methods = r.Methods
	p.inputLines(r)
	if d.View == report.OneTask {
		p.about(r, &r.Tasks[0])
		if message := r.SuspectOf(r.Tasks[0].Suspect); message != "" {
			p.prose("fleet", p.note, clean(message))
		}
	}
	if f.Why != nil {
		p.prose("why", p.faint, clean(f.Why.Text))
	}
	p.linef("")
	p.body()
	p.linef("")
	p.legend("= matched", "~ matched, another method", "+ subject only", "- reference only")
	p.paragraph(p.faint, p.measure()+", callees included")
	return p.flush(w)
}

// flasks is the state of writing a Flask to a page.
type flasks struct {
	*page
	f *report.Flask
	// root is the index of the row of the task's method.
	root int
}

// inputLines names the two runs.
func (p *flasks) inputLines(r *report.Report) {
	row := func(name string, in report.Input) {
		p.linef("%s%s", p.faint(pad(name, 11)), p.fileAndEnergy(in))
	}
	row("subject", r.Subject)
	row("reference", r.Reference)
}

// about writes the properties of the task.
func (p *flasks) about(r *report.Report, t *report.Task) {
	row := func(name, value string) { p.linef("%s%s", p.faint(pad(name, 11)), value) }
	room := p.width - 11
	verdict := t.Verdict
	paint, word := p.painter(verdict), verdict.Words()
	saving := ""
	if t.Saving != 0 {
		saving = ": " + p.energy(t.Saving)
	}
	row("task", p.bold(cutLeft(p.short(t.Method), room-cells(word+saving)-20))+p.faint(" "+t.ID)+" "+paint(word+saving))
	if t.Outer > 0 {
		row("place", words.Inside(t.Outer)+p.faint(" "+*t.Inside))
	}
	if took := taskTimes(t); took != "" {
		row("time", took)
	}
	here := p.callPath(r.Subject, t.Threads, t.Path, room, 0)
	row("via", p.faint(here))
	if t.Peer != nil {
		if there := p.callPath(r.Reference, t.Peer.Threads, t.Peer.Path, room, 0); there != here {
			row("there", p.faint(there))
		}
	}
	if callers := p.callers(r, *t, room); callers != "" {
		row("from", callers)
	}
}

// taskTimes formats the times of a task on both sides, by the clocks of the recordings. It returns
// "" without clocks.
func taskTimes(t *report.Task) string {
	var parts []string
	orNone := func(ns int64) string {
		if ns == 0 {
			return "–"
		}
		return units.FormatTime(ns)
	}
	add := func(clock string, here, there int64) {
		switch {
		case here == 0 && there == 0:
		case t.Peer == nil:
			parts = append(parts, clock+" "+units.FormatTime(here))
		default:
			parts = append(parts, fmt.Sprintf("%s %s here, %s there", clock, orNone(here), orNone(there)))
		}
	}
	var peer report.Peer
	if t.Peer != nil {
		peer = *t.Peer
	}
	add("CPU", t.CPUTime, peer.CPUTime)
	add("wall", t.WallTime, peer.WallTime)
	return strings.Join(parts, "; ")
}

// body writes the rows from the task's method on. A wide page shows two trees. A narrow page shows
// one tree with the figures of both runs.
func (p *flasks) body() {
	list, rows := p.lines()
	wide := p.width >= wideEnough
	half := (p.width - 3) / 2
	c := &p.f.Rows
	subjects := column{p, "subject", p.f.SubjectTime, c.SubjectEnergy, c.SubjectCalls, c.SubjectTime}
	references := column{p, "ref.", p.f.ReferenceTime, c.ReferenceEnergy, c.ReferenceCalls, c.ReferenceTime}
	if p.f.Counts == "samples" {
		subjects.counts, references.counts = c.SubjectSamples, c.ReferenceSamples
	}
	if wide {
		p.linef("  %s %s", p.head(pad(subjects.head()+"method", half)), p.head(references.head()+"method"))
	} else {
		p.linef("  %s", p.head(subjects.head()+references.head()+"method"))
	}
	names := p.names(list, rows)
	for i, mark := range marks(list) {
		at := rows[i]
		sign, paint := p.sign(c.Status[at])
		left, right := subjects.row(at), references.row(at)
		subject, reference := p.sides(at)
		here, there := names[subject].text, names[reference].text
		if list[i].omitted {
			sign, paint = " ", p.faint
			left, right = subjects.figures(orBlank(c.PrunedSubject[at]), -1, 0), references.figures(orBlank(c.PrunedReference[at]), -1, 0)
			more := "… " + words.Some(list[i].Pruned, "row") + " more"
			here, there = more, more
			if wide && c.PrunedReference[at] == 0 {
				there = ""
			} else if wide && c.PrunedSubject[at] == 0 {
				here = ""
			}
		} else if c.Kind[at] == appKind {
			inner := paint
			paint = func(a ...any) string { return p.bold(inner(a...)) }
		}
		room := half - cells(left)
		if !wide {
			room = p.width - 2 - cells(left) - cells(right)
		}
		// The end of a deep branch is the part that matters, so cut the left side.
		mark = cutLeft(mark, room*2/3)
		room -= cells(mark)
		if wide {
			if here != "" {
				left += p.faint(mark) + paint(names[subject].cut(here, room))
			}
			left = pad(left, half)
			if there != "" {
				right += p.faint(mark) + paint(names[reference].cut(there, room))
			}
			p.linef("%s %s %s", paint(sign), left, right)
		} else {
			text := names[subject].cut(here, room)
			if here == "" {
				text = names[reference].cut(there, room)
			} else if there != "" && there != here {
				// Each name gets at least half of the space.
				const tilde = " ~ "
				left := room - len(tilde)
				text = names[subject].cut(here, max(left/2, left-cells(there))) + tilde
				text += names[reference].cut(there, room-cells(text))
			}
			p.linef("%s %s%s%s%s", paint(sign), left, right, p.faint(mark), paint(text))
		}
	}
}

// appKind is the value of Rows.Kind for app methods.
const appKind = 2

// A column has the figures of one run.
type column struct {
	p           *flasks
	name, clock string
	energy      []units.Energy
	// counts has calls or samples, as Flask.Counts says. It is nil if this run has neither.
	counts, time []int64
}

// minTimesWidth is the smallest width at which times are shown.
const minTimesWidth = 140

// timed reports whether the side's times are shown.
func (c *column) timed() bool { return c.p.width >= minTimesWidth && c.clock != "none" }

func (c *column) head() string {
	return c.write(c.name, map[string]string{"cpu-time": "CPU", "wall-time": "wall"}[c.clock], c.p.f.Counts)
}

func (c *column) row(at int) string {
	n := int64(0)
	if c.counts != nil {
		n = c.counts[at]
	}
	return c.figures(c.energy[at], c.time[at], n)
}

// figures formats the figures of a row. A figure below 0 and a count of 0 are left blank.
func (c *column) figures(e units.Energy, ns, n int64) string {
	energy, time, count := "", "", ""
	if e >= 0 {
		energy = c.p.amount(e)
	}
	if ns >= 0 {
		time = units.FormatTime(ns)
	}
	if n > 0 {
		count = tally(n)
	}
	return c.write(energy, time, count)
}

func (c *column) write(energy, time, count string) string {
	line := fmt.Sprintf("%7s  ", energy)
	if c.timed() {
		line += fmt.Sprintf("%7s  ", time)
	}
	if name := c.p.f.Counts; name != "" {
		line += fmt.Sprintf("%*s  ", max(5, len(name)), count)
	}
	return line
}

// orBlank returns -1, which is shown blank, for an energy of 0.
func orBlank(e units.Energy) units.Energy {
	if e == 0 {
		return -1
	}
	return e
}

// sides returns the labels of a row in both runs, as indices. An index is -1 if a run lacks the
// row.
func (p *flasks) sides(at int) (subject, reference int) {
	c := &p.f.Rows
	subject, reference = -1, -1
	if c.SubjectNode[at] >= 0 {
		subject = c.Label[at]
	}
	if c.ReferenceNode[at] >= 0 {
		reference = c.Label[at]
		if c.ReferenceLabel[at] >= 0 {
			reference = c.ReferenceLabel[at]
		}
	}
	return subject, reference
}

// A naming has the names by which a method may be shown.
type naming struct {
	// text is unique in the flask, such as Feed.load(int). short is the short name, and own is
	// short without the class.
	text, short, own string
}

// names returns the names of the methods in the shown rows, by label.
func (p *flasks) names(list []line, rows []int) map[int]naming {
	names := make(map[int]naming)
	var labels []int
	var methods []name.Method
	for i, at := range rows {
		subject, reference := p.sides(at)
		for _, label := range []int{subject, reference} {
			if _, known := names[label]; !known && label >= 0 && !list[i].omitted {
				m := p.f.Methods.List[label]
				names[label] = naming{short: clean(m.Short()), own: clean(m.Short()[len(m.Owner()):])}
				labels, methods = append(labels, label), append(methods, m)
			}
		}
	}
	for i, text := range name.DistinctNames(methods) {
		n := names[labels[i]]
		n.text = clean(text)
		names[labels[i]] = n
	}
	return names
}

// cut shortens text, which begins with the method's name, to n cells. It drops the parameters
// first, and then the class.
func (c naming) cut(text string, n int) string {
	switch long := strings.HasPrefix(text, c.short) && len(text) > len(c.short); {
	case cells(text) <= n:
		return text
	case long && cells(c.short)+2 <= n:
		return cutRight(text, n)
	case long && cells(c.short) <= n:
		return c.short
	case c.own != "" && c.own != c.short && cells(c.own)+1 <= n:
		return "…" + c.own
	}
	return cutLeft(text, max(n, 1))
}

// sign returns the mark and the color of a row's status.
func (p *flasks) sign(status int) (string, func(...any) string) {
	switch status {
	case report.Relabelled:
		return "~", p.note
	case report.SubjectOnly:
		return "+", p.bad
	case report.ReferenceOnly:
		return "-", p.good
	}
	return "=", plainText
}

// plainText formats its arguments without color.
func plainText(a ...any) string { return fmt.Sprint(a...) }

// lines lists the lines to write, from the task's method on, and the row of each. A row with
// omitted descendants gets a further line that counts them.
func (p *flasks) lines() (list []line, rows []int) {
	c := &p.f.Rows
	depth := make([]int, len(c.Parent))
	var open []int
	closeTo := func(to int) {
		for len(open) > to {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			if c.Pruned[at] > 0 {
				list = append(list, line{omitted: true, Context: report.Context{Depth: depth[at] + 1, Pruned: int(c.Pruned[at])}})
				rows = append(rows, at)
			}
		}
	}
	for at := p.root; at < len(c.Parent); at++ {
		if at > p.root {
			depth[at] = depth[c.Parent[at]] + 1
		}
		closeTo(depth[at])
		list = append(list, line{Context: report.Context{Depth: depth[at]}})
		rows = append(rows, at)
		open = append(open, at)
	}
	closeTo(0)
	setLayout(list)
	return list, rows
}
