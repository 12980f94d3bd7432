package lsp

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
)

// InitializeParams are the parts of initialize that this server reads. Other capabilities may
// have any form.
type InitializeParams struct {
	ProcessID             *int                       `json:"processId"`
	RootURI               string                     `json:"rootUri"`
	RootPath              string                     `json:"rootPath"`
	InitializationOptions json.RawMessage            `json:"initializationOptions"`
	WorkspaceFolders      []protocol.WorkspaceFolder `json:"workspaceFolders"`
	Capabilities          ClientCapabilities         `json:"capabilities"`
}

// Refreshes reports whether a client supports refresh requests.
type Refreshes struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// Registers reports whether a client supports dynamic registration.
type Registers struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

// DiagnosticCapabilities are the optional parts of a diagnostic that a client shows.
type DiagnosticCapabilities struct {
	RelatedInformation     bool `json:"relatedInformation"`
	CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
}

// ClientCapabilities are the capabilities that a client sends.
type ClientCapabilities struct {
	Workspace struct {
		Configuration bool `json:"configuration"`
		WorkspaceEdit struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
		DidChangeConfiguration Registers `json:"didChangeConfiguration"`
		DidChangeWatchedFiles  Registers `json:"didChangeWatchedFiles"`
		CodeLens               Refreshes `json:"codeLens"`
		Diagnostics            Refreshes `json:"diagnostics"`
		InlayHint              Refreshes `json:"inlayHint"`
	} `json:"workspace"`
	TextDocument struct {
		// Diagnostic is set if the client pulls diagnostics, PublishDiagnostics if it
		// accepts pushed ones.
		Diagnostic         *DiagnosticCapabilities `json:"diagnostic"`
		PublishDiagnostics *DiagnosticCapabilities `json:"publishDiagnostics"`
		Hover              struct {
			ContentFormat []protocol.MarkupKind `json:"contentFormat"`
		} `json:"hover"`
		Completion struct {
			CompletionItem struct {
				DocumentationFormat []protocol.MarkupKind `json:"documentationFormat"`
			} `json:"completionItem"`
		} `json:"completion"`
		CodeAction struct {
			// CodeActionLiteralSupport is set if the client supports more than commands.
			CodeActionLiteralSupport *struct{} `json:"codeActionLiteralSupport"`
		} `json:"codeAction"`
	} `json:"textDocument"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Experimental json.RawMessage `json:"experimental"`
}

// Listens reports whether the client supports diffprof's own notifications. Other clients
// would report each of them as unknown.
func (c *ClientCapabilities) Listens() bool {
	var own struct {
		Diffprof struct {
			Notifications bool `json:"notifications"`
		} `json:"diffprof"`
	}
	// Options of clients for other servers may have any form.
	return json.Unmarshal(c.Experimental, &own) == nil && own.Diffprof.Notifications
}

// ReadsMarkdown reports whether hovers may be Markdown.
func (c *ClientCapabilities) ReadsMarkdown() bool {
	return slices.Contains(c.TextDocument.Hover.ContentFormat, protocol.Markdown)
}

// CompletesWithMarkdown reports whether the documentation of completions may be Markdown.
func (c *ClientCapabilities) CompletesWithMarkdown() bool {
	return slices.Contains(c.TextDocument.Completion.CompletionItem.DocumentationFormat, protocol.Markdown)
}

// Pulls reports whether the client pulls diagnostics. A client that also accepts pushed diagnostics
// gets pushed ones, because it would pull only for open files and a comparison concerns all files. A
// client that pulls must support refresh requests, because a comparison may end without an edit.
func (c *ClientCapabilities) Pulls() bool {
	return c.TextDocument.PublishDiagnostics == nil && c.TextDocument.Diagnostic != nil && c.Workspace.Diagnostics.RefreshSupport
}

// DiagnosticsShow returns the optional parts of a diagnostic that the client shows.
func (c *ClientCapabilities) DiagnosticsShow() DiagnosticCapabilities {
	for _, d := range []*DiagnosticCapabilities{c.TextDocument.PublishDiagnostics, c.TextDocument.Diagnostic} {
		if d != nil {
			return *d
		}
	}
	return DiagnosticCapabilities{}
}

// An InitializeResult answers initialize.
type InitializeResult struct {
	Capabilities ServerCapabilities   `json:"capabilities"`
	ServerInfo   *protocol.ServerInfo `json:"serverInfo"`
}

// ServerCapabilities add the capabilities of version 3.17.
type ServerCapabilities struct {
	protocol.ServerCapabilities
	PositionEncoding   string             `json:"positionEncoding"`
	DiagnosticProvider *DiagnosticOptions `json:"diagnosticProvider,omitempty"`
	InlayHintProvider  bool               `json:"inlayHintProvider"`
}

// DiagnosticOptions are the options of a server with pull diagnostics.
type DiagnosticOptions struct {
	Identifier            string `json:"identifier"`
	InterFileDependencies bool   `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool   `json:"workspaceDiagnostics"`
}
