// Package profile writes runs and comparisons as profiles of other programs: pprof, FlameGraph,
// speedscope, the Firefox Profiler, Perfetto and Chrome's tracing. docs/export.md shows how to open
// each format.
//
// New converts a document to a [Profile]: a tree of calling contexts with one column of values per
// counted quantity. The writers of formats use only this type.
//
//   - The profile of a run ([report.FullRecording]) has the recorded tree before preprocessing, with
//     energy, times and calls.
//   - The profile of a comparison merges the two trees after preprocessing: contexts with equal call
//     paths become one. Its columns are the energies of the subject and of the reference.
//
// Values are integers and are written as integers, so the values in a format add up to the totals
// exactly. Programs in JavaScript round numbers above 2⁵³. In nanojoules this is 9 MJ.
//
// Formats of stacks repeat a call path for each context. If a deep tree would need more than 2²⁶
// frames, the writer returns an error. The error names formats without this limit.
package profile

import (
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/report"
)

// A Profile is a tree of calling contexts with values. It is immutable.
type Profile struct {
	// Title names the recording. Version is the version of diffprof. Notes has other facts, such as
	// the source of the energy.
	Title, Version string
	Notes          []string
	// Comparison is set if the columns come from two runs.
	Comparison bool
	// Columns has at least one column. Programs that show one column show the first.
	Columns []Column
	Frames  []Frame
	// Nodes are in preorder. The first is the root, which has no frame and no values.
	Nodes []Node
	// Labels are the lists that Node.Labels refers to. The first list is empty.
	Labels [][]Label
	// Tasks has the tasks of a comparison, sorted by possible saving.
	Tasks []Task
}

// A Column has the exclusive value of each node.
type Column struct {
	// Kind is the counted quantity, such as "energy". Name describes it with the run.
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

// A Frame is a method, or a source line of a method. Names differ between methods.
type Frame struct {
	// Name is the method's name with its class. Label is the label used for comparison.
	Name, Label string
	// File and Line are the place of the method's declaration, empty and 0 if they are unknown.
	File string
	Line int
	// On is the source line, 0 for a whole method or an unknown line.
	On int
}

// A Node is a calling context.
type Node struct {
	// Frame is an index into Profile.Frames, -1 for the root.
	Frame int32
	// Parent is -1 for the root. End is the index after the last descendant.
	Parent, End int32
	// Labels is an index into Profile.Labels.
	Labels int32
}

// A Label is a property of a context, such as the thread.
type Label struct {
	Key    string
	Values []string
}

// A Task is a task of a comparison. Energies are in nanojoules.
type Task struct {
	ID, Name, Verdict string
	// the name of the counterpart, empty if there is none
	Peer                 string
	Energy, Peers, Saved int64
}

// New makes the profile of a document. The document's view is [report.FullRecording] or
// [report.Comparison].
func New(d *report.Document) *Profile {
	if d.View == report.FullRecording {
		return ofRun(d.Input, d.Version)
	}
	return ofPair(d.Set, d.Report.Tool.Version)
}

// all returns the values of a column, including descendants.
func (p *Profile) all(c *Column) []int64 {
	all := make([]int64, len(p.Nodes))
	copy(all, c.Self)
	for i := len(p.Nodes) - 1; i > 0; i-- {
		all[p.Nodes[i].Parent] += all[i]
	}
	return all
}

// maxFrames limits the total frames of all stacks in formats that repeat call paths.
const maxFrames = 1 << 26

// paths calls the function each with every node that has values, and with the node's call path,
// outermost first. The function may use the path only until it returns.
func (p *Profile) paths(each func(node int32, path []int32) error) error {
	var path []int32
	var ends []int32
	written := 0
	for i := int32(1); int(i) < len(p.Nodes); i++ {
		for len(ends) > 0 && ends[len(ends)-1] <= i {
			ends, path = ends[:len(ends)-1], path[:len(path)-1]
		}
		ends, path = append(ends, p.Nodes[i].End), append(path, p.Nodes[i].Frame)
		if !p.hasValues(i) {
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

// hasValues reports whether a node has values.
func (p *Profile) hasValues(node int32) bool {
	for i := range p.Columns {
		if p.Columns[i].Self[node] != 0 {
			return true
		}
	}
	return false
}

// sides returns the columns for formats without negative values. For a comparison, it adds two
// columns: the energy that the subject uses in addition, and the energy that it saves. The columns
// of a run stay as they are.
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

// writer returns the name and the version of the program.
func (p *Profile) writer() string {
	if p.Comparison {
		return fmt.Sprintf("diffprof %s, a comparison", p.Version)
	}
	return "diffprof " + p.Version
}
