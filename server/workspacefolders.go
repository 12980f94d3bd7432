package server

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

func (s *session) didChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	for _, folder := range p.Event.Removed {
		path, err := lsp.PathOf(uri.URI(folder.URI))
		if err != nil {
			continue
		}
		s.mu.Lock()
		s.roots = slices.DeleteFunc(slices.Clone(s.roots), func(r root) bool { return r.path == path })
		s.mu.Unlock()
	}
	for _, folder := range p.Event.Added {
		path, err := lsp.PathOf(uri.URI(folder.URI))
		if err != nil {
			s.logf("a workspace folder: %v", err)
			continue
		}
		s.addRoot(path)
	}
	s.loadSources()
	s.reconfigure()
	return nil
}
