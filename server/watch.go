package server

import (
	"fmt"
	"os"
	"slices"
	"time"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
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

// A watcher looks at the files that a comparison reads, and at the project files.
// Its loop alone touches it.
type watcher struct {
	s     *session
	files map[string]*watched
}

func newWatcher(s *session) *watcher { return &watcher{s: s, files: make(map[string]*watched)} }

// watch looks now and at every tick, until the connection ends.
func (w *watcher) watch() {
	const name = "watching files"
	ticks, stop := w.s.o.tick("files", watchInterval)
	defer stop()
	w.s.carryOut(name, w.look)
	follow(w.s, name, ticks, w.look)
}

// look takes one look at the files.
func (w *watcher) look() error {
	s := w.s
	s.recalling.wake()
	o := s.options()
	projects := s.workspace.Roots().ProjectFiles()
	changed := w.changed(slices.Concat(o.Files(), projects))
	if s.o.looked != nil {
		defer s.o.looked()
	}
	for _, path := range changed {
		if slices.Contains(projects, path) {
			s.configuring.wake()
			return nil // which compares anew if it makes a difference
		}
	}
	if _, wanted := s.runner.Compared(); wanted && len(changed) > 0 {
		if _, err := s.compareNow(); err != nil {
			return fmt.Errorf("comparing again: %w", err)
		}
	}
	return nil
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

// scanSources looks for sources that changed on disk, in the background, if the
// client does not watch them. A look takes too long to repeat it all the time, so the
// server looks when the user opens or saves a file, or compares.
func (s *session) scanSources() {
	if !s.client.Can().Workspace.DidChangeWatchedFiles.DynamicRegistration {
		s.scanning.wake()
	}
}

// scanShare is the part of the time in which the server looks for sources that changed: one
// in scanShare. Looking takes processor time from what the user waits for.
const scanShare = 20

// scan looks for sources that changed on disk, unless they are being read, and then rests.
func (s *session) scan() error {
	sources := s.workspace.Sources()
	if !sources.Loaded() {
		return nil
	}
	begin := time.Now()
	changed, err := sources.Changes(s.ctx)
	took := time.Since(begin)
	for _, path := range changed {
		s.workspace.ChangedOnDisk(path)
	}
	if s.o.scanned != nil {
		s.o.scanned()
	}
	select {
	case <-time.After(took * (scanShare - 1)):
	case <-s.ctx.Done():
	}
	return err
}

// didChangeWatchedFiles notes files that the client saw change on disk.
func (s *session) didChangeWatchedFiles(p *protocol.DidChangeWatchedFilesParams) error {
	roots := s.workspace.Roots()
	for _, change := range p.Changes {
		if change == nil {
			continue
		}
		path, err := lsp.PathOf(change.URI)
		if err != nil {
			continue
		}
		switch path = roots.Name(path); {
		case workspace.IsProjectFile(path):
			s.configuring.wake()
		case roots.Inside(path):
			s.workspace.ChangedOnDisk(path)
		}
	}
	return nil
}

// register asks the client to watch sources, which are too many to look at here.
func (s *session) register() {
	var list []protocol.Registration
	if s.client.Can().Workspace.DidChangeWatchedFiles.DynamicRegistration {
		watchers := []protocol.FileSystemWatcher{{GlobPattern: "**/*.{java,kt,kts}"}, {GlobPattern: "**/" + workspace.ProjectFile}}
		list = append(list, protocol.Registration{
			ID: "diffprof-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: protocol.DidChangeWatchedFilesRegistrationOptions{Watchers: watchers},
		})
	}
	if s.client.Can().Workspace.DidChangeConfiguration.DynamicRegistration {
		list = append(list, protocol.Registration{
			ID: "diffprof-settings", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: map[string]string{"section": "diffprof"},
		})
	}
	if len(list) == 0 {
		return
	}
	s.background.Go(func() {
		s.client.Request(protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{Registrations: list})
	})
}
