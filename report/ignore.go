package report

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/report/words"
)

// NoteIgnored says that so many tasks and rows of app code are left out, and by what: a
// file's name, for instance.
func (r *Report) NoteIgnored(tasks, code int, by string) {
	r.Ignored += tasks
	r.IgnoredCode += code
	var left []string
	if tasks > 0 {
		left = append(left, words.Some(tasks, "task"))
	}
	if code > 0 {
		left = append(left, words.Some(code, "row")+" of app code")
	}
	if len(left) == 0 {
		return
	}
	verb, whose := "are", "their"
	if tasks+code == 1 {
		verb, whose = "is", "its"
	}
	r.Warnings = append(r.Warnings, Note{Code: "ignored-tasks", Message: fmt.Sprintf(
		"%s %s ignored by %s; the totals have %s energy", strings.Join(left, " and "), verb, by, whose)})
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
