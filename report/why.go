package report

import (
	"fmt"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/trace"
)

// Why puts into words what a task's saving comes from, as part of a sentence:
// "most of the difference is under TextView.onMeasure". It is empty where there is
// nothing to name. quote, if not nil, marks the method's name.
func Why(r *analysis.Result, task int, quote func(name string) string) string {
	return Reason(&r.Tasks[task], r.Explain(task), quote)
}

// Reason puts a reason into words as Why does.
func Reason(t *eflask.Task, reason analysis.Reason, quote func(name string) string) string {
	name := trace.Short(reason.Method)
	if quote != nil {
		name = quote(name)
	}
	what := "the difference"
	if t.Found == eflask.Unmatched {
		what = "it"
	}
	switch reason.Kind {
	case analysis.MoreCalls:
		return fmt.Sprintf("most of %s is the number of calls: %d against %d", what, t.Calls, t.PeerCalls)
	case analysis.Lacking:
		switch {
		case t.Found == eflask.Unmatched:
			return fmt.Sprintf("most of %s is under %s", what, name)
		case reason.Subject >= 0:
			return fmt.Sprintf("most of %s is under %s, which the reference does not call there", what, name)
		default:
			return fmt.Sprintf("most of %s is under %s, which only the reference calls there", what, name)
		}
	case analysis.Dearer:
		return fmt.Sprintf("most of %s is under %s", what, name)
	case analysis.Self:
		if t.Found == eflask.Unmatched {
			return ""
		}
		return fmt.Sprintf("most of %s is in the method itself", what)
	case analysis.Spread:
		return fmt.Sprintf("%s is spread over many methods below", what)
	}
	return ""
}
