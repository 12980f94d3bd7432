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

// lensSince is the kind of lens that names the commit from which a task or method costs more.
const lensSince = "since"

// A historyReader keeps the shown history up to date. Only the goroutine of its loop uses it.
type historyReader struct {
	s *session
	// path, stamp and o describe the file that was read last.
	path  string
	stamp stamp
	o     analysis.Options
}

// recall reads the history if it has changed since the last reading. It waits for a comparison,
// because the history is only shown with a comparison.
func (r *historyReader) recall() error {
	s := r.s
	if s.o.recalled != nil {
		defer s.o.recalled()
	}
	snap, err := s.workspace.Snapshot(s.ctx)
	if err != nil || snap.Set == nil || !snap.Notified() {
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
		s.workspace.SetLastChanges(nil)
		return nil
	}
	if o.Classes, err = snap.Classes(s.ctx); err != nil {
		return err
	}
	past, err := trend.ReadLastChanges(s.ctx, path, o)
	s.workspace.SetLastChanges(past)
	s.o.giveBack()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sinceFigure returns the text of a task's lens. It names the commit from which the task costs
// more. It returns "" if there is no such commit.
func sinceFigure(snap *workspace.Snapshot, part *place.Part) string {
	since := snap.LastChanges.Task(snap.Set.Tasks()[part.Task].ID)
	if since == nil || !since.Costlier() {
		return ""
	}
	return words.SinceBrief(since)
}

func sinceSentence(snap *workspace.Snapshot, part *place.Part) string {
	since := snap.LastChanges.Task(snap.Set.Tasks()[part.Task].ID)
	if since == nil {
		return ""
	}
	return words.SinceFull(since, snap.Scale())
}

// sinceLens returns a lens that names the commit from which a method costs more, or no lens.
func sinceLens(snap *workspace.Snapshot, m *place.Method, text *buffer.Buffer) []protocol.CodeLens {
	since := snap.LastChanges.Method(m.Cost.Method)
	if since == nil || !since.Costlier() || !snap.Preferences.CodeLens[lensSince] {
		return nil
	}
	title := words.SinceBrief(since) + " in " + m.Cost.Method.Short()
	return []protocol.CodeLens{{Range: lensRange(snap, m.Site, text), Command: lensCommand(snap, title, m.Cost)}}
}
