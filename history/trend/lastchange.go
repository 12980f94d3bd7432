package trend

import (
	"context"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/name"
)

// LastChanges tells since when each task and method of an app has used as much energy as now. It
// does not keep trees in memory. It is immutable and safe for concurrent use. A nil *LastChanges is
// empty.
type LastChanges struct {
	tasks, methods map[string]*LastChange
}

// A LastChange is the last change of a task or a method, with the names of the entries around it.
type LastChange struct {
	change.Change
	Name, First, Last string
}

// ReadLastChanges reads the changes from the history at path, for the app, device and scenario of
// the newest run. It tests for changes in the same way as All. If there is no file, the error is
// fs.ErrNotExist.
func ReadLastChanges(ctx context.Context, path string, o analysis.Options) (*LastChanges, error) {
	store, err := history.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	entries, err := store.List(ctx, history.Filter{})
	if err != nil {
		return nil, err
	}
	p := &LastChanges{tasks: make(map[string]*LastChange), methods: make(map[string]*LastChange)}
	if entries = Latest(entries); len(entries) < 2 {
		return p, nil
	}
	o.Store = history.File(path)
	t, err := Read(ctx, entries, o)
	if err != nil {
		return nil, err
	}
	for _, s := range t.All() {
		c := s.Latest()
		if c == nil {
			continue
		}
		since := &LastChange{*c, entries[c.At].Short(), entries[c.Earliest].Short(), entries[c.Latest].Short()}
		switch s.Kind {
		case Task:
			p.tasks[s.ID] = since
		case Method:
			p.methods[s.Method.Label()] = since
		}
	}
	return p, nil
}

// Task returns the last change of the task with the identity id, or nil if it is unknown.
func (p *LastChanges) Task(id string) *LastChange {
	if p == nil {
		return nil
	}
	return p.tasks[id]
}

// Method returns the last change of a method, or nil if it is unknown.
func (p *LastChanges) Method(m name.Method) *LastChange {
	if p == nil {
		return nil
	}
	return p.methods[m.Label()]
}
