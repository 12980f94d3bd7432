package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Flask is the call tree of a task in both runs, row by row, in diffprof's JSON format:
// docs/flask.schema.json. [analysis.Flask] describes rows and their laws.
type Flask struct {
	SchemaVersion int `json:"schemaVersion"`
	// Task is the task's ID, empty for the whole run.
	Task string `json:"task"`
	// SubjectTime and ReferenceTime are the clocks of the times: "cpu-time", "wall-time", or "none"
	// if the recording has no clock.
	SubjectTime   string `json:"subjectTime"`
	ReferenceTime string `json:"referenceTime"`
	// Counts is "calls" or "samples", as in a Report.
	Counts string `json:"counts"`
	// Why is the main cause of the saving. It is nil for the whole run, or if there is no main
	// cause.
	Why *Cause `json:"why"`
	// Rows refer to Labels and Files by index. Methods describes the method of each label.
	Labels  []string     `json:"labels"`
	Methods FlaskMethods `json:"methods"`
	Files   []string     `json:"files"`
	Rows    Rows         `json:"rows"`
}

// A Cause is the method that explains most of a saving.
type Cause struct {
	// Text is part of a sentence: "most of the difference is under TextView.onMeasure".
	Text string `json:"text"`
	// SubjectNode and ReferenceNode are the method's nodes, or -1 on a side that lacks the method.
	// Rows may omit these nodes.
	SubjectNode   int32 `json:"subjectNode"`
	ReferenceNode int32 `json:"referenceNode"`
}

// Rows are the rows of a Flask, stored as columns of equal length. A row that only one run has is
// -1 in the other run's columns. A column is nil if no row has a value.
type Rows struct {
	Parent          []int32 `json:"parent"`
	ReferenceParent []int32 `json:"referenceParent"`
	// Part is 0 on the path to the task's method, 1 for this method, and 2 below it.
	Part []int `json:"part"`
	// Status is one of the constants Matched to ReferenceOnly.
	Status []int `json:"status"`
	// Kind is 0 for the root, 1 for methods of the framework, and 2 for methods of the app.
	Kind []int `json:"kind"`
	// Label is the subject's label, or the reference's if the subject lacks the row. ReferenceLabel
	// is the reference's label if it differs, and otherwise -1.
	Label          []int `json:"label"`
	ReferenceLabel []int `json:"referenceLabel"`

	SubjectEnergy   []units.Energy `json:"subjectNJ"`
	SubjectSelf     []units.Energy `json:"subjectSelfNJ"`
	ReferenceEnergy []units.Energy `json:"referenceNJ"`
	ReferenceSelf   []units.Energy `json:"referenceSelfNJ"`
	// Calls are set if a run counts calls, and Samples if it was sampled. An unknown number is 0.
	SubjectCalls     []int64 `json:"subjectCalls"`
	SubjectSamples   []int64 `json:"subjectSamples"`
	ReferenceCalls   []int64 `json:"referenceCalls"`
	ReferenceSamples []int64 `json:"referenceSamples"`
	// Times are in nanoseconds.
	SubjectTime       []int64 `json:"subjectNS"`
	SubjectSelfTime   []int64 `json:"subjectSelfNS"`
	ReferenceTime     []int64 `json:"referenceNS"`
	ReferenceSelfTime []int64 `json:"referenceSelfNS"`

	SubjectNode   []int32 `json:"subjectNode"`
	ReferenceNode []int32 `json:"referenceNode"`

	Pruned          []int32        `json:"pruned"`
	PrunedSubject   []units.Energy `json:"prunedSubjectNJ"`
	PrunedReference []units.Energy `json:"prunedReferenceNJ"`

	Sources          [][]Source `json:"sources"`
	ReferenceSources [][]Source `json:"referenceSources"`
}

// The statuses of rows.
const (
	Matched = iota
	// Relabelled rows are matched, and their methods differ.
	Relabelled
	SubjectOnly
	ReferenceOnly
)

// A Source is a recorded method that was merged into a row. Label is an index of Flask.Labels. File
// is an index of Flask.Files, or -1. Line is the line of the method's first instruction, or 0.
// Calls is nil if calls are not counted.
type Source struct {
	Label, File, Line int
	Calls             *int64
}

// MarshalJSON writes the four values as an array.
func (s Source) MarshalJSON() ([]byte, error) {
	if s.Calls == nil {
		return fmt.Appendf(nil, "[%d,%d,%d,null]", s.Label, s.File, s.Line), nil
	}
	return fmt.Appendf(nil, "[%d,%d,%d,%d]", s.Label, s.File, s.Line, *s.Calls), nil
}

// UnmarshalJSON parses the output of MarshalJSON.
func (s *Source) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&s.Label, &s.File, &s.Line, &s.Calls})
}

