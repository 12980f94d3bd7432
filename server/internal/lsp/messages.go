package lsp

import (
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// CancelParams name a request.
type CancelParams struct {
	ID jsonrpc2.ID `json:"id"`
}

// DidChangeParams have the changes of a text. Unlike the type in package protocol, they distinguish
// a missing range, which replaces the whole text, from an empty range at the beginning.
type DidChangeParams struct {
	TextDocument   protocol.VersionedTextDocumentIdentifier `json:"textDocument"`
	ContentChanges []ContentChange                          `json:"contentChanges"`
}

// A ContentChange replaces a range, or the whole text if Range is nil.
type ContentChange struct {
	Range *protocol.Range `json:"range"`
	Text  string          `json:"text"`
}

// DidChangeConfigurationParams have the client's settings as raw JSON.
type DidChangeConfigurationParams struct {
	Settings json.RawMessage `json:"settings"`
}

// ExecuteCommandParams have the arguments as raw JSON.
type ExecuteCommandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// A Progress is the value of $/progress. A percentage of 0 is sent. A nil percentage is omitted.
type Progress struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
	Message     string `json:"message,omitempty"`
	Percentage  *int   `json:"percentage,omitempty"`
}

// ProgressParams are the parameters of $/progress: a token and its value.
type ProgressParams struct {
	Token string   `json:"token"`
	Value Progress `json:"value"`
}

// ProgressCreateParams have the token of a new progress bar.
type ProgressCreateParams struct {
	Token string `json:"token"`
}

// ProgressCancelParams have the token of a progress bar that the user cancels. This server's tokens
// are strings, but a client may send any value.
type ProgressCancelParams struct {
	Token any `json:"token"`
}

// A WorkspaceEdit may create files: an element of DocumentChanges is a [CreateFile] or a
// protocol.TextDocumentEdit. Changes is for clients without DocumentChanges.
type WorkspaceEdit struct {
	Changes         map[protocol.DocumentURI][]protocol.TextEdit `json:"changes,omitempty"`
	DocumentChanges []any                                        `json:"documentChanges,omitempty"`
}

// A CreateFile makes an empty file; Kind is "create".
type CreateFile struct {
	Kind    string            `json:"kind"`
	URI     string            `json:"uri"`
	Options CreateFileOptions `json:"options"`
}

// CreateFileOptions define the handling of an existing file.
type CreateFileOptions struct {
	IgnoreIfExists bool `json:"ignoreIfExists"`
}

// A CodeAction has a [WorkspaceEdit] as its edit. It has no kind if it changes no text.
type CodeAction struct {
	Title       string                  `json:"title"`
	Kind        protocol.CodeActionKind `json:"kind,omitempty"`
	Diagnostics []protocol.Diagnostic   `json:"diagnostics,omitempty"`
	Edit        *WorkspaceEdit          `json:"edit,omitempty"`
	Command     *protocol.Command       `json:"command,omitempty"`
}

// DiagnosticParams request the diagnostics of one file.
type DiagnosticParams struct {
	TextDocument     protocol.TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                          `json:"previousResultId"`
}

// A DiagnosticReport is "full" with items, or "unchanged" without.
type DiagnosticReport struct {
	Kind     string                 `json:"kind"`
	ResultID string                 `json:"resultId,omitempty"`
	Items    *[]protocol.Diagnostic `json:"items,omitempty"`
}

// LinesParams request the lines of a file.
type LinesParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
}

// InlayHintParams request the hints in a part of a file.
type InlayHintParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
}

// An InlayHint is a text between the characters of a line.
type InlayHint struct {
	Position    protocol.Position       `json:"position"`
	Label       string                  `json:"label"`
	PaddingLeft bool                    `json:"paddingLeft"`
	Tooltip     *protocol.MarkupContent `json:"tooltip,omitempty"`
}
