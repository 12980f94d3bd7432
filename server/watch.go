package server

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// watchInterval is how often the files of a comparison are looked at. Recordings
// are watched here for every client: they rarely lie in the workspace, where
// clients look.
const watchInterval = time.Second

// A stamp tells versions of a file apart; the zero stamp is of a file that is not
// there.
type stamp struct {
	modified time.Time
	size     int64
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size()}
}

// A watched file is one whose change calls for something.
type watched struct {
	known stamp
	// next is a stamp that was seen once. A file is taken for changed when it stays
	// the same for an interval: a recording is written in pieces.
	next *stamp
}

// A watcher looks at files. Its loop alone touches it.
type watcher struct {
	files map[string]*watched
}

// changed returns those of the files that have changed and are whole.
func (w *watcher) changed(paths []string) []string {
	for path := range w.files {
		if !slices.Contains(paths, path) {
			delete(w.files, path)
		}
	}
	var out []string
	for _, path := range paths {
		now := stampOf(path)
		f := w.files[path]
		switch {
		case f == nil:
			w.files[path] = &watched{known: now}
		case now == f.known:
			f.next = nil
		case f.next == nil || *f.next != now:
			f.next = &now
		default:
			f.known, f.next = now, nil
			out = append(out, path)
		}
	}
	return out
}

// watch looks at the inputs of the comparison, at the project files and, when asked
// to, at the sources until the connection ends.
func (s *session) watch() {
	ticks, stop := s.o.tick("files", watchInterval)
	defer stop()
	w := watcher{files: make(map[string]*watched)}
	look := func() error { return s.look(&w) }
	next := look
	for {
		if err := next(); err != nil && s.ctx.Err() == nil {
			s.logf("watching: %v", err)
		}
		select {
		case <-s.ctx.Done():
			return
		case <-ticks:
			next = look
		case <-s.scanning:
			next = s.scan
		}
	}
}

// look takes one look at the files that a comparison reads.
func (s *session) look(w *watcher) (err error) {
	defer s.recovers("watching files", &err)
	inputs, projects := s.inputs(), s.projectFiles()
	changed := w.changed(slices.Concat(inputs, projects))
	if s.o.looked != nil {
		defer s.o.looked()
	}
	for _, path := range changed {
		if slices.Contains(projects, path) {
			s.reconfigure()
			return nil // which compares anew if it makes a difference
		}
	}
	if len(changed) > 0 {
		s.recompare()
	}
	return nil
}

// scanSources looks for sources that changed on disk, in the background, for a
// client that does not tell of them. It takes too long for doing it all the time: it
// is done when the user opens or saves a file, or compares.
func (s *session) scanSources() {
	if s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		return
	}
	select {
	case s.scanning <- struct{}{}:
	default:
	}
}

func (s *session) scan() (err error) {
	defer s.recovers("looking for changed sources", &err)
	s.mu.Lock()
	index, loaded := s.desk.index, s.loaded
	s.mu.Unlock()
	select {
	case <-loaded:
	default:
		return nil // they are being read
	}
	changed, err := index.Changes(s.ctx)
	for _, path := range changed {
		s.refreshed(path)
	}
	if s.o.scanned != nil {
		s.o.scanned()
	}
	return err
}

// didChangeWatchedFiles takes the client's word for it that files changed.
func (s *session) didChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	for _, change := range p.Changes {
		if change == nil {
			continue
		}
		path, err := lsp.PathOf(change.URI)
		if err != nil {
			continue
		}
		switch path = s.known(path); {
		case filepath.Base(path) == projectFile:
			s.reconfigure()
		case s.inside(path):
			s.refreshed(path)
		}
	}
	return nil
}

// refreshed notes that a file of the workspace changed on disk. What is shown of one
// that is open follows its editor: saving it changes nothing.
func (s *session) refreshed(path string) {
	s.mu.Lock()
	s.desk.changedOnDisk[path] = true
	s.desk.stale = true
	if s.documents[path] == nil {
		s.desk.generation++
	}
	s.mu.Unlock()
	s.wakePublisher()
}

// register asks the client to watch sources, which are too many to look at here.
func (s *session) register() {
	var list []protocol.Registration
	if s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		watchers := []protocol.FileSystemWatcher{{GlobPattern: "**/*.{java,kt,kts}"}, {GlobPattern: "**/" + projectFile}}
		list = append(list, protocol.Registration{
			ID: "diffprof-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: protocol.DidChangeWatchedFilesRegistrationOptions{Watchers: watchers},
		})
	}
	if s.client.Workspace.DidChangeConfiguration.DynamicRegistration {
		list = append(list, protocol.Registration{
			ID: "diffprof-settings", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: map[string]string{"section": "diffprof"},
		})
	}
	if len(list) == 0 {
		return
	}
	s.background.Go(func() {
		if err := s.call(s.ctx, lsp.MethodRegisterCapability, &protocol.RegistrationParams{Registrations: list}, nil); err != nil && s.ctx.Err() == nil {
			s.logf("%v", err)
		}
	})
}