// NewFlask converts a flask of a set's result.
func NewFlask(set *finding.Set, f *analysis.Flask) *Flask {
	r := set.Result
	n := len(f.Rows)
	w := &flaskWriter{
		r: r, labels: make(map[preprocess.LabelID]int), texts: make(map[string]int), files: make(map[string]int),
		out: &Flask{
			SchemaVersion: SchemaVersion, Labels: []string{}, Files: []string{},
			SubjectTime: clockOf(r.Subject), ReferenceTime: clockOf(r.Reference),
			Counts: words.Counts(r.Subject.Trace.Calls, r.Reference.Trace.Calls),
			Rows: Rows{
				Parent: make([]int32, n), ReferenceParent: make([]int32, n),
				Part: make([]int, n), Status: make([]int, n), Kind: make([]int, n),
				Label: make([]int, n), ReferenceLabel: make([]int, n),
				SubjectEnergy: make([]units.Energy, n), SubjectSelf: make([]units.Energy, n),
				ReferenceEnergy: make([]units.Energy, n), ReferenceSelf: make([]units.Energy, n),
				SubjectTime: make([]int64, n), SubjectSelfTime: make([]int64, n),
				ReferenceTime: make([]int64, n), ReferenceSelfTime: make([]int64, n),
				SubjectNode: make([]int32, n), ReferenceNode: make([]int32, n),
				Pruned: make([]int32, n), PrunedSubject: make([]units.Energy, n), PrunedReference: make([]units.Energy, n),
				Sources: make([][]Source, n), ReferenceSources: make([][]Source, n),
			},
		},
	}
	c := &w.out.Rows
	c.SubjectCalls, c.SubjectSamples, w.subject = countColumns(r.Subject.Trace.Calls, n)
	c.ReferenceCalls, c.ReferenceSamples, w.reference = countColumns(r.Reference.Trace.Calls, n)
	if f.Task != analysis.WholeRun {
		w.out.Task = set.ID(f.Task)
		reason := set.Why(f.Task)
		if text := words.Why(r, f.Task, reason, nil); text != "" {
			w.out.Why = &Cause{text, reason.Subject, reason.Reference}
		}
	}
	for i := range f.Rows {
		w.row(i, &f.Rows[i])
	}
	w.out.Methods = newFlaskMethods(w.methods)
	return w.out
}

// flaskWriter fills a Flask.
type flaskWriter struct {
	r   *analysis.Result
	out *Flask
	// labels and texts have the index in out.Labels, files the index in out.Files.
	labels       map[preprocess.LabelID]int
	texts, files map[string]int
	// methods collects the methods of the labels.
	methods []name.Method
	// subject and reference are the columns of call or sample numbers.
	subject, reference []int64
}

// countColumns makes the column for a recording's calls or samples. The column is also returned as
// calls or as samples, depending on the recording. If it has neither, the column is not shown.
func countColumns(kind trace.Calls, n int) (calls, samples, column []int64) {
	column = make([]int64, n)
	switch kind {
	case trace.CountedCalls:
		return column, nil, column
	case trace.EstimatedCalls:
		return nil, column, column
	}
	return nil, nil, column
}

func (w *flaskWriter) row(i int, row *analysis.Row) {
	c := &w.out.Rows
	c.Parent[i], c.ReferenceParent[i], c.Part[i] = row.Parent, row.ReferenceParent, int(row.Part)
	c.SubjectNode[i], c.ReferenceNode[i] = row.Subject, row.Reference
	c.Pruned[i], c.PrunedSubject[i], c.PrunedReference[i] = row.Pruned, row.PrunedSubject, row.PrunedReference
	c.SubjectEnergy[i], c.SubjectSelf[i], w.subject[i] = -1, -1, -1
	c.ReferenceEnergy[i], c.ReferenceSelf[i], w.reference[i] = -1, -1, -1
	c.SubjectTime[i], c.SubjectSelfTime[i], c.ReferenceTime[i], c.ReferenceSelfTime[i] = -1, -1, -1, -1
	c.Status[i], c.ReferenceLabel[i] = SubjectOnly, -1
	c.Sources[i], c.ReferenceSources[i] = []Source{}, []Source{}
	if row.Reference >= 0 {
		t := w.r.Reference.Tree
		node := &t.Nodes[row.Reference]
		c.ReferenceEnergy[i], c.ReferenceSelf[i], w.reference[i] = t.Energy.All(row.Reference), t.Energy.Self(row.Reference), t.Calls.Self(row.Reference)
		c.ReferenceSelfTime[i], c.ReferenceTime[i] = times(t, row.Reference, w.out.ReferenceTime)
		c.Kind[i], c.Label[i], c.Status[i] = kindOf(node), w.label(t, node.Label), ReferenceOnly
		c.ReferenceSources[i] = w.sources(t, row.Reference)
	}
	if row.Subject >= 0 {
		t := w.r.Subject.Tree
		node := &t.Nodes[row.Subject]
		c.SubjectEnergy[i], c.SubjectSelf[i], w.subject[i] = t.Energy.All(row.Subject), t.Energy.Self(row.Subject), t.Calls.Self(row.Subject)
		c.SubjectSelfTime[i], c.SubjectTime[i] = times(t, row.Subject, w.out.SubjectTime)
		label := w.label(t, node.Label)
		if row.Reference >= 0 {
			c.Status[i] = Matched + int(row.Gamma)
			if label != c.Label[i] {
				c.ReferenceLabel[i] = c.Label[i]
			}
		}
		c.Kind[i], c.Label[i] = kindOf(node), label
		c.Sources[i] = w.sources(t, row.Subject)
	}
}

