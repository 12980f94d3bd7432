package report

import (
	"fmt"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
)

// Without returns a result without the tasks that somebody does not want to see, and
// how many those are. ignored is asked of each: above are the labels on its call path
// and of its callers. The summary stays that of all.
func Without(r *analysis.Result, ignored func(id, method string, above []string) bool) (*analysis.Result, int) {
	source := r.Subject.Tree.Source
	out := *r
	out.Tasks = nil
	for _, t := range r.Tasks {
		path := r.Subject.Tree.Path(t.Node)
		above := path[: len(path)-1 : len(path)-1]
		for _, c := range eflask.Callers(r.Subject.Tree, t.Node) {
			above = append(above, source.Label(c.Source))
		}
		if !ignored(id(path), path[len(path)-1], above) {
			out.Tasks = append(out.Tasks, t)
		}
	}
	return &out, len(r.Tasks) - len(out.Tasks)
}

// NoteIgnored says that so many tasks are left out, and by what: a file's name, for
// instance.
func (r *Report) NoteIgnored(tasks int, by string) {
	if tasks == 0 {
		return
	}
	r.Ignored = tasks
	message := fmt.Sprintf("%d tasks are ignored by %s; the totals have their energy", tasks, by)
	if tasks == 1 {
		message = fmt.Sprintf("1 task is ignored by %s; the totals have its energy", by)
	}
	r.Warnings = append(r.Warnings, Note{Code: "ignored-tasks", Message: message})
}
