package server

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.lsp.dev/protocol"
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

// watch looks at the inputs of the comparison and at the project files until the
// connection ends.
func (s *session) watch() {
	ticks, stop := s.o.tick("files", watchInterval)
	defer stop()
	w := watcher{files: make(map[string]*watched)}
	for {
		var err error
		s.look(&w, &err)
		if err != nil {
			s.logf("watching: %v", err)
		}
		select {
		case <-s.ctx.Done():
			return
		case <-ticks:
		case <-s.looking:
		}
	}
}

// look takes one look at the files.
func (s *session) look(w *watcher, err *error) {
	defer s.recovers("watching files", err)
	inputs, projects := s.inputs(), s.projectFiles()
	changed := w.changed(slices.Concat(inputs, projects))
	if s.o.looked != nil {
		defer s.o.looked()
	}
	for _, path := range changed {
		if slices.Contains(projects, path) {
			s.reconfigure()
			return // which compares anew if it makes a difference
		}
	}
	if len(changed) > 0 {
		s.recompare()
	}
}

// didChangeWatchedFiles takes the client's word for it that files changed.
func (s *session) didChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	for _, change := range p.Changes {
		if change == nil {
			continue
		}
		path, err := pathOf(change.URI)
		if err != nil {
			continue
		}
		path = s.known(path)
		if s.inside(path) {
			s.refreshed(path)
		}
	}
	// Recordings and project files among them are found by looking.
	select {
	case s.looking <- struct{}{}:
	default:
	}
	return nil
}

// refreshed notes that a file of the workspace changed on disk.
func (s *session) refreshed(path string) {
	s.mu.Lock()
	s.desk.changedOnDisk[path] = true
	s.desk.stale = true
	s.desk.generation++
	s.mu.Unlock()
	s.wakePublisher()
}

// register asks the client to watch sources, which are too many to look at here.
func (s *session) register() {
	var list []protocol.Registration
	if s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		var watchers []protocol.FileSystemWatcher
		for _, glob := range []string{"**/*.java", "**/*.kt", "**/" + projectFile} {
			watchers = append(watchers, protocol.FileSystemWatcher{GlobPattern: glob})
		}
		for _, path := range s.inputs() {
			if s.inside(path) {
				watchers = append(watchers, protocol.FileSystemWatcher{GlobPattern: filepath.ToSlash(path)})
			}
		}
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
		if err := s.call(s.ctx, methodRegisterCapability, &protocol.RegistrationParams{Registrations: list}, nil); err != nil && s.ctx.Err() == nil {
			s.logf("%v", err)
		}
	})
}