// kindOf returns the value of Rows.Kind for a node. The recorder and waiting count as framework.
func kindOf(n *preprocess.Node) int {
	if n.Kind == preprocess.Recorder || n.Kind == preprocess.Idle {
		return int(preprocess.Framework)
	}
	return int(n.Kind)
}

// The clocks of a flask.
const (
	cpuTime  = "cpu-time"
	wallTime = "wall-time"
	noTime   = "none"
)

// clockOf returns the clock for an input: CPU time, or else wall time.
func clockOf(in analysis.Input) string {
	switch {
	case in.Trace.Clock&trace.ThreadCPU != 0:
		return cpuTime
	case in.Trace.Clock&trace.WallClock != 0:
		return wallTime
	}
	return noTime
}

// bothTimes returns the nanoseconds of a node and its callees, by both clocks.
func bothTimes(in *analysis.Input, v int32) (cpu, wall int64) {
	return int64(in.Tree.CPU.All(v)), int64(in.Tree.Wall.All(v))
}

// times returns the time of a node by the given clock, without and with callees.
func times(t *preprocess.Tree, v int32, clock string) (exclusive, inclusive int64) {
	column := t.CPU
	if clock == wallTime {
		column = t.Wall
	}
	return int64(column.Self(v)), int64(column.All(v))
}

// label returns the index of a label of the trees.
func (w *flaskWriter) label(t *preprocess.Tree, id preprocess.LabelID) int {
	at, ok := w.labels[id]
	if !ok {
		at = w.method(t.Labels.Text(id), t.Labels.Method(id))
		w.labels[id] = at
	}
	return at
}

// method returns the index of the label of a method.
func (w *flaskWriter) method(label string, m name.Method) int {
	at := intern(&w.out.Labels, w.texts, label)
	if at == len(w.methods) {
		w.methods = append(w.methods, m)
	}
	return at
}

// intern returns the index of a text in a table. It adds the text if the table lacks it.
func intern(table *[]string, at map[string]int, text string) int {
	i, ok := at[text]
	if !ok {
		i = len(*table)
		*table = append(*table, text)
		at[text] = i
	}
	return i
}

// maxSources is the largest number of original methods that a row lists.
const maxSources = 5

// sources lists the recorded methods of a node, sorted by calls. Outside app code, it lists them
// only if several were merged, or if the name changed.
func (w *flaskWriter) sources(t *preprocess.Tree, v int32) []Source {
	node := &t.Nodes[v]
	other := func(o int32) bool { return t.Source.Label(o) != t.Labels.Text(node.Label) }
	if v == cct.Root || node.Kind != preprocess.App && !slices.ContainsFunc(t.Originals(v), other) {
		return []Source{}
	}
	type made struct {
		method name.Method
		calls  int64
	}
	var list []made // in the order of the first nodes
	// Most nodes of a method have the same method number, and numbers are fast to look up.
	numbers, places := map[trace.MethodID]int{}, map[name.Method]int{}
	for _, o := range t.Originals(v) {
		n := &t.Source.Nodes[o]
		if n.Method == cct.NoMethod {
			continue
		}
		at, ok := numbers[n.Method]
		if !ok {
			m := t.Source.Methods[n.Method]
			if at, ok = places[m]; !ok {
				at = len(list)
				places[m] = at
				list = append(list, made{method: m})
			}
			numbers[n.Method] = at
		}
		list[at].calls += t.Source.Calls.Self(o)
	}
	slices.SortStableFunc(list, func(a, b made) int { return cmp.Compare(b.calls, a.calls) })
	sources := make([]Source, 0, min(len(list), maxSources))
	for _, m := range list[:min(len(list), maxSources)] {
		s := Source{Label: w.method(m.method.Label(), m.method), File: -1, Line: m.method.Line, Calls: counts(t.Source.Counted, m.calls).Calls}
		if m.method.File != "" {
			s.File = intern(&w.out.Files, w.files, m.method.File)
		}
		sources = append(sources, s)
	}
	return sources
}

// WriteJSON writes the flask as JSON on one line, because it has many numbers.
func (f *Flask) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
