package text

import (
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Info describes files: format, content and problems, and how to record such files. Without files,
// it lists the formats.
func Info(w io.Writer, i *report.Info, o report.Options) error {
	titles := map[string]string{}
	for _, f := range i.Formats {
		titles[f.Name] = f.Title
	}
	p := newPage(o, 0)
	for _, f := range i.Files {
		p.prose("file", p.faint, clean(f.Path))
		if r := f.Recording; r != nil {
			// Each file has its own unit, unless the user chose one.
			p.scale = words.ScaleFor(unitOf(o.Unit, r.Input), o.Voltage, r.Input.Energy)
			p.recording(r, titles[r.Input.Format])
		} else if f.Folder != nil {
			p.folder(f.Folder)
			p.prose("what to do", p.faint, clean(f.Problem.Hint))
		} else {
			p.prose("problem", p.bad, clean(f.Problem.Message))
			p.prose("what to do", p.faint, clean(f.Problem.Hint))
		}
		p.linef("")
	}
	for n, f := range i.Formats {
		if n > 0 {
			p.linef("")
		}
		p.format(f, len(i.Files) == 0)
	}
	return p.flush(w)
}

// recording writes the content of a file.
func (p *page) recording(r *report.Recording, title string) {
	in := r.Input
	row := func(name string, parts ...string) {
		p.prose(name, p.faint, strings.Join(parts, ", "))
	}
	row("format", append([]string{title, humanize.IBytes(uint64(r.Size))}, r.Compression...)...)
	how := in.Technique
	if how == "unknown" {
		how = "unknown (instrumented or sampled)"
	}
	if in.VM != "" {
		how = "by " + clean(in.VM) + ", " + how
	}
	if in.Events == 0 && len(r.Tracks) > 0 {
		// The recording has no calls and cannot be compared by itself.
		row("recorded", "only signals")
		row("elapsed", units.FormatTime(in.WallTime))
		p.tracks(r.Tracks)
		p.notes("warning", r.Warnings)
		return
	}
	row("recorded", how)
	row("clocks", clocks(in.Clock))
	row("calls", calls(in.Calls))
	threads := words.Some(r.Threads, "thread")
	switch {
	case r.Threads == 0:
		threads = "not recorded"
	case in.Threads != r.Threads:
		threads += ", " + words.Count(in.Threads) + " with events"
	}
	row("threads", threads)
	if r.Time != nil {
		row("activity", words.Usage(trace.Usage{
			Working: time.Duration(r.Time.Working), Waiting: time.Duration(r.Time.Waiting),
			Unknown: time.Duration(r.Time.Unknown), Unrecorded: time.Duration(r.Time.Unrecorded),
		}))
	}
	methods := words.Some(in.Methods, "method")
	if r.Unlisted > 0 {
		methods += ", and " + words.Count(r.Unlisted) + " that the recording does not name"
	}
	row("methods", methods)
	events := []string{words.Some(in.Events, "event")}
	if r.HandOvers > 0 {
		events = append(events, words.Some(r.HandOvers, "hand-over"))
	}
	row("events", append(events, words.Some(in.CCTNodes, "context"))...)
	row("lines", words.SampleLines(r.Lines.Share, r.Lines.Positions, r.Lines.Advice))
	if in.WallTime > 0 {
		row("elapsed", units.FormatTime(in.WallTime))
	} else if r.Unbounded {
		row("elapsed", "not recorded, so the times have no upper bound")
	}
	if in.CPUTime > 0 {
		row("CPU time", units.FormatTime(in.CPUTime))
	}
	row(p.scale.Noun(), p.runEnergy(in))
	row("power", clean(in.PowerSource))
	p.measured(in)
	p.tracks(r.Tracks)
	row("app's code", packagesList(r.AppPackages))
	p.notes("warning", r.Warnings)
}

// folder writes the recordings in a folder.
func (p *page) folder(groups []report.Runs) {
	p.prose("folder", p.faint, words.Some(len(groups), "group")+" of recordings")
	for _, g := range groups {
		text := words.Some(len(g.Files), "recording") + " (" + clean(g.Format) + ")"
		if g.Unrelated {
			text += ", recorded with the runs of a scenario"
		}
		p.prose("", p.faint, clean(g.Name)+": "+text)
		p.prose("", p.faint, "  "+clean(strings.Join(g.Files, ", ")))
		if g.Fault != "" {
			p.prose("warning", p.faint, clean(g.Name)+": "+clean(g.Fault))
		}
	}
}

// clocks names the clocks of a recording.
func clocks(code string) string {
	switch code {
	case "dual":
		return "thread clock and wall clock"
	case "thread-cpu":
		return "thread clock"
	case "cycles":
		return "cycles, converted to processor time at one frequency"
	case "wall":
		return "only wall clock"
	}
	return "none"
}

// calls states whether a recording counts calls.
func calls(code string) string {
	switch code {
	case "counted":
		return "counted"
	case "estimated":
		return "not counted; streaks of equal samples are counted instead"
	}
	return "not counted"
}

// packagesList lists the first few packages.
func packagesList(names []string) string {
	const few = 5
	if len(names) == 0 {
		return "not known"
	}
	list := clean(strings.Join(names[:min(few, len(names))], ", "))
	if more := len(names) - few; more > 0 {
		list += " and " + words.Some(more, "more package")
	}
	return list
}

// format writes how to record in a format. If full is set it also describes the format.
func (p *page) format(f report.Format, full bool) {
	if full {
		p.paragraph(p.bold, f.Title)
		p.prose("begins", p.faint, "with "+strings.ReplaceAll(f.Start, "`", ""))
		if len(f.Extensions) > 0 {
			p.prose("named", p.faint, "often *."+strings.Join(f.Extensions, ", *.")+"; the content decides")
		}
		for _, c := range f.Facts {
			p.prose(c.Name, p.faint, c.Detail)
		}
	} else {
		p.paragraph(p.bold, "How to record "+f.Title)
	}
	for _, r := range f.Record {
		p.linef("")
		p.linef("  With %s", r.Tools)
		for _, step := range r.Steps {
			// A command is to be copied: it stays on its line.
			p.linef("    %s", step)
		}
		for _, line := range wrap(r.Note, p.width-2) {
			p.linef("  %s", line)
		}
	}
}
