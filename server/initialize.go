package server

import (
	"context"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/server/internal/buffer"
)

// parentInterval is how often the server looks whether its client is alive. The
// end of the input is what usually tells, at once.
const parentInterval = 5 * time.Second

func (s *session) initialize(_ context.Context, p *initializeParams) (*initializeResult, error) {
	if s.phase != created {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "initialize came a second time")
	}
	s.phase = running
	s.client = p.Capabilities
	s.encoding = negotiate(p.Capabilities.General.PositionEncodings)
	s.takeRoots(p)
	s.takeInitializationOptions(p.InitializationOptions)
	s.readSettings()
	if p.ProcessID != nil && *p.ProcessID > 0 {
		s.watchParent(*p.ProcessID)
	}
	result := &initializeResult{
		Capabilities: serverCapabilities{
			ServerCapabilities: protocol.ServerCapabilities{
				TextDocumentSync: &protocol.TextDocumentSyncOptions{
					OpenClose: true,
					Change:    protocol.TextDocumentSyncKindIncremental,
					Save:      &protocol.SaveOptions{},
				},
				HoverProvider:           true,
				CodeLensProvider:        &protocol.CodeLensOptions{},
				CodeActionProvider:      &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.QuickFix}},
				WorkspaceSymbolProvider: true,
				ExecuteCommandProvider:  &protocol.ExecuteCommandOptions{Commands: commandNames()},
				Workspace: &protocol.ServerCapabilitiesWorkspace{
					WorkspaceFolders: &protocol.ServerCapabilitiesWorkspaceFolders{Supported: true, ChangeNotifications: true},
				},
			},
			PositionEncoding:  s.encoding.String(),
			InlayHintProvider: true,
		},
		ServerInfo: &protocol.ServerInfo{Name: "diffprof", Version: s.o.Version},
	}
	if s.pulls() {
		result.Capabilities.DiagnosticProvider = &diagnosticOptions{Identifier: "diffprof", InterFileDependencies: true}
	}
	return result, nil
}

// pulls reports whether the client asks for diagnostics. One that takes them
// unasked gets them so, since it asks for open files alone, and a comparison speaks
// of all. It must be able to be told to ask again too: a comparison ends when nobody
// edits.
func (s *session) pulls() bool {
	c := &s.client
	return c.TextDocument.PublishDiagnostics == nil && c.TextDocument.Diagnostic != nil && c.Workspace.Diagnostics.RefreshSupport
}

// diagnosticsShow says what of a diagnostic the client shows.
func (s *session) diagnosticsShow() diagnosticCapabilities {
	for _, c := range []*diagnosticCapabilities{s.client.TextDocument.PublishDiagnostics, s.client.TextDocument.Diagnostic} {
		if c != nil {
			return *c
		}
	}
	return diagnosticCapabilities{}
}

// negotiate picks UTF-16, which the sources are counted in, unless the client
// offers others alone; then the first of those.
func negotiate(offered []string) buffer.Encoding {
	if slices.Contains(offered, buffer.UTF16.String()) {
		return buffer.UTF16
	}
	for _, name := range offered {
		for _, e := range []buffer.Encoding{buffer.UTF8, buffer.UTF32} {
			if name == e.String() {
				return e
			}
		}
	}
	return buffer.UTF16
}

// takeRoots takes the workspace folders, or what clients sent before there were
// any.
func (s *session) takeRoots(p *initializeParams) {
	folders := slices.Clone(p.WorkspaceFolders)
	if len(folders) == 0 && p.RootURI != "" {
		folders = append(folders, protocol.WorkspaceFolder{URI: p.RootURI})
	}
	if len(folders) == 0 && p.RootPath != "" {
		folders = append(folders, protocol.WorkspaceFolder{URI: string(uriOf(p.RootPath))})
	}
	for _, folder := range folders {
		path, err := pathOf(uri.URI(folder.URI))
		if err != nil {
			s.logf("a workspace folder: %v", err)
			continue
		}
		s.addRoot(path)
	}
}

// watchParent ends the session when the client's process is gone.
func (s *session) watchParent(pid int) {
	ticks, stop := s.o.tick("parent", parentInterval)
	s.background.Go(func() {
		defer stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-ticks:
				if !s.o.alive(pid) {
					s.logf("the client, process %d, is gone", pid)
					s.end()
					return
				}
			}
		}
	})
}
