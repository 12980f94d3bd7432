package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/report"
)

// via writes a path below the root, after the thread that it is of where the run has
// several. telling is the index in path of a step that is shown in any case, 0 for none.
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

// steps writes all steps of a path, or the first and as many of the last as fit: the
// callback and what led to it. The step telling, which is none if it is 0, is shown unless
// there is no room.
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
			return start + arrow + "…" // the row above names the last step
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

// tail returns where the last steps begin that fit, from some step on, with an arrow before
// each and a gap before the first where steps are left out.
func tail(names []string, least, room int) int {
	from := len(names)
	for ; from > least; from-- {
		room -= cells(arrow) + cells(names[from-1])
		// All but the last step to be added needs room for the gap too.
		if room < 0 || from > least+1 && room < cells(gap) {
			break
		}
	}
	return from
}

// tellApart finds, for tasks of one method and one callback, the step of each one's path
// that the fewest of the others have, and the last of these: an index in its path, by the
// task's ID. A task whose path has no such step is not there.
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
		have := make(map[string]int) // how many paths have a label
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
