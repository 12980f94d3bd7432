package text

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Comparison writes the differences of two runs.
func Comparison(w io.Writer, r *report.Report, o report.Options) error {
	if o.Voltage == 0 {
		o.Voltage = r.Voltage
	}
	p := newPage(o, r.Subject.Energy, r.Subject, r.Reference)
	p.methods = r.Methods
	p.headline(r, o)
	p.inputs(r)
	p.matched(r)
	p.notes("unlike", r.Comparability)
	p.linef("")
	if r.Summary.Tasks == 0 && r.Summary.AppCode.Rows == 0 {
		p.paragraph(plainText, words.NoTasks(r.Subject.OwnCode.Unknown || r.Reference.OwnCode.Unknown))
	}
	if len(r.Tasks)+len(r.AppCode) > 0 {
		if r.GroupedBy != "" {
			p.groups(r)
		} else {
			p.ranking(r, o.Nest)
		}
	}
	p.bundlePairs(r.Bundles)
	p.totals(r)
	if len(r.Warnings) > 0 {
		p.linef("")
		p.notes("warning", r.Warnings)
	}
	return p.flush(w)
}

// inputs writes the properties of the two runs side by side.
func (p *page) inputs(r *report.Report) {
	const label = 11
	column := (p.width - label) / 2
	row := func(name, subject, reference string) {
		p.linef("%s%s%s", p.faint(pad(name, label)), pad(subject, column), reference)
	}
	both := func(name string, value func(report.Input) string) {
		row(name, cutWords(value(r.Subject), column-2), cutWords(value(r.Reference), column))
	}
	p.linef("%s%s%s", pad("", label), p.bold(pad("subject", column)), p.bold("reference"))
	file := func(in report.Input, room int) string {
		more := words.MeanOf(in.Runs)
		return cutLeft(clean(in.Path), room-cells(more)) + more
	}
	row("file", file(r.Subject, column-2), file(r.Reference, column))
	both("recording", recording)
	both("size", size)
	both("contexts", contexts)
	both("CPU time", cpuTime)
	both(p.scale.Noun(), p.runEnergy)
	both("own code", func(in report.Input) string {
		return clean(words.OwnCode(in.OwnCode.Packages, in.OwnCode.Unknown, column-2))
	})
	if len(r.Subject.OwnCode.By)+len(r.Reference.OwnCode.By) > 0 {
		both("", func(in report.Input) string { return words.OwnCodeBy(in.OwnCode.By) })
	}
	if r.Subject.Measured != nil || r.Reference.Measured != nil {
		both("measured", func(in report.Input) string { return p.measuredEnergy(in.Measured) })
	}
	p.alignment("subject: ", r.Subject)
	p.alignment("reference: ", r.Reference)
	p.powerSources(r)
	p.renaming("subject: ", r.Subject)
	p.renaming("reference: ", r.Reference)
	p.rules(r.Subject.Rules)
	alpha := fmt.Sprintf("α = %d", r.Alpha.Used)
	if rule, ok := r.Alpha.Requested.(string); ok {
		alpha += ", chosen by --alpha " + rule
	}
	p.prose("matching", p.faint, fmt.Sprintf("%s; %s matched, %s equal",
		alpha, words.Some(r.Matching.Pairs, "context"), words.Count(r.Matching.Size)))
}

// headline writes the sentences on top of the comparison.
func (p *page) headline(r *report.Report, o report.Options) {
	for i, sentence := range r.Headline(o).Sentences() {
		paint := plainText
		if i == 0 {
			paint = p.bold
		}
		p.paragraph(paint, clean(sentence))
	}
	p.linef("")
}

// matched writes the share of the subject's tasks and energy that is matched.
func (p *page) matched(r *report.Report) {
	if s := r.Summary; s.Tasks > 0 {
		p.prose("matched", p.bold, words.MatchedTasks(s.Matched, s.Tasks, s.Possible, s.MatchedEnergy, r.Subject.Energy, p.scale.Noun()))
	}
	if r.Fleet != nil {
		p.prose("fleet", p.bold, clean(r.Fleet.Message))
	}
}

// powerSources writes where the power figures behind modelled energy come from, once if both inputs
// agree.
func (p *page) powerSources(r *report.Report) {
	subject, reference := clean(r.Subject.PowerSource), clean(r.Reference.PowerSource)
	switch {
	case subject == reference:
		p.prose("power", p.faint, subject)
	default:
		for _, side := range []struct{ side, source string }{{"subject: ", subject}, {"reference: ", reference}} {
			if side.source != "" {
				p.prose("power", p.faint, side.side+side.source)
			}
		}
	}
}

