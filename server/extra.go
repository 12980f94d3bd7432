package server

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// This file has what protocol 3.16, which package protocol implements, lacks or
// cannot express: position encodings, pull diagnostics and inlay hints of 3.17,
// edits that create files, and values whose zero differs from their absence.

// Methods of 3.17, and requests to the client that package protocol does not name.
const (
	methodDiagnostic         = "textDocument/diagnostic"
	methodDiagnosticRefresh  = "workspace/diagnostic/refresh"
	methodInlayHint          = "textDocument/inlayHint"
	methodInlayHintRefresh   = "workspace/inlayHint/refresh"
	methodCodeLensRefresh    = "workspace/codeLens/refresh"
	methodDidChangeFolders   = "workspace/didChangeWorkspaceFolders"
	methodApplyEdit          = protocol.MethodWorkspaceApplyEdit
	methodRegisterCapability = protocol.MethodClientRegisterCapability
)

// initializeParams are what this server reads of initialize. Capabilities that it
// does not ask for may have any form.
type initializeParams struct {
	ProcessID             *int                       `json:"processId"`
	RootURI               string                     `json:"rootUri"`
	RootPath              string                     `json:"rootPath"`
	InitializationOptions json.RawMessage            `json:"initializationOptions"`
	WorkspaceFolders      []protocol.WorkspaceFolder `json:"workspaceFolders"`
	Capabilities          clientCapabilities         `json:"capabilities"`
}

// refreshes says whether a client can be asked to ask again.
type refreshes struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// registers says whether a client takes registrations after initialize.
type registers struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

// diagnosticCapabilities say what of a diagnostic a client shows.
type diagnosticCapabilities struct {
	RelatedInformation     bool `json:"relatedInformation"`
	CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
}

type clientCapabilities struct {
	Workspace struct {
		ApplyEdit     bool `json:"applyEdit"`
		Configuration bool `json:"configuration"`
		WorkspaceEdit struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
		DidChangeConfiguration registers `json:"didChangeConfiguration"`
		DidChangeWatchedFiles  registers `json:"didChangeWatchedFiles"`
		CodeLens               refreshes `json:"codeLens"`
		Diagnostics            refreshes `json:"diagnostics"`
		InlayHint              refreshes `json:"inlayHint"`
	} `json:"workspace"`
	TextDocument struct {
		// Diagnostic is there if the client asks for diagnostics, PublishDiagnostics
		// if it takes them unasked.
		Diagnostic         *diagnosticCapabilities `json:"diagnostic"`
		PublishDiagnostics *diagnosticCapabilities `json:"publishDiagnostics"`
	} `json:"textDocument"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
	} `json:"window"`
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
}

// serverCapabilities add those of 3.17.
type serverCapabilities struct {
	protocol.ServerCapabilities
	PositionEncoding   string             `json:"positionEncoding"`
	DiagnosticProvider *diagnosticOptions `json:"diagnosticProvider,omitempty"`
	InlayHintProvider  bool               `json:"inlayHintProvider"`
}

type diagnosticOptions struct {
	Identifier            string `json:"identifier"`
	InterFileDependencies bool   `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool   `json:"workspaceDiagnostics"`
}

type initializeResult struct {
	Capabilities serverCapabilities   `json:"capabilities"`
	ServerInfo   *protocol.ServerInfo `json:"serverInfo"`
}

// didChangeParams tell a change of the whole text, which has no range, from an
// insertion at its beginning.
type didChangeParams struct {
	TextDocument   protocol.VersionedTextDocumentIdentifier `json:"textDocument"`
	ContentChanges []struct {
		Range *protocol.Range `json:"range"`
		Text  string          `json:"text"`
	} `json:"contentChanges"`
}

// A progress is the value of $/progress; a percentage of 0 is not none.
type progress struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
	Message     string `json:"message,omitempty"`
	Percentage  *int   `json:"percentage,omitempty"`
}

type progressParams struct {
	Token string   `json:"token"`
	Value progress `json:"value"`
}

type progressCreateParams struct {
	Token string `json:"token"`
}

// workspaceEdit may create files: an element of DocumentChanges is a
// createFile or a protocol.TextDocumentEdit. Changes serve clients that know no
// DocumentChanges.
type workspaceEdit struct {
	Changes         map[protocol.DocumentURI][]protocol.TextEdit `json:"changes,omitempty"`
	DocumentChanges []any                                        `json:"documentChanges,omitempty"`
}

type codeAction struct {
	Title       string                  `json:"title"`
	Kind        protocol.CodeActionKind `json:"kind"`
	Diagnostics []protocol.Diagnostic   `json:"diagnostics,omitempty"`
	Edit        *workspaceEdit          `json:"edit,omitempty"`
	Command     *protocol.Command       `json:"command,omitempty"`
}

// diagnosticParams are those of textDocument/diagnostic.
type diagnosticParams struct {
	TextDocument     protocol.TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                          `json:"previousResultId"`
}

// A diagnosticReport is "full" with items, or "unchanged" without.
type diagnosticReport struct {
	Kind     string                 `json:"kind"`
	ResultID string                 `json:"resultId,omitempty"`
	Items    *[]protocol.Diagnostic `json:"items,omitempty"`
}

type inlayHintParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
}

type inlayHint struct {
	Position    protocol.Position       `json:"position"`
	Label       string                  `json:"label"`
	PaddingLeft bool                    `json:"paddingLeft"`
	Tooltip     *protocol.MarkupContent `json:"tooltip,omitempty"`
}
