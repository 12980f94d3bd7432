package workspace

import (
	"maps"
	"path/filepath"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
)

// IsProjectFile reports whether a file has the name of project files.
func IsProjectFile(path string) bool { return filepath.Base(path) == ProjectFile }

// Roots returns the workspace folders.
func (w *Workspace) Roots() Roots {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next.Roots
}

// SetRoots replaces the workspace folders. The old sources stay until [Workspace.Reload].
func (w *Workspace) SetRoots(roots Roots) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next.Roots = roots
	w.stale = true
}

// Open records the text of a file that the client opened, and returns its path. It fails for
// a URI that names no file.
func (w *Workspace) Open(item protocol.TextDocumentItem) (path string, err error) {
	path, err = lsp.PathOf(item.URI)
	if err != nil {
		return "", err
	}
	path = w.Roots().Name(path)
	w.setDocument(path, &Document{URI: item.URI, Path: path, Version: item.Version, Text: buffer.New(item.Text)})
	return path, nil
}

// Edit applies the client's edits to an open file and returns its path. It returns false for a
// file that is not open. Only one goroutine at a time opens, edits and closes files, since the
// order of edits matters.
func (w *Workspace) Edit(p *lsp.DidChangeParams) (path string, ok bool) {
	d, encoding := w.document(p.TextDocument.URI)
	if d == nil {
		return "", false
	}
	next := *d
	next.Version = p.TextDocument.Version
	for _, change := range p.ContentChanges {
		if change.Range == nil {
			next.Text = buffer.New(change.Text)
			continue
		}
		next.Text = next.Text.Replace(lsp.PlaceOf(change.Range.Start), lsp.PlaceOf(change.Range.End), change.Text, encoding)
	}
	w.setDocument(d.Path, &next)
	return d.Path, true
}

// Close closes an open file and returns its path. The text on disk is then used again. Close
// returns false for a file that is not open.
func (w *Workspace) Close(u uri.URI) (path string, ok bool) {
	d, _ := w.document(u)
	if d == nil {
		return "", false
	}
	w.setDocument(d.Path, nil)
	return d.Path, true
}

func (w *Workspace) document(u uri.URI) (*Document, buffer.Encoding) {
	path, err := lsp.PathOf(u)
	if err != nil {
		return nil, 0
	}
	path = w.Roots().Name(path)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next.documents[path], w.next.Encoding
}

// setDocument replaces an open file; nil closes it. A change of a project file takes effect
// with [Workspace.ReadSettings].
func (w *Workspace) setDocument(path string, d *Document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	documents := make(map[string]*Document, len(w.next.documents)+1)
	maps.Copy(documents, w.next.documents)
	if d != nil {
		w.revision++
		d.Revision = w.revision
		documents[path] = d
	} else {
		delete(documents, path)
	}
	w.next.documents = documents
	w.stale = true
	if !IsProjectFile(path) {
		w.edits.open[path] = true
		w.announce()
	}
}

// ChangedOnDisk records that a file of the workspace folders changed on disk. It ignores open
// files, since their text is the editor's.
func (w *Workspace) ChangedOnDisk(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.edits.onDisk[path] = true
	w.stale = true
	if w.next.documents[path] == nil {
		w.next.generation++
	}
	w.announce()
}

// Show replaces the shown comparison; nil shows none.
func (w *Workspace) Show(set *finding.Set) {
	w.mu.Lock()
	w.next.Set, w.next.figures, w.next.Failure, w.next.notified = set, nil, nil, false
	w.mu.Unlock()
	w.Invalidate()
}

// ShowLines shows the source lines of a comparison's subject, unless another comparison is already
// shown.
func (w *Workspace) ShowLines(set *finding.Set, figures *place.Figures) {
	w.mu.Lock()
	current := w.next.Set == set
	if current {
		w.next.figures = figures
	}
	w.mu.Unlock()
	if current {
		w.Invalidate()
	}
}

// SetLastChanges sets the history of costs to show, or nil for none.
func (w *Workspace) SetLastChanges(past *trend.LastChanges) {
	w.mu.Lock()
	same := w.next.LastChanges == past
	w.next.LastChanges = past
	w.mu.Unlock()
	if !same {
		w.Invalidate()
	}
}

// Notified records that the client was told about a comparison. It does nothing if another
// comparison is already shown. Requests use a comparison at once, but its diagnostics are published
// only after the notification.
func (w *Workspace) Notified(set *finding.Set) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next.Set == set {
		w.next.notified, w.stale = true, true
		w.announce()
	}
}

// SetFailure records why a comparison failed. The shown comparison stays.
func (w *Workspace) SetFailure(f *Failure) {
	w.mu.Lock()
	w.next.Failure = f
	w.mu.Unlock()
	w.Invalidate()
}

// Invalidate invalidates the current snapshot after a change of settings or sources.
func (w *Workspace) Invalidate() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next.generation++
	w.stale = true
	w.announce()
}

// Reload starts a new index of the sources in the workspace folders. The caller must load it.
func (w *Workspace) Reload() *Sources {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next.sources = newSources(w.next.Roots, w.next.sources, w.kept)
	for path := range w.next.documents {
		w.edits.open[path] = true
	}
	w.stale = true
	return w.next.sources
}

// kept returns the folder for the cached index of the sources; "" means none.
func (w *Workspace) kept() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.next.Preferences.SourceCache {
		return ""
	}
	return w.cache
}

// Sources returns the sources of the last Reload, or none.
func (w *Workspace) Sources() *Sources {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next.sources
}
