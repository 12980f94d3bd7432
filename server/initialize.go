package server

import (
	"context"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// parentInterval is how often the server looks whether its client is alive. The
// end of the input is what usually tells, at once.
const parentInterval = 5 * time.Second

func (s *session) initialize(_ context.Context, p *lsp.InitializeParams) (*lsp.InitializeResult, error) {
	if s.phase != created {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "initialize came a second time")
	}
	s.phase = running
	s.client = p.Capabilities
	s.encoding = lsp.Negotiate(p.Capabilities.General.PositionEncodings)
	s.takeRoots(p)
	s.takeInitializationOptions(p.InitializationOptions)
	s.readSettings()
	if p.ProcessID != nil && *p.ProcessID > 0 {
		s.watchParent(*p.ProcessID)
	}
	result := &lsp.InitializeResult{
		Capabilities: lsp.ServerCapabilities{
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
	if s.client.Pulls() {
		result.Capabilities.DiagnosticProvider = &lsp.DiagnosticOptions{Identifier: "diffprof", InterFileDependencies: true}
	}
	return result, nil
}

// takeRoots takes the workspace folders, or what clients sent before there were
// any.
func (s *session) takeRoots(p *lsp.InitializeParams) {
	folders := slices.Clone(p.WorkspaceFolders)
	if len(folders) == 0 && p.RootURI != "" {
		folders = append(folders, protocol.WorkspaceFolder{URI: p.RootURI})
	}
	if len(folders) == 0 && p.RootPath != "" {
		folders = append(folders, protocol.WorkspaceFolder{URI: string(lsp.URIOf(p.RootPath))})
	}
	for _, folder := range folders {
		path, err := lsp.PathOf(uri.URI(folder.URI))
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
