package report

import (
	"fmt"

	"github.com/diffprof/diffprof/report/words"
)

// NoteIgnored says that so many tasks are left out, and by what: a file's name, for
// instance.
func (r *Report) NoteIgnored(tasks int, by string) {
	if tasks == 0 {
		return
	}
	r.Ignored += tasks
	message := fmt.Sprintf("%d tasks are ignored by %s; the totals have their energy", tasks, by)
	if tasks == 1 {
		message = fmt.Sprintf("1 task is ignored by %s; the totals have its energy", by)
	}
	r.Warnings = append(r.Warnings, Note{Code: "ignored-tasks", Message: message})
}

// NoteForeign says that so many tasks and rows of app code are left out because they are
// not of the app's own code.
func (r *Report) NoteForeign(tasks, code int) {
	if tasks+code == 0 {
		return
	}
	r.Ignored += tasks
	r.IgnoredCode += code
	r.Warnings = append(r.Warnings, Note{Code: "only-own", Message: fmt.Sprintf(
		"only the app's own code is listed: %s and %s of app code are of libraries alone; the totals have their energy",
		words.Some(tasks, "task"), words.Some(code, "row"))})
}
