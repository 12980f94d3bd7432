package finding

import (
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
)

// Foreign returns the tasks of a result that are not of the app's own code, by their index.
func Foreign(r *analysis.Result) map[int]bool {
	found, origins := make(map[int]bool), NewOrigins(&r.Subject)
	for i := range r.Tasks {
		if !origins.Own(&r.Tasks[i]) {
			found[i] = true
		}
	}
	return found
}

// OwnOnly returns a result that lists the app's own code alone, and how many tasks
// and rows of app code are left out. The summary stays that of all.
func OwnOnly(r *analysis.Result) (own *analysis.Result, tasks, code int) {
	out := *r
	foreign := Foreign(r)
	out.Tasks = nil
	for i, t := range r.Tasks {
		if !foreign[i] {
			out.Tasks = append(out.Tasks, t)
		}
	}
	rows := *r.AppCode
	rows.Rows = nil
	for _, row := range r.AppCode.Rows {
		if slices.ContainsFunc(row.Parts, func(p appcode.Part) bool { return r.Subject.Own[p.Method] }) {
			rows.Rows = append(rows.Rows, row)
		}
	}
	out.AppCode = &rows
	return &out, len(foreign), len(r.AppCode.Rows) - len(rows.Rows)
}
