package lsp

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
)

// InitializeParams are what this server reads of initialize. Capabilities that it
// does not ask for may have any form.
type InitializeParams struct {
	ProcessID             *int                       `json:"processId"`
	RootURI               string                     `json:"rootUri"`
	RootPath              string                     `json:"rootPath"`
	InitializationOptions json.RawMessage            `json:"initializationOptions"`
	WorkspaceFolders      []protocol.WorkspaceFolder `json:"workspaceFolders"`
	Capabilities          ClientCapabilities         `json:"capabilities"`
}

// Refreshes says whether a client can be asked to ask again.
type Refreshes struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// Registers says whether a client takes registrations after initialize.
type Registers struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

// DiagnosticCapabilities say what of a diagnostic a client shows.
type DiagnosticCapabilities struct {
	RelatedInformation     bool `json:"relatedInformation"`
	CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
}

// ClientCapabilities are what a client says that it can do.
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
		// Diagnostic is there if the client asks for diagnostics, PublishDiagnostics
		// if it takes them unasked.
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
			// CodeActionLiteralSupport is there if the client takes more than commands.
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

// Listens reports whether the client asks for diffprof's own notifications. Others would
// say at each of them that they do not know it.
func (c *ClientCapabilities) Listens() bool {
	var own struct {
		Diffprof struct {
			Notifications bool `json:"notifications"`
		} `json:"diffprof"`
	}
	// What other servers' clients put there has any form.
	return json.Unmarshal(c.Experimental, &own) == nil && own.Diffprof.Notifications
}

// ReadsMarkdown reports whether hovers may be Markdown.
func (c *ClientCapabilities) ReadsMarkdown() bool {
	return slices.Contains(c.TextDocument.Hover.ContentFormat, protocol.Markdown)
}

// CompletesWithMarkdown reports the same of what is said beside a completion.
func (c *ClientCapabilities) CompletesWithMarkdown() bool {
	return slices.Contains(c.TextDocument.Completion.CompletionItem.DocumentationFormat, protocol.Markdown)
}

// Pulls reports whether the client asks for diagnostics. A client that also takes
// them unasked gets them unasked: it asks for open files only, and a comparison
// speaks of all files. A client that asks must be able to be told to ask again,
// because a comparison ends while nobody edits.
func (c *ClientCapabilities) Pulls() bool {
	return c.TextDocument.PublishDiagnostics == nil && c.TextDocument.Diagnostic != nil && c.Workspace.Diagnostics.RefreshSupport
}

// DiagnosticsShow says what of a diagnostic the client shows.
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

// ServerCapabilities add those of 3.17.
type ServerCapabilities struct {
	protocol.ServerCapabilities
	PositionEncoding   string             `json:"positionEncoding"`
	DiagnosticProvider *DiagnosticOptions `json:"diagnosticProvider,omitempty"`
	InlayHintProvider  bool               `json:"inlayHintProvider"`
}

// DiagnosticOptions describe a server that is asked for diagnostics.
type DiagnosticOptions struct {
	Identifier            string `json:"identifier"`
	InterFileDependencies bool   `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool   `json:"workspaceDiagnostics"`
}
