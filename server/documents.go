package server

import (
	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

func (s *session) didOpen(p *protocol.DidOpenTextDocumentParams) error {
	path, err := s.workspace.Open(p.TextDocument)
	if err != nil {
		return errIgnore // Only files can be sources of the app.
	}
	s.changedText(path)
	s.scanSources()
	return nil
}

func (s *session) didChange(p *lsp.DidChangeParams) error {
	path, ok := s.workspace.Edit(p)
	if !ok {
		return errIgnore
	}
	s.changedText(path)
	return nil
}

func (s *session) didClose(p *protocol.DidCloseTextDocumentParams) error {
	path, ok := s.workspace.Close(p.TextDocument.URI)
	if !ok {
		return errIgnore
	}
	s.changedText(path)
	return nil
}

// changedText reads the settings again if the file is a project file.
func (s *session) changedText(path string) {
	if workspace.IsProjectFile(path) {
		s.configuring.wake()
	}
}

// didSave looks for sources that changed on disk. The server already has the text of the
// saved file.
func (s *session) didSave(*struct{}) error {
	s.scanSources()
	s.saved.wake()
	s.workspace.Republish()
	return nil
}
