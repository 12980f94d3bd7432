package finding

import (
	"iter"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
)

// A Rule reports whether the user ignores a task or a row of app code. id is its identity, and
// method the label of its method. The iterator above yields the labels of its callers and of its
// call path, the nearest first.
type Rule func(id, method string, above iter.Seq[string]) bool

// Ignored returns the indices of the tasks that a rule matches.
func Ignored(r *analysis.Result, rule Rule) map[int]bool {
	tree := r.Subject.Tree
	found, ids := make(map[int]bool), IDs(r)
	for i := range r.Tasks {
		node := r.Tasks[i].Node
		above := func(yield func(string) bool) {
			for _, c := range eflask.Callers(tree, node) {
				if !yield(tree.Source.Label(c.Source)) {
					return
				}
			}
			upward(tree, tree.Nodes[node].Parent)(yield)
		}
		if rule(ids[i], labelOf(tree, node), above) {
			found[i] = true
		}
	}
	return found
}

// IgnoredCode returns the indices of the rows of app code that a rule matches. If a row belongs to
// several callbacks, the rule gets the path to the callback with the most energy.
func IgnoredCode(r *analysis.Result, rule Rule) map[int]bool {
	found, ids := make(map[int]bool), CodeIDs(r)
	for i := range r.AppCode.Rows {
		row := &r.AppCode.Rows[i]
		if rule(ids[i], row.Method.Label(), upward(r.Subject.Tree, row.Parts[0].Node)) {
			found[i] = true
		}
	}
	return found
}

// upward yields the labels on the path from a node to the root.
func upward(t *preprocess.Tree, node int32) iter.Seq[string] {
	return func(yield func(string) bool) {
		for v := node; v >= 0 && yield(labelOf(t, v)); v = t.Nodes[v].Parent {
		}
	}
}

// labelOf returns the label of a tree's node.
func labelOf(t *preprocess.Tree, node int32) string { return t.Labels.Text(t.Nodes[node].Label) }

// Removed counts the removed tasks, rows of app code, and findings about the subject's components.
type Removed struct{ Tasks, Code, Wastes int }

// without returns a result without the tasks and rows of app code with these indices. It also
// returns the numbers of removed rows.
func without(r *analysis.Result, tasks, code map[int]bool) (left *analysis.Result, removed Removed) {
	out, app := *r, *r.AppCode
	out.Tasks, app.Rows = nil, nil
	for i, t := range r.Tasks {
		if !tasks[i] {
			out.Tasks = append(out.Tasks, t)
		}
	}
	for i, row := range r.AppCode.Rows {
		if !code[i] {
			app.Rows = append(app.Rows, row)
		}
	}
	out.AppCode = &app
	return &out, Removed{Tasks: len(tasks), Code: len(code)}
}
