package report

import (
	"fmt"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
)

// NoteIgnored says that so many tasks, rows of app code and findings of components are left
// out, and by what: a file's name, for instance.
func (r *Report) NoteIgnored(fewer finding.Fewer, by string) {
	r.Ignored += fewer.Tasks
	r.IgnoredCode += fewer.Code
	r.Warnings = append(r.Warnings, ignored(fewer, by)...)
}

// NoteIgnored says that so many findings of components are left out, and by what.
func (p *Profile) NoteIgnored(wastes int, by string) {
	p.Warnings = append(p.Warnings, ignored(finding.Fewer{Wastes: wastes}, by)...)
}

// ignored makes the note of what is left out, none of nothing.
func ignored(fewer finding.Fewer, by string) []Note {
	all := fewer.Tasks + fewer.Code + fewer.Wastes
	if all == 0 {
		return nil
	}
	verb, them := "are", "them"
	if all == 1 {
		verb, them = "is", "it"
	}
	return []Note{{Code: "ignored-tasks", Message: fmt.Sprintf("%s %s ignored by %s; the totals include %s", words.Ignored(fewer), verb, by, them)}}
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
		"only the app's own code is listed: %s and %s of app code belong only to libraries; the totals include them",
		words.Some(tasks, "task"), words.Some(code, "row"))})
}

// NoteFiltered says that so many tasks and rows of app code are left out because flags ask
// for others.
func (r *Report) NoteFiltered(tasks, code int, flags string) {
	r.Ignored += tasks
	r.IgnoredCode += code
	r.Warnings = append(r.Warnings, Note{Code: "filtered", Message: fmt.Sprintf(
		"%s and %s of app code are left out by %s; the totals include their energy", words.Some(tasks, "task"), words.Some(code, "row"), flags)})
}
