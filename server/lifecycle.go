package server

import (
	"context"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// parentInterval is the time between checks whether the client's process exists. Usually the input
// ends when the client dies, and the server notices at once.
const parentInterval = 5 * time.Second

func (s *session) initialize(_ context.Context, p *lsp.InitializeParams) (*lsp.InitializeResult, error) {
	if s.phase != created {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "initialize arrived a second time")
	}
	s.start(p.Capabilities)
	s.workspace.SetRoots(s.folders(p))
	s.workspace.SetClientSettings(p.InitializationOptions)
	s.asking.wake()
	s.workspace.ReadSettings()
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
				CompletionProvider:      &protocol.CompletionOptions{},
				CodeLensProvider:        &protocol.CodeLensOptions{},
				CodeActionProvider:      &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.QuickFix}},
				WorkspaceSymbolProvider: true,
				CallHierarchyProvider:   true,
				ExecuteCommandProvider:  &protocol.ExecuteCommandOptions{Commands: commandNames()},
				Workspace: &protocol.ServerCapabilitiesWorkspace{
					WorkspaceFolders: &protocol.ServerCapabilitiesWorkspaceFolders{Supported: true, ChangeNotifications: true},
				},
			},
			PositionEncoding:  lsp.Negotiate(p.Capabilities.General.PositionEncodings).String(),
			InlayHintProvider: true,
		},
		ServerInfo: &protocol.ServerInfo{Name: "diffprof", Version: s.o.Version},
	}
	if s.client.Can().Pulls() {
		result.Capabilities.DiagnosticProvider = &lsp.DiagnosticOptions{Identifier: "diffprof", InterFileDependencies: true}
	}
	return result, nil
}

// folders returns the workspace folders, or the single folder that older clients send.
func (s *session) folders(p *lsp.InitializeParams) workspace.Roots {
	folders := slices.Clone(p.WorkspaceFolders)
	if len(folders) == 0 && p.RootURI != "" {
		folders = append(folders, protocol.WorkspaceFolder{URI: p.RootURI})
	}
	if len(folders) == 0 && p.RootPath != "" {
		folders = append(folders, protocol.WorkspaceFolder{URI: string(lsp.URIOf(p.RootPath))})
	}
	return s.withFolders(nil, folders)
}

// withFolders adds workspace folders. It omits folders with a URI that names no file.
func (s *session) withFolders(roots workspace.Roots, folders []protocol.WorkspaceFolder) workspace.Roots {
	for _, folder := range folders {
		path, err := lsp.PathOf(uri.URI(folder.URI))
		if err != nil {
			s.client.Logf("a workspace folder: %v", err)
			continue
		}
		roots = roots.With(path)
	}
	return roots
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
					s.client.Logf("the client, process %d, is gone", pid)
					s.end()
					return
				}
			}
		}
	})
}

// initialized starts the background work that sends messages to the client. The protocol allows such
// messages from now on.
func (s *session) initialized(*struct{}) error {
	if s.phase != running {
		return errIgnore
	}
	s.phase = listening
	s.background.Go(func() { follow(s, "publishing", s.workspace.Changed(), newPublisher(s).publish) })
	s.background.Go(func() { follow(s, "reading the settings", s.configuring, newConfigurer(s).configure) })
	s.background.Go(func() {
		follow(s, "parsing large files", s.workspace.Parsing(), func() error {
			defer s.o.giveBack()
			return s.workspace.Parse(s.ctx)
		})
	})
	s.background.Go(func() { follow(s, "looking for changed sources", s.scanning, s.scan) })
	s.background.Go(func() { follow(s, "reading the history", s.recalling, (&historyReader{s: s}).recall) })
	s.background.Go(func() { newWatcher(s).watch() })
	if s.o.Assistants != nil {
		s.background.Go(func() { s.runWork("serving assistants", s.assist) })
	}
	s.register()
	s.loadSources()
	s.configuring.wake()
	return nil
}

// shutdown cancels the comparison. From now on the server handles only exit.
func (s *session) shutdown(context.Context, *struct{}) (any, error) {
	s.phase = shutDown
	s.shutdownDone.Store(true)
	s.runner.Cancel()
	return nil, nil
}

// exit ends the connection, with or without shutdown.
func (s *session) exit(*struct{}) error {
	s.end()
	return nil
}

// cancelRequest cancels a running request.
func (s *session) cancelRequest(p *lsp.CancelParams) error {
	s.client.Cancel(p.ID)
	return nil
}

// workDoneProgressCancel cancels work for the user.
func (s *session) workDoneProgressCancel(p *lsp.ProgressCancelParams) error {
	token, ok := p.Token.(string)
	if !ok {
		return errIgnore
	}
	s.client.CancelWork(token)
	return nil
}

// setTrace accepts and ignores its setting: the log does not depend on it.
func (s *session) setTrace(*struct{}) error { return nil }
