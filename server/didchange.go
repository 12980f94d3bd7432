package server

import (
	"context"
	"path/filepath"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

func (s *session) didOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	path, err := lsp.PathOf(p.TextDocument.URI)
	if err != nil {
		return errIgnore // what is not a file is no source of the app
	}
	s.setDocument(&document{
		uri: p.TextDocument.URI, path: s.known(path), version: p.TextDocument.Version, text: buffer.New(p.TextDocument.Text),
	})
	s.scanSources()
	return nil
}

func (s *session) didChange(_ context.Context, p *lsp.DidChangeParams) error {
	old := s.document(p.TextDocument.URI)
	if old == nil {
		return errIgnore
	}
	next := *old
	next.version = p.TextDocument.Version
	for _, change := range p.ContentChanges {
		if change.Range == nil {
			next.text = buffer.New(change.Text)
			continue
		}
		next.text = next.text.Replace(lsp.PlaceOf(change.Range.Start), lsp.PlaceOf(change.Range.End), change.Text, s.encoding)
	}
	s.setDocument(&next)
	return nil
}

func (s *session) didClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	d := s.document(p.TextDocument.URI)
	if d == nil {
		return errIgnore
	}
	s.mu.Lock()
	delete(s.documents, d.path)
	s.mu.Unlock()
	s.changedText(d.path)
	return nil
}

// changedText notes that a file's text may be another.
func (s *session) changedText(path string) {
	if filepath.Base(path) == projectFile {
		s.reconfigure()
		return
	}
	s.edited(path)
}

// didSave is a moment to look for what changed on disk. The text itself is known.
func (s *session) didSave(_ context.Context, _ *struct{}) error {
	s.scanSources()
	return nil
}

func (s *session) setDocument(d *document) {
	s.mu.Lock()
	s.documents[d.path] = d
	s.mu.Unlock()
	s.changedText(d.path)
}
