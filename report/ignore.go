package report

import (
	"fmt"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
)

// NoteIgnored adds a warning that counts the ignored tasks, rows of app code and component
// findings. The parameter by is what ignored them, such as a file.
func (r *Report) NoteIgnored(removed finding.Removed, by string) {
	r.Ignored += removed.Tasks
	r.IgnoredCode += removed.Code
	r.Warnings = append(r.Warnings, ignored(removed, by)...)
}

// NoteIgnored adds a warning that counts the ignored component findings. The parameter by is what
// ignored them.
func (p *Profile) NoteIgnored(wastes int, by string) {
	p.Warnings = append(p.Warnings, ignored(finding.Removed{Wastes: wastes}, by)...)
}

// ignored makes the note about ignored rows. It returns no note if no rows are ignored.
func ignored(removed finding.Removed, by string) []Note {
	all := removed.Tasks + removed.Code + removed.Wastes
	if all == 0 {
		return nil
	}
	verb, them := "are", "them"
	if all == 1 {
		verb, them = "is", "it"
	}
	gate := ""
	if removed.Tasks+removed.Code > 0 {
		gate = ", but --fail-on does not"
	}
	return []Note{{Code: "ignored-tasks", Message: fmt.Sprintf("%s %s ignored by %s; the totals include %s%s", words.Ignored(removed), verb, by, them, gate)}}
}

// NoteForeign adds a warning that counts the rows omitted because they are not the app's own code.
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

// NoteFiltered adds a warning that counts the rows omitted by flags.
func (r *Report) NoteFiltered(tasks, code int, flags string) {
	r.Ignored += tasks
	r.IgnoredCode += code
	r.Warnings = append(r.Warnings, Note{Code: "filtered", Message: fmt.Sprintf(
		"%s and %s of app code are left out by %s; the totals include their energy", words.Some(tasks, "task"), words.Some(code, "row"), flags)})
}
