package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/settings"
)

// ignoreReason is the placeholder for the reason of an ignored task.
const ignoreReason = "ignored in the editor; write the reason here"

// ignoreEdit returns an edit of the project file that adds a task or an app method to the ignored
// rows. id is the id of the row. The client applies the edit, so the user can undo it.
func ignoreEdit(snap *workspace.Snapshot, m name.Method, id string) (*lsp.WorkspaceEdit, error) {
	path := snap.Preferences.Project().File
	if path == "" {
		return nil, errors.New("open a folder first: no workspace folder can have a " + workspace.ProjectFile)
	}
	text, version, exists, err := snap.ProjectText(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	after, err := settings.AddIgnore([]byte(text.Text()), settings.Ignore{Task: m.Label(), ID: id, Reason: ignoreReason})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	change := textEdit(snap.Encoding, text, string(after))
	target := snap.URIOf(path)
	edit := fileEdit(snap, target, version, change)
	if edit.DocumentChanges != nil && !exists && slices.Contains(snap.Client.Workspace.WorkspaceEdit.ResourceOperations, "create") {
		create := lsp.CreateFile{Kind: "create", URI: string(target), Options: lsp.CreateFileOptions{IgnoreIfExists: true}}
		edit.DocumentChanges = slices.Insert(edit.DocumentChanges, 0, any(create))
	}
	return edit, nil
}

// fileEdit returns an edit of one file, in a form that the client supports. version is the version of
// an open file. It is nil if the file is not open.
func fileEdit(snap *workspace.Snapshot, file protocol.DocumentURI, version *int32, change protocol.TextEdit) *lsp.WorkspaceEdit {
	if !snap.Client.Workspace.WorkspaceEdit.DocumentChanges {
		return &lsp.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{file: {change}}}
	}
	return &lsp.WorkspaceEdit{DocumentChanges: []any{protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: file}, Version: version,
		},
		Edits: []protocol.TextEdit{change},
	}}}
}

// textEdit returns the edit from one text to another. It replaces the lines from the first to the
// last difference.
func textEdit(e buffer.Encoding, before *buffer.Buffer, after string) protocol.TextEdit {
	old, now := strings.SplitAfter(before.Text(), "\n"), strings.SplitAfter(after, "\n")
	start, tail := 0, 0
	for start < min(len(old), len(now)) && old[start] == now[start] {
		start++
	}
	for tail < min(len(old), len(now))-start && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	offset := func(lines []string) int { return len(strings.Join(lines, "")) }
	from, to := offset(old[:start]), offset(old[:len(old)-tail])
	return protocol.TextEdit{
		Range: protocol.Range{
			Start: lsp.PositionOf(before.Position(from, e)),
			End:   lsp.PositionOf(before.Position(to, e)),
		},
		NewText: strings.Join(now[start:len(now)-tail], ""),
	}
}
