package server

import (
	"strings"

	"github.com/diffprof/diffprof/report/markdown"
)

// A view is what requests are answered from: one comparison, where its findings
// are, and how to show them. It does not change.
type view struct {
	// layout is nil before the first comparison.
	layout *layout
	prefs  *preferences
	// generation tells views that differ by more than edits apart.
	generation int
}

// words are those of the view's comparison.
func (v *view) words() words { return words{set: v.layout.set, unit: v.prefs.unit} }

// sites are where the app calls a task; those of trifles are looked up when they
// are asked for.
func (v *view) sites(task int) []callMark {
	if marks, ok := v.layout.sites[task]; ok {
		return marks
	}
	src := v.layout.src
	src.memo = nil // it is the next layout's
	var marks []callMark
	for _, c := range v.layout.set.Tasks[task].Callers {
		marks = append(marks, v.layout.callers(src, task, c)...)
	}
	return marks
}

// markdown shows a task's two flasks side by side.
func (v *view) markdown(task int) (string, error) {
	var b strings.Builder
	err := markdown.Flask(&b, v.layout.set.Result, task, markdown.Options{Unit: v.prefs.unit})
	return b.String(), err
}
