// Package workspace holds what a language client has open, has set and has had
// compared, and gives requests a snapshot of it.
//
// A [Workspace] is safe for concurrent use. A [Snapshot] is not changed once made.
// It has every change that was made before it was asked for.
//
// Edits come faster than they are worth looking at. They are only noted. The next
// call of [Workspace.Snapshot] tells the index of the sources about them and finds
// the places of the findings again; without a change it returns the snapshot before.
// It keeps what was found in files that did not change.
//
// Files outside of the workspace folders are not read.
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

// A Workspace is what the server knows of the client's files, settings and
// comparison.
type Workspace struct {
	logf func(format string, args ...any)
	// cache is the folder for what was read of the sources, empty for none.
	cache string
	// making holds a token while a snapshot is being made.
	making chan struct{}
	// changed holds a token where there is something to publish.
	changed chan struct{}

	// mu guards what follows.
	mu sync.Mutex
	// next is what the next snapshot will be, but for what it computes.
	next Snapshot
	// latest is the snapshot that was made last, nil before the first. stale says
	// that next differs from it.
	latest *Snapshot
	stale  bool
	edits  edits
	// large are files that are to be parsed in the background; parsing holds a token
	// if there are some.
	large   map[string]bool
	parsing chan struct{}
	// noticed has what a notice was shown of.
	noticed map[string]bool
	// client are the settings as the client sent them last.
	client    json.RawMessage
	overrides overrides
}

// New returns a workspace without folders. version is this program's. cache is the folder in
// which to keep what was read of the sources; empty is none. logf takes what goes wrong with
// single files.
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

// Notice reports whether nothing was noticed of a file before, and notes that it is now.
func (w *Workspace) Notice(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := !w.noticed[path]
	w.noticed[path] = true
	return first
}

// Changed holds a token whenever a change may have to be published.
func (w *Workspace) Changed() <-chan struct{} { return w.changed }

// Announce has what is shown published again.
func (w *Workspace) Announce() { w.announce() }

func (w *Workspace) announce() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Snapshot returns a snapshot that has all changes before the call. It fails with
// ctx's error only.
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
		// Whoever asks next does what is left.
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

// feed tells the index of the sources what changed. Files outside of the workspace
// folders are not indexed.
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
			note(s.sources.index.Move(path, text, d.Version))
			w.parseLater(path)
			continue
		}
		note(s.sources.index.Update(ctx, path, text, d.Version))
	}
}

// edits are the files that changed since the last snapshot: in the editor, which
// opening and closing are too, and on disk, and those that were parsed in the background.
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

// parseLater has a large file parsed in the background.
func (w *Workspace) parseLater(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.large[path] = true
	select {
	case w.parsing <- struct{}{}:
	default:
	}
}

// Parsing holds a token whenever [Workspace.Parse] has something to do.
func (w *Workspace) Parsing() <-chan struct{} { return w.parsing }

// Parse parses the large files that were edited or closed, or changed on disk. It takes
// seconds, in which snapshots show what was known of these files before.
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
			parse = func() error { return sources.index.Update(ctx, path, []byte(d.Text.Text()), d.Version) }
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