// renaming writes side, and then how many methods a mapping file renamed.
func (p *page) renaming(side string, in report.Input) {
	if m := in.Mapping; m != nil {
		p.prose("mapping", p.faint, fmt.Sprintf("%s%s: %s of %s renamed", side, clean(m.Path), words.Count(m.Renamed), words.Some(m.Methods, "method")))
	}
}

// rules writes the settings that are not defaults, and the file they come from.
func (p *page) rules(r report.Rules) {
	if r.SettingsFile != "" {
		p.prose("settings", p.faint, clean(r.SettingsFile))
	}
	var packages []string
	for _, group := range []struct {
		kind  string
		names []string
	}{{"app", r.AppPackages}, {"framework", r.FrameworkPackages}, {"own", r.OwnPackages}} {
		if len(group.names) > 0 {
			packages = append(packages, group.kind+" "+clean(strings.Join(group.names, " ")))
		}
	}
	p.prose("packages", p.faint, strings.Join(packages, "; "))
	if r.Steps != nil && !r.AllSteps() {
		p.prose("steps", p.faint, cmp.Or(strings.Join(r.Steps, ", "), "none"))
	}
}

// recording states how a run was recorded: "art, instrumented, dual clock".
func recording(in report.Input) string {
	words := []string{clean(in.Format)}
	switch {
	case in.Format == "art" && in.VM != "":
		words[0] = clean(in.VM) // Only ART and Dalvik write this format, so VM names it.
	case in.VM != "" && in.VM != in.Format:
		words[0] += " (" + clean(in.VM) + ")"
	}
	if in.Technique != "unknown" && in.Technique != "" {
		words = append(words, in.Technique)
	}
	if in.Clock != "none" && in.Clock != "" {
		words = append(words, in.Clock+" clock")
	}
	return strings.Join(words, ", ")
}

// size formats the number of events and threads of a recording.
func size(in report.Input) string {
	if in.Threads == 0 {
		return words.Some(in.Events, "event")
	}
	return words.Some(in.Events, "event") + ", " + words.Some(in.Threads, "thread")
}

// contexts formats the size of the tree, and its size after preprocessing if there are steps.
func contexts(in report.Input) string {
	if in.Rules.Steps == nil {
		return words.Count(in.CCTNodes)
	}
	return fmt.Sprintf("%s, merged to %s", words.Count(in.CCTNodes), words.Count(in.TreeNodes))
}

// cpuTime formats the CPU time, and the wall time if it is known.
func cpuTime(in report.Input) string {
	cpu := units.FormatTime(in.CPUTime)
	if in.Clock == "none" || in.Clock == "wall" {
		cpu = "–"
	}
	if in.Clock != "none" && in.WallTime > 0 {
		cpu += " in " + units.FormatTime(in.WallTime)
	}
	return cpu
}

// notes writes notes after their kind.
func (p *page) notes(kind string, notes []report.Note) {
	for _, n := range notes {
		p.prose(kind, p.note, clean(n.Message))
	}
}

// prose writes a name and a wrapped text in the next column. It writes nothing if the text is
// empty.
func (p *page) prose(name string, paint func(...any) string, s string) {
	for i, line := range wrap(s, p.width-11) {
		if i > 0 {
			name = ""
		}
		p.linef("%s%s", paint(pad(name, 11)), line)
	}
}

// paragraph writes a text, wrapped.
func (p *page) paragraph(paint func(...any) string, s string) {
	for _, line := range wrap(s, p.width) {
		p.linef("%s", paint(line))
	}
}

// legend explains marks, as many on a line as fit.
func (p *page) legend(marks ...string) {
	const gap = "   "
	line := ""
	for _, mark := range marks {
		if line != "" && cells(line+gap+mark) > p.width {
			p.linef("%s", p.faint(line))
			line = ""
		}
		if line != "" {
			line += gap
		}
		line += mark
	}
	p.linef("%s", p.faint(line))
}

// wrap breaks prose at spaces into lines of at most n cells.
func wrap(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case cells(line)+1+cells(word) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line == "" {
		return lines
	}
	return append(lines, line)
}
