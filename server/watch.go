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

// watchInterval is the time between checks of a comparison's files. The server watches recordings
// for every client, because they are rarely in the workspace, and clients watch only the workspace.
const watchInterval = time.Second

// A stamp identifies a version of a file. A missing file has the zero stamp.
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

// A watched is the state of one watched file. known is its last complete version.
type watched struct {
	known stamp
	// next is a version that one check has seen. The file counts as changed if the next check sees
	// the same version, because recordings are written in pieces.
	next *stamp
}

// A watcher watches the files that a comparison reads, and the project files. Only the goroutine of
// its loop uses it.
type watcher struct {
	s     *session
	files map[string]*watched
}

func newWatcher(s *session) *watcher { return &watcher{s: s, files: make(map[string]*watched)} }

// watch checks the files now and at every tick, until the connection ends.
func (w *watcher) watch() {
	const name = "watching files"
	ticks, stop := w.s.o.tick("files", watchInterval)
	defer stop()
	w.s.runWork(name, w.look)
	follow(w.s, name, ticks, w.look)
}

// look checks the files once.
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
			return nil // which compares again if necessary
		}
	}
	if _, wanted := s.runner.Compared(); wanted && len(changed) > 0 {
		if _, err := s.compareNow(); err != nil {
			return fmt.Errorf("comparing again: %w", err)
		}
	}
	return nil
}

// changed returns the files that have changed and are completely written.
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

// scanSources looks for changed sources in the background, unless the client watches them. A scan
// is slow, so it runs only when the user opens or saves a file, or compares.
func (s *session) scanSources() {
	if !s.client.Can().Workspace.DidChangeWatchedFiles.DynamicRegistration {
		s.scanning.wake()
	}
}

// scanShare limits scans to 1/scanShare of the time. They take processor time from requests.
const scanShare = 20

// scan looks for sources that changed on disk, unless they are being read, and then pauses.
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

// didChangeWatchedFiles records files that changed on disk according to the client.
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

// register requests that the client watches the sources, which are too many to watch here.
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
