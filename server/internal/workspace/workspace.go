// Package workspace has the open files, the settings and the comparison of a language client,
// and provides snapshots of them for requests.
//
// A [Workspace] is safe for concurrent use. A [Snapshot] is immutable. It includes every
// change before the call of [Workspace.Snapshot].
//
// Edits arrive faster than they can be processed, so they are only recorded. The next call of
// [Workspace.Snapshot] updates the index of the sources and the places of the findings, but
// keeps the places in unchanged files. Without a change it returns the previous snapshot.
//
// Files outside the workspace folders are not read.
package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

// A Workspace is the state of the client's files, settings and comparison.
type Workspace struct {
	logf func(format string, args ...any)
	// cache is the folder for the cached index of the sources, empty for none.
	cache string
	// making holds a token during the computation of a snapshot.
	making chan struct{}
	// changed holds a token if there are changes to publish.
	changed chan struct{}

	// mu guards the fields below.
	mu sync.Mutex
	// next is the next snapshot without its derived fields.
	next Snapshot
	// latest is the latest snapshot, nil before the first. stale is set if next differs from
	// it.
	latest *Snapshot
	stale  bool
	edits  edits
	// revision is the highest Revision of a document so far.
	revision int32
	// large are the files to parse in the background; parsing holds a token if there are any.
	large   map[string]bool
	parsing chan struct{}
	// noticed has the paths of the subjects for which a notice was shown.
	noticed map[string]bool
	// client are the client's latest raw settings.
	client    json.RawMessage
	overrides overrides
}

// New returns a workspace without folders. version is this program's version. cache is the
// folder for the cached index of the sources; empty is none. logf receives errors of single
// files.
func New(client *lsp.ClientCapabilities, version, cache string, logf func(format string, args ...any)) *Workspace {
	none := newSources(nil, nil, nil)
	close(none.loaded)
	return &Workspace{
		logf: logf, cache: cache, making: make(chan struct{}, 1), changed: make(chan struct{}, 1), edits: newEdits(),
		large: make(map[string]bool), noticed: make(map[string]bool), parsing: make(chan struct{}, 1),
		next: Snapshot{
			Client: client, Version: version, Encoding: lsp.Negotiate(client.General.PositionEncodings),
			Preferences: defaults(), sources: none,
		},
	}
}

// FirstNotice reports whether this is its first call for a path.
func (w *Workspace) FirstNotice(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := !w.noticed[path]
	w.noticed[path] = true
	return first
}

// Changed returns a channel that has a token whenever changes may need publishing.
func (w *Workspace) Changed() <-chan struct{} { return w.changed }

// Republish causes the current state to be published again.
func (w *Workspace) Republish() { w.announce() }

func (w *Workspace) announce() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Snapshot returns a snapshot with all changes before the call. Its only error is ctx's.
func (w *Workspace) Snapshot(ctx context.Context) (*Snapshot, error) {
	select {
	case w.making <- struct{}{}:
		defer func() { <-w.making }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	w.mu.Lock()
	before, next, edits, stale := w.latest, w.next, w.edits, w.stale
	if before == nil || stale {
		w.edits, w.stale = newEdits(), false
	}
	w.mu.Unlock()
	if before != nil && !stale {
		return before, nil
	}
	w.feed(ctx, &next, edits)
	if err := ctx.Err(); err != nil {
		// The next call does the remaining work.
		w.mu.Lock()
		defer w.mu.Unlock()
		w.edits.add(edits)
		w.stale = true
		return nil, err
	}
	next.compute(before, edits.paths())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.latest = &next
	return &next, nil
}

// feed updates the source index with the changed files. It ignores files outside the workspace
// folders.
func (w *Workspace) feed(ctx context.Context, s *Snapshot, edits edits) {
	note := func(err error) {
		if err != nil && !errors.Is(err, context.Canceled) {
			w.logf("indexing: %v", err)
		}
	}
	for path := range edits.onDisk {
		switch {
		case !s.Roots.Inside(path):
		case s.documents[path] == nil && source.LargeFile(path):
			w.parseLater(path)
		default:
			note(s.sources.index.Refresh(ctx, path))
		}
	}
	for path := range edits.open {
		if !s.Roots.Inside(path) {
			continue
		}
		d := s.documents[path]
		if d == nil {
			note(s.sources.index.Close(ctx, path))
			if source.LargeFile(path) {
				w.parseLater(path)
			}
			continue
		}
		text := []byte(d.Text.Text())
		if source.Large(text) {
			note(s.sources.index.Move(path, text, d.Revision))
			w.parseLater(path)
			continue
		}
		note(s.sources.index.Update(ctx, path, text, d.Revision))
	}
}

// edits are the files that changed since the last snapshot: in the editor, on disk, or when their
// background parsing ended. Opening or closing a file in the editor also counts.
type edits struct{ open, onDisk, parsed map[string]bool }

func newEdits() edits {
	return edits{open: make(map[string]bool), onDisk: make(map[string]bool), parsed: make(map[string]bool)}
}

func (e edits) add(other edits) {
	maps.Copy(e.open, other.open)
	maps.Copy(e.onDisk, other.onDisk)
	maps.Copy(e.parsed, other.parsed)
}

func (e edits) paths() map[string]bool {
	all := maps.Clone(e.open)
	maps.Copy(all, e.onDisk)
	maps.Copy(all, e.parsed)
	return all
}

// parseLater queues a large file for parsing in the background.
func (w *Workspace) parseLater(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.large[path] = true
	select {
	case w.parsing <- struct{}{}:
	default:
	}
}

// Parsing returns a channel that has a token whenever [Workspace.Parse] has work.
func (w *Workspace) Parsing() <-chan struct{} { return w.parsing }

// Parse parses the large files that were edited or closed, or changed on disk. It takes
// seconds, during which snapshots use the old state of these files.
func (w *Workspace) Parse(ctx context.Context) error {
	for {
		w.mu.Lock()
		var path string
		for path = range w.large {
			break
		}
		delete(w.large, path)
		d, sources := w.next.documents[path], w.next.sources
		w.mu.Unlock()
		if path == "" {
			return nil
		}
		parse := func() error { return sources.index.Refresh(ctx, path) }
		if d != nil {
			parse = func() error { return sources.index.Update(ctx, path, []byte(d.Text.Text()), d.Revision) }
		}
		if err := parse(); err != nil {
			if ctx.Err() != nil {
				return err
			}
			w.logf("indexing: %v", err)
		}
		w.mu.Lock()
		w.edits.parsed[path] = true
		w.stale = true
		w.announce()
		w.mu.Unlock()
	}
}
