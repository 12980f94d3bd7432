package server

import (
	"errors"
	"io/fs"
	"reflect"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// lensSince is the kind of lens that says since when something costs more.
const lensSince = "since"

// A recaller reads the history of the project that is shown, whenever it changed. Its loop alone
// touches it.
type recaller struct {
	s *session
	// path, stamp and o are those of the file that was read last.
	path  string
	stamp stamp
	o     analysis.Options
}

// recall reads the history if it is not the one that was read last. It waits for a comparison: there
// is nothing to show before, and that is what users wait for.
func (r *recaller) recall() error {
	s := r.s
	if s.o.recalled != nil {
		defer s.o.recalled()
	}
	snap, err := s.workspace.Snapshot(s.ctx)
	if err != nil || snap.Set == nil || !snap.Told() {
		return err
	}
	project := snap.Preferences.Project()
	path, o := project.History(), project.Saved.Options
	now := stampOf(path)
	if path == r.path && now == r.stamp && reflect.DeepEqual(o, r.o) {
		return nil
	}
	r.path, r.stamp, r.o = path, now, o
	if now == (stamp{}) {
		s.workspace.Recall(nil)
		return nil
	}
	if o.Classes, err = snap.Classes(s.ctx); err != nil {
		return err
	}
	past, err := trend.Recall(s.ctx, path, o)
	s.workspace.Recall(past)
	s.o.giveBack()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sinceFigure says in a lens since when a task costs more; what costs less is no news there.
func sinceFigure(snap *workspace.Snapshot, task int) string {
	since := snap.Past.Task(snap.Set.Tasks()[task].ID)
	if since == nil || !since.Costlier() {
		return ""
	}
	return words.Lately(since)
}

func sinceSentence(snap *workspace.Snapshot, task int) string {
	since := snap.Past.Task(snap.Set.Tasks()[task].ID)
	if since == nil {
		return ""
	}
	return words.LatelyLong(since, snap.Scale())
}

// sinceLens is the lens of a method that costs more since a commit; none for others.
func sinceLens(snap *workspace.Snapshot, m *place.Method, text *buffer.Buffer) []protocol.CodeLens {
	since := snap.Past.Method(m.Cost.Method)
	if since == nil || !since.Costlier() || !snap.Preferences.CodeLens[lensSince] {
		return nil
	}
	title := words.Lately(since) + " in " + m.Cost.Method.Short()
	return []protocol.CodeLens{{Range: lensRange(snap, m.Site, text), Command: lensCommand(snap, title, m.Cost)}}
}
