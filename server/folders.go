package server

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/server/internal/client"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// didChangeWorkspaceFolders reads the sources of other folders.
func (s *session) didChangeWorkspaceFolders(p *protocol.DidChangeWorkspaceFoldersParams) error {
	roots := s.workspace.Roots()
	for _, folder := range p.Event.Removed {
		if path, err := lsp.PathOf(uri.URI(folder.URI)); err == nil {
			roots = roots.Without(path)
		}
	}
	s.workspace.SetRoots(s.withFolders(roots, p.Event.Added))
	s.loadSources()
	s.configuring.wake()
	return nil
}

// loads manages the background reading of the workspace's sources.
type loads struct {
	count int
	// stop ends the latest reading. It is nil before the first reading.
	stop context.CancelFunc
}

// loadSources reads the workspace's sources in the background. It replaces an earlier
// reading.
func (s *session) loadSources() {
	if s.loads.stop != nil {
		s.loads.stop()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.loads.stop = cancel
	s.loads.count++
	sources := s.workspace.Reload()
	shown := client.NoWork()
	if len(s.workspace.Roots()) > 0 {
		shown = s.client.Show(ctx, fmt.Sprintf("diffprof/index/%d", s.loads.count), "diffprof", cancel, s.background.Go)
	}
	s.background.Go(func() {
		defer cancel()
		err := s.guard("reading sources", func() error { return s.load(ctx, sources, shown) })
		switch {
		case err == nil:
			shown.End("done")
		case errors.Is(err, context.Canceled):
			shown.End("cancelled")
		default:
			s.client.Logf("reading sources: %v", err)
			shown.End("failed")
		}
		s.workspace.Invalidate()
		if s.beforeSources.Swap(false) && err == nil {
			if _, err := s.compareNow(); err != nil {
				s.client.Logf("comparing again: %v", err)
			}
		}
	})
}

func (s *session) load(ctx context.Context, sources *workspace.Sources, shown *client.Work) error {
	if s.o.loading != nil {
		s.o.loading()
	}
	warnings, err := sources.Load(ctx, func(done, total int) { progress(shown, "indexing", int64(done), int64(total)) })
	for _, w := range warnings {
		s.client.Notify(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{Type: protocol.MessageTypeWarning, Message: "diffprof: " + w.Message})
	}
	return err
}
