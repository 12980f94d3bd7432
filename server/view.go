package server

import (
	"context"
	"errors"
	"strings"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/markdown"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/units"
)

// A view is what requests are answered from: one comparison, where its findings
// are, and how to show them. It does not change.
type view struct {
	// layout is nil before the first comparison.
	layout *place.Layout
	prefs  *preferences
	// hidden has the tasks that the settings ignore, by their index.
	hidden map[int]bool
	// generation tells views that differ by more than edits apart.
	generation int
}

// errNoComparison is the answer of what needs one.
var errNoComparison = errors.New("there is no comparison yet: set diffprof.subject and diffprof.reference, or run " + commandCompare)

// comparedView returns a view of a comparison, with all edits before it.
func (s *session) comparedView(ctx context.Context) (*view, error) {
	v, err := s.view(ctx)
	if err == nil && v.layout == nil {
		err = errNoComparison
	}
	return v, err
}

// hidden finds the tasks of a comparison that the settings ignore; before is the view
// before, or nil.
func hidden(set *finding.Set, prefs *preferences, before *view) map[int]bool {
	switch {
	case len(prefs.Ignore) == 0:
		return nil
	case before != nil && before.prefs == prefs && before.layout != nil && before.layout.Set == set:
		return before.hidden
	}
	return finding.Ignored(set.Result, func(id, method string, above []string) bool {
		return prefs.Ignored(id, method, above) != nil
	})
}

// ignored reports whether a task is to be left out.
func (v *view) ignored(task int) bool { return v.hidden[task] }

// saving is the room for saving in the tasks that a method or class calls.
func (v *view) saving(c *finding.Cost) units.Energy {
	var sum units.Energy
	for _, part := range c.Tasks {
		if !v.ignored(part.Task) {
			sum += part.Saving
		}
	}
	return sum
}

// words are those of the view's comparison.
func (v *view) words() words { return words{set: v.layout.Set, unit: v.prefs.Unit} }

// markdown shows a task's two flasks side by side.
func (v *view) markdown(task int) (string, error) {
	var b strings.Builder
	err := markdown.Flask(&b, v.layout.Set.Result, task, markdown.Options{Unit: v.prefs.Unit})
	return b.String(), err
}
