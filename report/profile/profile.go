// Package profile writes runs and comparisons as other programs' profiles, so that their
// views can be used: pprof, FlameGraph, speedscope, the Firefox Profiler, Perfetto and
// Chrome's tracing. docs/export.md shows how to open each.
//
// A document becomes a [Profile]: one tree of calling contexts with a column of values for
// each thing that was counted. A format's writer knows nothing but this type.
//
//   - The profile of a run ([report.Recorded]) has the tree as it was recorded, before
//     preprocessing, with energy, times and calls.
//   - The profile of a comparison has the two trees as they were matched, after
//     preprocessing, laid on each other: contexts with equal call paths are one. Its
//     columns are the energies of the subject and of the reference.
//
// Values are whole numbers and are written as such: what a format shows adds up to the
// totals exactly. Programs in JavaScript read numbers beyond 2⁵³ as floating point, which
// rounds them: 9 MJ in nanojoules.
//
// Formats of stacks repeat a call path for each context. A tree so deep that this would take
// more than 2²⁶ frames is an error that names the formats without that.
package profile

import (
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/report"
)

// A Profile is a tree of calling contexts with values. It is not changed once made.
type Profile struct {
	// Title says what was recorded, Version which diffprof wrote it, Notes what else is to
	// be known, such as where energy comes from.
	Title, Version string
	Notes          []string
	// Comparison is set if the columns come from two runs.
	Comparison bool
	// Columns is one at least. The first is the one that is shown where one is.
	Columns []Column
	Frames  []Frame
	// Nodes are in preorder. The first is the root, which has no frame and no values.
	Nodes []Node
	// Labels are what Node.Labels points into; the first is none.
	Labels [][]Label
	// Tasks has the tasks of a comparison, sorted by possible saving.
	Tasks []Task
}

// A Column has a value for each node, without its descendants.
type Column struct {
	// Kind says what is counted, such as "energy"; Name says it to people, with the run.
	Kind, Name string
	Unit       Unit
	Self       []int64
}

// Unit is the unit of a column's values.
type Unit string

// The units.
const (
	Nanojoules  Unit = "nanojoules"
	Nanoseconds Unit = "nanoseconds"
	Count       Unit = "count"
)

// A Frame is a method. Names differ between frames.
type Frame struct {
	// Name is the method's name with its class, Label the one that methods are compared by.
	Name, Label string
	File        string
	Line        int
}

// A Node is a calling context.
type Node struct {
	// Frame is an index, -1 for the root.
	Frame int32
	// Parent is -1 for the root, End is one past the last descendant.
	Parent, End int32
	// Labels says more of the context.
	Labels int32
}

// A Label says something of a context, such as the thread.
type Label struct {
	Key    string
	Values []string
}

// A Task is one of a comparison's; energies are in nanojoules.
type Task struct {
	ID, Name, Verdict string
	// Peer is the counterpart's name, empty where there is none.
	Peer                 string
	Energy, Peers, Saved int64
}

// New makes a profile of a document, whose view is [report.Recorded] or
// [report.Comparison].
func New(d *report.Document) *Profile {
	if d.View == report.Recorded {
		return ofRun(d.Input, d.Version)
	}
	return ofPair(d.Set, d.Report.Tool.Version)
}

// all returns the values of a column, each with the values of the descendants.
func (p *Profile) all(c *Column) []int64 {
	all := make([]int64, len(p.Nodes))
	copy(all, c.Self)
	for i := len(p.Nodes) - 1; i > 0; i-- {
		all[p.Nodes[i].Parent] += all[i]
	}
	return all
}

// maxFrames bounds the frames of all stacks of formats that repeat call paths.
const maxFrames = 1 << 26

// paths calls each with every node that has values, and its call path, outermost first. The
// path is the caller's until each returns.
func (p *Profile) paths(each func(node int32, path []int32) error) error {
	var path []int32
	var ends []int32
	written := 0
	for i := int32(1); int(i) < len(p.Nodes); i++ {
		for len(ends) > 0 && ends[len(ends)-1] <= i {
			ends, path = ends[:len(ends)-1], path[:len(path)-1]
		}
		ends, path = append(ends, p.Nodes[i].End), append(path, p.Nodes[i].Frame)
		if !p.valued(i) {
			continue
		}
		if written += len(path); written > maxFrames {
			return errors.New("the calls are too deep for a format with one stack per call; use speedscope, firefox or perfetto")
		}
		if err := each(i, path); err != nil {
			return err
		}
	}
	return nil
}

// valued says whether a node has values.
func (p *Profile) valued(node int32) bool {
	for i := range p.Columns {
		if p.Columns[i].Self[node] != 0 {
			return true
		}
	}
	return false
}

// sides returns the columns of a comparison with what the subject drains more and what it
// drains less, and those of a run as they are: for formats that have no negative values.
func (p *Profile) sides() []Column {
	if !p.Comparison {
		return p.Columns
	}
	subject, reference := p.Columns[0], p.Columns[1]
	more := Column{Kind: "more", Name: "what the subject uses more", Unit: subject.Unit, Self: make([]int64, len(p.Nodes))}
	less := Column{Kind: "less", Name: "what the subject uses less", Unit: subject.Unit, Self: make([]int64, len(p.Nodes))}
	for i := range p.Nodes {
		by := subject.Self[i] - reference.Self[i]
		more.Self[i], less.Self[i] = max(0, by), max(0, -by)
	}
	return []Column{subject, reference, more, less}
}

// writer says what wrote a file.
func (p *Profile) writer() string {
	if p.Comparison {
		return fmt.Sprintf("diffprof %s, a comparison", p.Version)
	}
	return "diffprof " + p.Version
}
