package server

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
)

// This file keeps what is shown up to date: edits reach the index, the index and
// the comparison give a layout, and the layout's diagnostics are published.
//
// Edits come faster than they are worth looking at. They only note what is dirty;
// settle does the rest, for whoever asks first: a request, which must see the
// edits before it, or the publisher.

// desk is what settle works on.
type desk struct {
	index *source.Index
	// dirty are the paths that changed since the index last saw them.
	dirty map[string]bool
	// changedOnDisk are the paths that changed there.
	changedOnDisk map[string]bool
	// current is the view that requests are answered from; stale asks for a new one.
	current *view
	stale   bool
	// generation counts what beside edits calls for new views.
	generation int
}

// edited notes that a file's text may have changed.
func (s *session) edited(path string) {
	s.mu.Lock()
	s.desk.dirty[path] = true
	s.desk.stale = true
	s.mu.Unlock()
	s.wakePublisher()
}

// placeAll asks for a new view, because of a new comparison, new settings or new
// sources.
func (s *session) placeAll() {
	s.mu.Lock()
	s.desk.stale = true
	s.desk.generation++
	s.mu.Unlock()
	s.wakePublisher()
}

func (s *session) wakePublisher() {
	select {
	case s.publishing <- struct{}{}:
	default:
	}
}

// view returns a view that has all edits before it.
func (s *session) view(ctx context.Context) (*view, error) {
	s.settling.Lock()
	defer s.settling.Unlock()
	s.mu.Lock()
	index, dirty, changed, stale := s.desk.index, s.desk.dirty, s.desk.changedOnDisk, s.desk.stale
	set, prefs, current := s.set, s.config.prefs, s.desk.current
	generation := s.desk.generation
	s.desk.dirty, s.desk.changedOnDisk = make(map[string]bool), make(map[string]bool)
	s.desk.stale = false
	s.mu.Unlock()
	if !stale && current != nil {
		return current, nil
	}
	for path := range changed {
		s.reread(ctx, index, path)
	}
	for path := range dirty {
		s.feed(ctx, index, path)
	}
	if err := ctx.Err(); err != nil {
		// Whoever asks next does what is left.
		s.mu.Lock()
		maps.Copy(s.desk.dirty, dirty)
		maps.Copy(s.desk.changedOnDisk, changed)
		s.desk.stale = true
		s.mu.Unlock()
		return nil, err
	}
	next := &view{prefs: prefs, generation: generation}
	if set != nil {
		next.hidden = hidden(set, prefs, current)
		if current != nil && current.generation == generation && current.layout != nil && current.layout.Set == set {
			maps.Copy(changed, dirty)
			next.layout = current.layout.After(changed, index, prefs.MinShareOr(leastShare))
		} else {
			next.layout = place.New(set, index, prefs.MinShareOr(leastShare))
		}
	}
	s.mu.Lock()
	s.desk.current = next
	s.mu.Unlock()
	return next, nil
}

// leastShare is the share of the run's energy that something needs to be shown in
// source code, unless the settings say another.
const leastShare = 0.001

// feed tells the index the text of a file: the editor's, or that on disk. Files
// outside of the workspace are none of its business.
func (s *session) feed(ctx context.Context, index *source.Index, path string) {
	if index == nil || !s.inside(path) {
		return
	}
	s.mu.Lock()
	d := s.documents[path]
	s.mu.Unlock()
	var err error
	if d == nil {
		err = index.Close(ctx, path)
	} else {
		err = index.Update(ctx, path, []byte(d.text.Text()), d.version)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		s.logf("indexing: %v", err)
	}
}

// reread tells the index that a file changed on disk.
func (s *session) reread(ctx context.Context, index *source.Index, path string) {
	if index == nil || !s.inside(path) {
		return
	}
	if err := index.Refresh(ctx, path); err != nil && !errors.Is(err, context.Canceled) {
		s.logf("indexing: %v", err)
	}
}

