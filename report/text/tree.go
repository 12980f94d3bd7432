package text

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Tree writes the call tree of one input. An only child is not indented, so deep stacks stay within
// the page.
func Tree(w io.Writer, t *report.Tree, o report.Options) error {
	p := newPage(o, t.Input.Energy, t.Input)
	p.methods = t.Methods
	p.oneInput(t.Input)
	p.notes("warning", t.Warnings)
	stage := "as recorded"
	switch steps := t.Input.Rules.Steps; {
	case t.Stage == "raw":
	case slices.Contains(steps, "app"):
		stage = "after preprocessing; app methods merged into their callbacks"
	case len(steps) > 0:
		stage = "after preprocessing"
	}
	p.linef("%s%s", p.faint(pad("tree", 11)), stage)
	p.linef("")
	p.linef("%s", p.head(figures("inclusive", "share", "exclusive", t.Counts, t.Counts)+"method"))
	p.contexts(t)
	p.linef("")
	p.paragraph(p.faint, p.measure())
	return p.flush(w)
}

// oneInput writes the properties of a single run.
func (p *page) oneInput(in report.Input) {
	row := func(name, value string) { p.linef("%s%s", p.faint(pad(name, 11)), value) }
	row("file", clean(in.Path)+words.MeanOf(in.Runs))
	row("recording", recording(in))
	row("size", size(in))
	row("contexts", contexts(in))
	row("CPU time", cpuTime(in))
	p.prose(p.scale.Noun(), p.faint, p.runEnergy(in))
	own := words.OwnCode(in.OwnCode.Packages, in.OwnCode.Unknown, p.width/2)
	if by := words.OwnCodeBy(in.OwnCode.By); by != "" {
		own += ", " + by
	}
	p.prose("own code", plainText, clean(own))
	p.prose("power", p.faint, clean(in.PowerSource))
	p.measured(in)
	p.renaming("", in)
	p.rules(in.Rules)
}

// deepest limits the indentation. The depth of a tree has no limit.
const deepest = 30

// A line is a node of the tree, or counts the omitted nodes below one.
type line struct {
	report.Context
	omitted bool
	// alone is set for an only child, last for the last child.
	alone, last bool
}

// contexts writes the lines of the tree.
func (p *page) contexts(t *report.Tree) {
	names := p.apart()
	list := lines(t)
	for i, mark := range marks(list) {
		p.context(t, list[i], clean(cmp.Or(names[list[i].Method], list[i].Method)), p.faint(mark))
	}
}

// apart returns a unique name for each of the document's methods, by label.
func (p *page) apart() map[string]string {
	labels := slices.Collect(maps.Keys(p.methods))
	methods := make([]name.Method, len(labels))
	for i, label := range labels {
		methods[i] = p.methods[label]
	}
	names := make(map[string]string, len(labels))
	for i, text := range name.DistinctNames(methods) {
		names[labels[i]] = text
	}
	return names
}

// marks returns what to draw before each line to show its branch.
func marks(list []line) []string {
	type level struct {
		indent   string
		branches int
	}
	var open []level
	out := make([]string, len(list))
	for i, l := range list {
		open = open[:l.Depth]
		var here level
		if l.Depth > 0 {
			here = open[l.Depth-1]
			out[i] = here.indent
			if !l.alone && here.branches < deepest {
				here.branches++
				if l.last {
					out[i], here.indent = here.indent+"└ ", here.indent+"  "
				} else {
					out[i], here.indent = here.indent+"├ ", here.indent+"│ "
				}
			}
		}
		open = append(open, here)
	}
	return out
}

// lines returns the lines of a tree. If callees are omitted below a node, a last line counts them.
func lines(t *report.Tree) []line {
	var list []line
	var open []report.Context
	closeTo := func(depth int) {
		for len(open) > depth {
			c := open[len(open)-1]
			open = open[:len(open)-1]
			if c.Pruned > 0 {
				list = append(list, line{omitted: true, Context: report.Context{
					Depth: c.Depth + 1, Inclusive: c.PrunedEnergy, Pruned: c.Pruned,
					Share: units.Share(c.PrunedEnergy, t.Input.Energy),
				}})
			}
		}
	}
	for _, c := range t.Contexts {
		closeTo(c.Depth)
		list = append(list, line{Context: c})
		open = append(open, c)
	}
	closeTo(0)
	setLayout(list)
	return list
}

// setLayout sets alone and last of each line.
func setLayout(list []line) {
	// Lines are visited from the end, so the first visited child of a parent is its last.
	var below []int
	for i := len(list) - 1; i >= 0; i-- {
		depth := list[i].Depth
		for len(below) <= depth+1 {
			below = append(below, 0)
		}
		list[i].last = below[depth] == 0
		below[depth]++
		below[depth+1] = 0
	}
	// An only child is both the first and the last.
	first := []bool{}
	for i := range list {
		depth := list[i].Depth
		for len(first) <= depth+1 {
			first = append(first, true)
		}
		list[i].alone = first[depth] && list[i].last
		first[depth], first[depth+1] = false, true
	}
}

// context writes one line of the tree. name is the method's name.
func (p *page) context(t *report.Tree, l line, name, mark string) {
	if l.omitted {
		p.linef("%s%s", figures(p.amount(l.Inclusive), words.Percent(l.Share), "", t.Counts, ""), mark+p.faint("… "+words.Some(l.Pruned, "context")+" more"))
		return
	}
	if l.Kind == "app" {
		name = p.bold(name)
	}
	p.linef("%s%s", figures(p.amount(l.Inclusive), words.Percent(l.Share), p.amount(l.Exclusive), t.Counts, tally(l.Value(t.Counts))), mark+name)
}

// figures formats the columns of a line. If counts is not empty, they include calls or samples.
func figures(inclusive, share, exclusive, counts, tally string) string {
	line := fmt.Sprintf("%10s  %6s  %10s  ", inclusive, share, exclusive)
	if counts != "" {
		line += fmt.Sprintf("%9s  ", tally)
	}
	return line
}
