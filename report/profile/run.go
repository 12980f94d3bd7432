package profile

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
)

// maxThreads is the largest number of threads in the labels of a context.
const maxThreads = 8

// ofRun makes the profile of a recorded run.
func ofRun(in *analysis.Input, version string) *Profile {
	t := in.Tree.Source
	title := words.Name(in.Path)
	p := &Profile{Title: title, Version: version, Nodes: make([]Node, len(t.Nodes)), Labels: [][]Label{nil}}
	frames := newFrames(p)
	labels := make(map[string]int32)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		p.Nodes[i] = Node{Frame: -1, Parent: n.Parent, End: n.End}
		if n.Method != cct.NoMethod {
			p.Nodes[i].Frame = frames.frame(int32(n.Method), t.Methods[n.Method])
			p.Nodes[i].Labels = p.threads(in, int32(i), labels)
		}
	}
	frames.name()
	p.columns(in)
	p.outside()
	p.Notes = append(p.Notes, "energy "+words.Provenance(in.Trace))
	if in.PowerSource != "" {
		p.Notes = append(p.Notes, in.PowerSource)
	}
	return p
}

// columns adds one column per recorded quantity, energy first.
func (p *Profile) columns(in *analysis.Input) {
	t := in.Tree.Source
	add := func(kind, name string, unit Unit, self func(i int32) int64, always bool) {
		c := Column{Kind: kind, Name: p.Title + ": " + name, Unit: unit, Self: make([]int64, len(p.Nodes))}
		any := always
		for i := range c.Self {
			c.Self[i] = self(int32(i))
			any = any || c.Self[i] != 0
		}
		if any {
			p.Columns = append(p.Columns, c)
		}
	}
	switch {
	case in.Trace.Unstated:
		add("value", words.Provenance(in.Trace), Count, func(i int32) int64 { return int64(t.Energy.Self(i)) }, false)
	case in.Trace.Energy != trace.NoEnergy:
		add("energy", "energy "+words.Provenance(in.Trace), Nanojoules, func(i int32) int64 { return int64(t.Energy.Self(i)) }, false)
	}
	add("cpu", "CPU time", Nanoseconds, func(i int32) int64 { return int64(t.CPU.Self(i)) }, false)
	add("wall", "elapsed time", Nanoseconds, func(i int32) int64 { return int64(t.Wall.Self(i)) }, false)
	if t.Counted == trace.CountedCalls {
		add("calls", "calls", Count, func(i int32) int64 { return t.Calls.Self(i) + t.Recursive.Self(i) }, false)
	}
	add("samples", "samples", Count, t.Seen.Self, len(p.Columns) == 0)
}

// threads labels a context with its threads.
func (p *Profile) threads(in *analysis.Input, node int32, known map[string]int32) int32 {
	ids := in.Tree.Source.Threads(node)
	if len(ids) == 0 || len(ids) > maxThreads {
		return 0
	}
	var names []string
	for _, id := range ids {
		th := in.Trace.Threads[id]
		if th.Name == "" {
			th.Name = fmt.Sprintf("thread %d", th.ID)
		}
		names = append(names, th.Name)
	}
	return p.label(known, Label{Key: "thread", Values: names})
}

// label returns the index of a list of labels.
func (p *Profile) label(known map[string]int32, list ...Label) int32 {
	var key strings.Builder
	for _, l := range list {
		fmt.Fprintf(&key, "%q%q", l.Key, l.Values)
	}
	at, ok := known[key.String()]
	if !ok {
		at = int32(len(p.Labels))
		known[key.String()] = at
		p.Labels = append(p.Labels, list)
	}
	return at
}

// outside moves the exclusive values of the root to a frame, so that every value has a frame.
func (p *Profile) outside() {
	if !p.hasValues(0) {
		return
	}
	last := int32(len(p.Nodes))
	p.Nodes = append(p.Nodes, Node{Frame: int32(len(p.Frames)), Parent: 0, End: last + 1})
	p.Nodes[0].End = last + 1
	p.Frames = append(p.Frames, Frame{Name: cct.RootLabel, Label: cct.RootLabel})
	for i := range p.Columns {
		c := &p.Columns[i]
		c.Self = append(c.Self, c.Self[0])
		c.Self[0] = 0
	}
}
