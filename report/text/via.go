package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/report"
)

// callPath formats the call path of a task, without the root. If there are several threads, it
// begins with the thread. telling is the index of a step that must be shown, or 0.
func (p *page) callPath(in report.Input, threads, path []string, room, telling int) string {
	if len(path) < 2 {
		return p.short(path[0])
	}
	var names []string
	if in.Threads > 1 && len(threads) > 0 {
		const most = 20
		name := cutLeft(cmp.Or(clean(threads[0]), "unnamed"), most)
		if more := len(threads) - 1; more > 0 {
			name += fmt.Sprintf(" +%d", more)
		}
		names = append(names, "["+name+"]")
	}
	if telling > 0 {
		telling += len(names) - 1
	}
	for _, label := range path[1:] {
		names = append(names, p.short(label))
	}
	return steps(names, room, telling)
}

const arrow, gap = " › ", "… › "

// steps formats a path. If it does not fit, the middle is omitted: it shows the first step and as
// many of the last as fit. If there is space, it also shows the step with index telling, unless
// that is 0.
func steps(names []string, room, telling int) string {
	first, last := names[0], len(names)-1
	from := tail(names, 1, room-cells(first))
	if 0 < telling && telling < from {
		start := first + arrow
		if telling > 1 {
			start += gap
		}
		start += names[telling]
		switch from := tail(names, telling+1, room-cells(start)); {
		case from == telling+1:
			return start + arrow + strings.Join(names[from:], arrow)
		case from <= last:
			return start + arrow + gap + strings.Join(names[from:], arrow)
		case cells(start+arrow+"…") <= room:
			return start + arrow + "…" // the row above shows the last step
		}
	}
	switch {
	case from <= 1:
		return cutLeft(strings.Join(names, arrow), room)
	case from > last:
		return cutLeft(names[last], room)
	default:
		return first + arrow + gap + strings.Join(names[from:], arrow)
	}
}

// tail returns the index from which the last steps of a path fit. It is at least the parameter
// least. Each step needs an arrow, and omitted steps need a gap.
func tail(names []string, least, room int) int {
	from := len(names)
	for ; from > least; from-- {
		room -= cells(arrow) + cells(names[from-1])
		// Space for the gap is needed unless all steps fit.
		if room < 0 || from > least+1 && room < cells(gap) {
			break
		}
	}
	return from
}

// distinctSteps finds a step in each task's path that distinguishes the task from others with the
// same method and callback. It is the step that the fewest of the other paths contain; in a tie,
// the last such step. The result maps a task's ID to the step's index. Tasks without such a step
// are missing.
func distinctSteps(tasks []report.Task) map[string]int {
	alike := make(map[[2]string][]*report.Task)
	for i := range tasks {
		if t := &tasks[i]; len(t.Path) > 2 {
			key := [2]string{t.Method, t.Path[len(t.Path)-2]}
			alike[key] = append(alike[key], t)
		}
	}
	telling := make(map[string]int)
	for _, group := range alike {
		have := make(map[string]int) // by label, the number of paths with the label
		for _, t := range group {
			for _, label := range t.Path {
				have[label]++
			}
		}
		for _, t := range group {
			fewest := len(group)
			for i := len(t.Path) - 3; i > 0; i-- {
				if n := have[t.Path[i]]; n < fewest {
					fewest, telling[t.ID] = n, i
				}
			}
		}
	}
	return telling
}
