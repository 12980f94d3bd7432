package report_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// TestFlaskKeepsItsLaws validates the JSON of the flasks of every pair against the schema, and
// checks the laws of conservation on the figures in the JSON.
func TestFlaskKeepsItsLaws(t *testing.T) {
	schema := compileSchemas(t)["flask"]
	for name, pair := range pairs(t) {
		t.Run(name, func(t *testing.T) {
			r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: pair[0]}, Reference: analysis.Side{Path: pair[1]}, Alpha: analysis.AutoAlpha})
			if err != nil {
				t.Fatal(err)
			}
			whole := report.New(finding.New(r), "test", 0)
			for task := analysis.WholeRun; task < min(len(r.Tasks), 12); task++ {
				for _, p := range []analysis.Prune{{}, {MinShare: 0.01, MaxRows: 200}} {
					var b bytes.Buffer
					if err := report.NewFlask(finding.New(r), r.Flask(task, p)).WriteJSON(&b); err != nil {
						t.Fatal(err)
					}
					validate(t, schema, b.Bytes())
					var f report.Flask
					if err := json.Unmarshal(b.Bytes(), &f); err != nil {
						t.Fatal(err)
					}
					id := ""
					if task >= 0 {
						id = whole.Tasks[task].ID
					}
					if f.Task != id {
						t.Fatalf("task %d has the ID %q, in its flask %q", task, id, f.Task)
					}
					checkColumns(t, &f, whole.Subject.CPUTime)
					if task >= 0 {
						checkNodes(t, &f, &whole.Tasks[task])
						checkWhy(t, &f, words.Why(r, task, r.Explain(task), nil), p == analysis.Prune{})
					} else if f.Why != nil {
						t.Errorf("the whole run has the cause %+v", *f.Why)
					}
				}
			}
		})
	}
}

// checkNodes compares a task's nodes with the nodes of the F-method's row.
func checkNodes(t *testing.T, f *report.Flask, task *report.Task) {
	t.Helper()
	row := slices.Index(f.Rows.Part, 1)
	if f.Rows.SubjectNode[row] != task.Node {
		t.Errorf("task %s is node %d, in its flask %d", task.ID, task.Node, f.Rows.SubjectNode[row])
	}
	if task.Peer != nil && f.Rows.ReferenceNode[row] == -1 && task.Peer.Match == "moved" {
		return // Only some calls of the method moved. The peer has other calls, too.
	}
	if task.Peer != nil && f.Rows.ReferenceNode[row] != task.Peer.Node {
		t.Errorf("the peer of task %s is node %d, in its flask %d", task.ID, task.Peer.Node, f.Rows.ReferenceNode[row])
	}
}

// checkWhy compares a task's cause with the text of the terminal. If no rows are omitted, it also
// compares it with the cause's row.
func checkWhy(t *testing.T, f *report.Flask, want string, all bool) {
	t.Helper()
	if f.Why == nil {
		if want != "" {
			t.Errorf("task %s has no cause, want %q", f.Task, want)
		}
		return
	}
	if f.Why.Text != want {
		t.Errorf("the cause of task %s is %q, want %q", f.Task, f.Why.Text, want)
	}
	for i, subject := range f.Rows.SubjectNode {
		if subject == f.Why.SubjectNode && f.Rows.ReferenceNode[i] == f.Why.ReferenceNode {
			return
		}
	}
	if all {
		t.Errorf("no row of task %s is its cause, %+v", f.Task, *f.Why)
	}
}

// checkColumns checks the laws of rows. cpu is the subject's processor time.
func checkColumns(t *testing.T, f *report.Flask, cpu int64) {
	t.Helper()
	c := f.Rows
	n := len(c.Parent)
	columns := reflect.ValueOf(c)
	for i := range columns.NumField() {
		name := columns.Type().Field(i).Name
		if missing := columns.Field(i).IsNil(); missing && (strings.HasSuffix(name, "Calls") || strings.HasSuffix(name, "Samples")) {
			continue
		}
		if columns.Field(i).Len() != n {
			t.Fatalf("%d rows, and %d of %s", n, columns.Field(i).Len(), name)
		}
	}
	for i := range n {
		for _, time := range [][2]int64{{c.SubjectTime[i], c.SubjectSelfTime[i]}, {c.ReferenceTime[i], c.ReferenceSelfTime[i]}} {
			if time[1] > time[0] {
				t.Fatalf("row %d took %d ns by itself and %d in all", i, time[1], time[0])
			}
		}
		if has := c.SubjectNode[i] >= 0; has != (c.SubjectTime[i] >= 0) || has && i == 0 && f.SubjectTime == "cpu-time" && c.SubjectTime[0] != cpu {
			t.Fatalf("row %d: the subject took %d ns of %d", i, c.SubjectTime[i], cpu)
		}
		for side, none := range []bool{c.SubjectNode[i] < 0, c.ReferenceNode[i] < 0} {
			energy, self := c.SubjectEnergy[i], c.SubjectSelf[i]
			counts := [][]int64{c.SubjectCalls, c.SubjectSamples}
			if side == 1 {
				energy, self, counts = c.ReferenceEnergy[i], c.ReferenceSelf[i], [][]int64{c.ReferenceCalls, c.ReferenceSamples}
			}
			if (energy == -1) != none || (self == -1) != none || slices.ContainsFunc(counts, func(of []int64) bool { return of != nil && (of[i] == -1) != none }) {
				t.Fatalf("row %d is missing in run %d: %v, and its figures are %d, %d and %v", i, side, none, energy, self, counts)
			}
		}
		subject, reference := c.SubjectSelf[i]+c.PrunedSubject[i], c.ReferenceSelf[i]+c.PrunedReference[i]
		for j := i + 1; j < n; j++ {
			if int(c.Parent[j]) == i && c.SubjectNode[j] >= 0 {
				subject += c.SubjectEnergy[j]
			}
			if int(c.ReferenceParent[j]) == i {
				reference += c.ReferenceEnergy[j]
			}
		}
		if c.SubjectNode[i] >= 0 && subject != c.SubjectEnergy[i] {
			t.Fatalf("row %d: the subject's energy %d is not %d", i, c.SubjectEnergy[i], subject)
		}
		if c.ReferenceNode[i] >= 0 && reference != c.ReferenceEnergy[i] {
			t.Fatalf("row %d: the reference's energy %d is not %d", i, c.ReferenceEnergy[i], reference)
		}
		status := report.Matched
		switch {
		case c.ReferenceNode[i] < 0:
			status = report.SubjectOnly
		case c.SubjectNode[i] < 0:
			status = report.ReferenceOnly
		}
		if c.Status[i] != status && !(status == report.Matched && c.Status[i] == report.Relabelled) {
			t.Fatalf("row %d has status %d, want %d", i, c.Status[i], status)
		}
		if c.Label[i] >= len(f.Labels) || c.ReferenceLabel[i] >= len(f.Labels) || c.ReferenceLabel[i] == c.Label[i] {
			t.Fatalf("row %d has labels %d and %d of %d", i, c.Label[i], c.ReferenceLabel[i], len(f.Labels))
		}
		for k, s := range c.Sources[i] {
			if s.Label >= len(f.Labels) || s.File >= len(f.Files) || k > 0 && s.Calls != nil && *s.Calls > *c.Sources[i][k-1].Calls {
				t.Fatalf("row %d: sources %v", i, c.Sources[i])
			}
		}
	}
}
