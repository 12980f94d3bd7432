package report

import "fmt"

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
