package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/report"
)

// via formats the path of a task without the root. If the run has several threads, the thread comes
// first. telling is the index in path of a step that is always shown, 0 for none.
func (p *page) via(in report.Input, threads, path []string, room, telling int) string {
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

// steps formats the steps of a path. If they do not all fit, it shows the first step and as many of
// the last steps as fit: the callback and the calls that lead to it. The step with the index
// telling is shown if there is space, unless telling is 0.
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

// tail returns the index of the first of the last steps that fit. least is the smallest possible
// result. Each step needs an arrow, and omitted steps need a gap.
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

// tellApart returns, for each task, a step that distinguishes it from other tasks with the same
// method and callback. It is the step of the task's path that the fewest other paths
// contain. In a tie, the last step wins. The result maps the task's ID to the index in its path. A
// task without such a step is missing.
func tellApart(tasks []report.Task) map[string]int {
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