// viewOf returns the view and the path of a file that it has findings in; a nil
// view means that there are none.
func (s *session) viewOf(ctx context.Context, u uri.URI) (*view, string, error) {
	path, err := lsp.PathOf(u)
	if err != nil {
		return nil, "", nil // a file of another kind has no findings
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, "", err
	}
	path = s.known(path)
	if v.layout == nil || v.layout.Files[path] == nil {
		return nil, "", nil
	}
	return v, path, nil
}

// publish publishes diagnostics whenever there is a new view, until the connection
// ends.
func (s *session) publish() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.publishing:
		}
		if err := s.publishOnce(); err != nil && s.ctx.Err() == nil {
			s.logf("publishing: %v", err)
		}
	}
}

func (s *session) publishOnce() (err error) {
	defer s.recovers("publishing diagnostics", &err)
	v, err := s.view(s.ctx)
	if err != nil {
		return err
	}
	again := v != s.shown
	before := s.shown
	s.shown = v
	if s.client.Pulls() {
		if again && !s.onlyEdited(before, v) {
			s.refresh(lsp.MethodDiagnosticRefresh)
		}
	} else {
		s.pushDiagnostics(v)
	}
	if again {
		s.notify(lsp.MethodDidChange, struct{}{})
	}
	// An edit makes clients ask anew by themselves.
	if again && !s.onlyEdited(before, v) {
		if s.client.Workspace.CodeLens.RefreshSupport {
			s.refresh(lsp.MethodCodeLensRefresh)
		}
		if s.client.Workspace.InlayHint.RefreshSupport && v.prefs.InlayHints {
			s.refresh(lsp.MethodInlayHintRefresh)
		}
	}
	if s.o.published != nil {
		s.o.published(v)
	}
	return nil
}

// onlyEdited reports whether two views differ by edits of sources alone.
func (s *session) onlyEdited(a, b *view) bool {
	switch {
	case a == nil || a.prefs != b.prefs || a.generation != b.generation:
		return false
	case a.layout == nil || b.layout == nil:
		return a.layout == b.layout
	default:
		return a.layout.Set == b.layout.Set
	}
}

// refresh asks the client to ask again; its answer says nothing.
func (s *session) refresh(method string) {
	s.background.Go(func() {
		if err := s.call(s.ctx, method, nil, nil); err != nil && s.ctx.Err() == nil {
			s.logf("%v", err)
		}
	})
}

// pushDiagnostics publishes what differs from what was published.
func (s *session) pushDiagnostics(v *view) {
	next := make(map[string][]protocol.Diagnostic)
	if v.layout != nil {
		for path := range v.layout.Files {
			if list := s.diagnosticsOf(v, path); len(list) > 0 {
				next[path] = list
			}
		}
	}
	for path := range v.prefs.problems {
		next[path] = s.diagnosticsOf(v, path)
	}
	for _, path := range slices.Sorted(maps.Keys(next)) {
		s.pushFile(path, next[path])
	}
	for _, path := range slices.Sorted(maps.Keys(s.pushed)) {
		if next[path] == nil {
			s.pushFile(path, []protocol.Diagnostic{})
			delete(s.pushed, path)
		}
	}
}

// pushFile publishes a file's diagnostics if they are not those published last.
func (s *session) pushFile(path string, list []protocol.Diagnostic) {
	p := &protocol.PublishDiagnosticsParams{URI: s.uriFor(path), Diagnostics: list}
	s.mu.Lock()
	if d := s.documents[path]; d != nil && d.version > 0 {
		p.Version = uint32(d.version)
	}
	s.mu.Unlock()
	content, err := json.Marshal(list)
	if err != nil {
		s.logf("encoding diagnostics: %v", err)
		return
	}
	if s.pushed[path] == string(content) {
		return
	}
	s.pushed[path] = string(content)
	s.notify(protocol.MethodTextDocumentPublishDiagnostics, p)
}

// textOf returns a file's text, for counting columns: the editor's, or that on
// disk if the file is in the workspace; nil without either.
func (s *session) textOf(path string) *buffer.Buffer {
	s.mu.Lock()
	d := s.documents[path]
	s.mu.Unlock()
	if d != nil {
		return d.text
	}
	if !s.inside(path) {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > source.DefaultMaxFile {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return buffer.New(string(text))
}
