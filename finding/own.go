package finding

import (
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
)

// Foreign returns the indices of the tasks that the app's own code does not call.
func Foreign(r *analysis.Result) map[int]bool {
	found, origins := make(map[int]bool), NewOrigins(&r.Subject)
	for i := range r.Tasks {
		if !origins.Own(&r.Tasks[i]) {
			found[i] = true
		}
	}
	return found
}

// ForeignCode returns the indices of the rows of app code that have no method of the app's own
// code.
func ForeignCode(r *analysis.Result) map[int]bool {
	found := make(map[int]bool)
	for i := range r.AppCode.Rows {
		if !slices.ContainsFunc(r.AppCode.Rows[i].Parts, func(p appcode.Part) bool { return r.Subject.Own.Is(p.Method) }) {
			found[i] = true
		}
	}
	return found
}
