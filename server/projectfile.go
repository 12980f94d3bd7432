package server

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/settings"
)

// problems returns diagnostics for the errors in a project file.
func problems(snap *workspace.Snapshot, path string) []protocol.Diagnostic {
	out := []protocol.Diagnostic{}
	found := snap.Preferences.Problems[path]
	for _, p := range found.List {
		severity := protocol.DiagnosticSeverityError
		if p.Warning {
			severity = protocol.DiagnosticSeverityWarning
		}
		out = append(out, inProject(snap, found.Text, p, codeSetting, severity))
	}
	if path != snap.Preferences.Project().File {
		return out
	}
	text, _, exists, err := snap.ProjectText(path)
	if err != nil || !exists {
		return out
	}
	if f := snap.Failure; f != nil {
		if at, ok := inputAt(snap, text, f.Setting); ok {
			at.Message = f.Message
			out = append(out, inProject(snap, text, at, codeInput, protocol.DiagnosticSeverityError))
		}
	}
	if snap.Set == nil {
		return out
	}
	for _, w := range snap.Set.Result.Comparability {
		side := "subject"
		if strings.HasPrefix(w.Message, "the reference") {
			side = "reference"
		}
		if at, ok := inputAt(snap, text, side); ok {
			at.Message = w.Message
			out = append(out, inProject(snap, text, at, codeUnlike, protocol.DiagnosticSeverityInformation))
		}
	}
	return out
}

// inputAt finds the place in a project file where a setting names a compared file.
func inputAt(snap *workspace.Snapshot, text *buffer.Buffer, setting string) (settings.Problem, bool) {
	keys := []string{setting}
	if pair := snap.Preferences.Project().Saved.Pair; pair != "" {
		keys = []string{"pairs", pair, setting}
	}
	return settings.Find([]byte(text.Text()), keys...)
}

// inProject returns a diagnostic at a place of a project file.
func inProject(snap *workspace.Snapshot, text *buffer.Buffer, p settings.Problem, code string, severity protocol.DiagnosticSeverity) protocol.Diagnostic {
	at := func(column int) protocol.Position {
		place := buffer.Position{Line: max(p.Line-1, 0), Column: max(column-1, 0)}
		return lsp.PositionOf(lsp.Recode(text, place, buffer.UTF8, snap.Encoding))
	}
	return explained(snap, protocol.Diagnostic{
		Range: protocol.Range{Start: at(p.Column), End: at(p.EndColumn)}, Severity: severity, Source: "diffprof", Code: code, Message: p.Message,
	})
}

// projectPlace returns the text of the project file that a request is about, and the place in it.
// Columns count bytes. ok is false for another file.
func projectPlace(snap *workspace.Snapshot, document protocol.TextDocumentIdentifier, p protocol.Position) (text *buffer.Buffer, at buffer.Position, ok bool) {
	path, err := lsp.PathOf(document.URI)
	if err != nil || !workspace.IsProjectFile(path) {
		return nil, at, false
	}
	path = snap.Roots.Name(path)
	if !slices.Contains(snap.Roots.ProjectFiles(), path) && snap.Document(path) == nil {
		return nil, at, false
	}
	if text, _, _, err = snap.ProjectText(path); err != nil {
		return nil, at, false
	}
	return text, lsp.Recode(text, lsp.PlaceOf(p), snap.Encoding, buffer.UTF8), true
}

// completion offers settings and their values in project files.
func completion(_ context.Context, snap *workspace.Snapshot, p *protocol.CompletionParams) ([]protocol.CompletionItem, error) {
	out := []protocol.CompletionItem{}
	text, at, ok := projectPlace(snap, p.TextDocument, p.Position)
	if !ok {
		return out, nil
	}
	for _, s := range settings.Suggest([]byte(text.Text()), at.Line, at.Column) {
		item := protocol.CompletionItem{Label: s.Label, InsertText: s.Insert, Kind: protocol.CompletionItemKindValue}
		if s.Key {
			item.Kind = protocol.CompletionItemKindProperty
		}
		if s.Doc != "" {
			item.Documentation = explanation(s.Doc, snap.Client.CompletesWithMarkdown()).content()
		}
		out = append(out, item)
	}
	return out, nil
}

// hoverSetting describes the setting at a place of a project file; nil without one.
func hoverSetting(snap *workspace.Snapshot, text *buffer.Buffer, at buffer.Position) *protocol.Hover {
	doc, from, to, ok := settings.Explain([]byte(text.Text()), at.Line, at.Column)
	if !ok {
		return nil
	}
	edge := func(column int) protocol.Position {
		return lsp.PositionOf(lsp.Recode(text, buffer.Position{Line: at.Line, Column: column}, buffer.UTF8, snap.Encoding))
	}
	return &protocol.Hover{Contents: explanation(doc, snap.Client.ReadsMarkdown()).content(), Range: &protocol.Range{Start: edge(from), End: edge(to)}}
}

// explanation returns the description of a setting, in Markdown or as plain text.
func explanation(doc string, markdown bool) *prose {
	b := &prose{plain: !markdown}
	if b.plain {
		doc = strings.NewReplacer("** ", ": ", "**", "", "`", "").Replace(doc)
	}
	b.WriteString(doc)
	return b
}
