package report

import (
	"fmt"

	"github.com/diffprof/diffprof/report/words"
)

// NoteIgnored says that so many tasks and rows of app code are left out, and by what: a
// file's name, for instance.
func (r *Report) NoteIgnored(tasks, code int, by string) {
	r.Ignored += tasks
	r.IgnoredCode += code
	if tasks+code == 0 {
		return
	}
	verb, them := "are", "them"
	if tasks+code == 1 {
		verb, them = "is", "it"
	}
	r.Warnings = append(r.Warnings, Note{Code: "ignored-tasks", Message: fmt.Sprintf(
		"%s %s ignored by %s; the totals count %s", words.Rows(tasks, code), verb, by, them)})
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
		"only the app's own code is listed: %s and %s of app code are of libraries alone; the totals count them",
		words.Some(tasks, "task"), words.Some(code, "row"))})
}

// NoteFiltered says that so many tasks and rows of app code are left out because flags ask
// for others.
func (r *Report) NoteFiltered(tasks, code int, flags string) {
	r.Ignored += tasks
	r.IgnoredCode += code
	r.Warnings = append(r.Warnings, Note{Code: "filtered", Message: fmt.Sprintf(
		"%s and %s of app code are left out by %s; the totals have their energy", words.Some(tasks, "task"), words.Some(code, "row"), flags)})
}
