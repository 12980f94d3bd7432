package text

import (
	"strings"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

// A listed is a row of a list. row is the index of the row in the ranking.
type listed struct {
	row int
	// depth counts the listed tasks that contain the task. It is 0 if the list is not nested.
	depth int
}

// list returns the rows of a ranking in order. If nest is set, each task is followed by the tasks
// inside it.
func list(tasks []report.Task, ranking []finding.Ranked, nest bool) []listed {
	var out []listed
	if !nest {
		for i := range ranking {
			out = append(out, listed{row: i})
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
	var waiting []listed
	push := func(outer, depth int) {
		for i := len(inside[outer]) - 1; i >= 0; i-- {
			waiting = append(waiting, listed{inside[outer][i], depth})
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

// mostIndent is the number of levels that are indented.
const mostIndent = 8

// indent returns the blanks before a row of a list.
func (l listed) indent() string { return strings.Repeat("  ", min(l.depth, mostIndent)) }
