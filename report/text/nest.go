package text

import (
	"strings"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

// A displayRow is a row in display order. row is its index in the ranking.
type displayRow struct {
	row int
	// depth is how many listed tasks contain this one. It is 0 unless the list is nested.
	depth int
}

// list returns the rows of a ranking in display order. If nest is set, a task is followed by the
// tasks inside it.
func list(tasks []report.Task, ranking []finding.Ranked, nest bool) []displayRow {
	var out []displayRow
	if !nest {
		for i := range ranking {
			out = append(out, displayRow{row: i})
		}
		return out
	}
	inside := make(map[int][]int) // rows by the index of the task around them plus 1; 0 means no listed task
	for i, row := range ranking {
		outer := 0
		if !row.Code && tasks[row.Index].Outer <= len(tasks) {
			outer = tasks[row.Index].Outer
		}
		inside[outer] = append(inside[outer], i)
	}
	var waiting []displayRow
	push := func(outer, depth int) {
		for i := len(inside[outer]) - 1; i >= 0; i-- {
			waiting = append(waiting, displayRow{inside[outer][i], depth})
		}
	}
	for push(0, 0); len(waiting) > 0; {
		next := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		out = append(out, next)
		if row := ranking[next.row]; !row.Code {
			push(row.Index+1, next.depth+1)
		}
	}
	return out
}

// maxIndent is the largest depth that is indented further.
const maxIndent = 8

// indent returns the blanks before a row of a list.
func (l displayRow) indent() string { return strings.Repeat("  ", min(l.depth, maxIndent)) }
