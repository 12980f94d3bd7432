package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// maxActionTasks limits the number of tasks in one answer.
const maxActionTasks = 5

// codeActions returns the actions for a range of a file, such as "ignore this finding". It offers
// them for calls in the range, and for methods declared in its lines. If no call overlaps the
// range, it uses all calls in its lines.
func codeActions(_ context.Context, snap *workspace.Snapshot, p *protocol.CodeActionParams) ([]any, error) {
	out := []any{}
	marks, path := snap.Marks(p.TextDocument.URI)
	if marks == nil {
		return out, nil
	}
	from, to := snap.PlaceOf(path, p.Range.Start), snap.PlaceOf(path, p.Range.End)
	offered := 0
	for _, mark := range within(marks.Calls, from, to) {
		for _, group := range groups(snap, mark) {
			if offered++; offered <= maxActionTasks {
				out = append(out, fitting(snap, p.Context.Only, taskActions(snap, mark, group, p.Context.Diagnostics))...)
			}
		}
	}
	for i := range marks.Methods {
		m := &marks.Methods[i]
		if snap.ShowsCode(m.Cost.Code) && !m.Suppressed && m.Site.To.Line >= from.Line && m.Site.From.Line <= to.Line {
			f := m.Cost.Code
			actions := ignoreActions(snap, m.Site, f.Method, f.ID, aboutFinding(p.Context.Diagnostics, f.ID))
			out = append(out, fitting(snap, p.Context.Only, actions)...)
			offered++
		}
		for _, w := range m.Cost.Wastes {
			if snap.ShowsWaste(w) && !m.Suppressed && m.Site.To.Line >= from.Line && m.Site.From.Line <= to.Line {
				actions := ignoreActions(snap, m.Site, w.Callee, w.ID, aboutFinding(p.Context.Diagnostics, w.ID))
				out = append(out, fitting(snap, p.Context.Only, actions)...)
			}
		}
	}
	if offered > 0 {
		out = append(out, fitting(snap, p.Context.Only, append(reportActions(snap), alphaActions(snap)...))...)
	}
	return out, nil
}

// within returns the calls whose names overlap a range. If no name overlaps the range, it returns
// the calls in the range's lines.
func within(calls []place.Call, from, to buffer.Position) []*place.Call {
	var touched, lines []*place.Call
	for i := range calls {
		c := &calls[i]
		if c.Suppressed || c.Site.To.Line < from.Line || c.Site.From.Line > to.Line {
			continue
		}
		lines = append(lines, c)
		if !before(c.Site.To, from) && !before(to, c.Site.From) {
			touched = append(touched, c)
		}
	}
	if len(touched) > 0 {
		return touched
	}
	return lines
}

func before(a, b buffer.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// fitting drops the actions that the client's filter excludes, and converts actions to
// commands for a client that supports only commands.
func fitting(snap *workspace.Snapshot, only []protocol.CodeActionKind, actions []lsp.CodeAction) []any {
	var out []any
	for _, a := range actions {
		switch {
		case !wants(only, a.Kind):
		case snap.Client.TextDocument.CodeAction.CodeActionLiteralSupport != nil:
			out = append(out, a)
		case a.Command != nil:
			out = append(out, a.Command)
		}
	}
	return out
}

// wants reports whether a client's filter includes a kind. The kind "a.b" is a subkind of
// "a". Actions that change no text have the empty kind.
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool {
		return k == "" || k == kind || strings.HasPrefix(string(kind), string(k)+".")
	})
}

// taskActions returns the actions for the calls of one framework method at a place.
func taskActions(snap *workspace.Snapshot, mark *place.Call, group []place.Part, diagnostics []protocol.Diagnostic) []lsp.CodeAction {
	task := &snap.Set.Tasks()[group[0].Task]
	name := task.Callee.Short()
	about := aboutFinding(diagnostics, task.ID)
	show := "Compare " + name + " here and in " + words.Name(snap.Set.Result.Reference.Path)
	actions := []lsp.CodeAction{{
		Title: show, Diagnostics: about,
		Command: &protocol.Command{Title: show, Command: commandShowTask, Arguments: []any{taskArguments{Task: task.ID}}},
	}}
	return append(actions, ignoreActions(snap, mark.Site, task.Callee, task.ID, about)...)
}

// ignoreActions returns the actions that hide a finding about a method at a place.
func ignoreActions(snap *workspace.Snapshot, at place.Site, m name.Method, id string, about []protocol.Diagnostic) []lsp.CodeAction {
	var actions []lsp.CodeAction
	// If the project file cannot be edited, a diagnostic in the file gives the reason.
	if edit, err := ignoreEdit(snap, m, id); err == nil {
		actions = append(actions, lsp.CodeAction{
			Title: "Ignore " + m.Short() + " in " + workspace.ProjectFile, Kind: protocol.QuickFix, Diagnostics: about, Edit: edit,
		})
	}
	if edit := suppressEdit(snap, at); edit != nil {
		actions = append(actions, lsp.CodeAction{
			Title: "Add a comment that ignores the findings in this line", Kind: protocol.QuickFix, Diagnostics: about, Edit: edit,
		})
	}
	return actions
}

// suppressEdit returns an edit that inserts a comment. The comment hides the findings of the next
// line. The edit is nil if the text is unknown.
func suppressEdit(snap *workspace.Snapshot, at place.Site) *lsp.WorkspaceEdit {
	text := snap.TextOf(at.Path)
	if text == nil {
		return nil
	}
	line := text.Line(at.From.Line)
	insert := line[:len(line)-len(strings.TrimLeft(line, " \t"))] + "// diffprof:ignore" + text.LineEnd()
	begin := protocol.Position{Line: uint32(at.From.Line)}
	change := protocol.TextEdit{Range: protocol.Range{Start: begin, End: begin}, NewText: insert}
	var version *int32
	if d := snap.Document(at.Path); d != nil {
		version = &d.Version
	}
	return fileEdit(snap, snap.URIOf(at.Path), version, change)
}

// aboutFinding returns the diagnostics about the finding with the given id.
func aboutFinding(diagnostics []protocol.Diagnostic, id string) []protocol.Diagnostic {
	return slices.DeleteFunc(slices.Clone(diagnostics), func(d protocol.Diagnostic) bool { return taskOf(d) != id })
}

// taskOf returns the id of the task or app code in a diagnostic of this server.
func taskOf(d protocol.Diagnostic) string {
	raw, err := json.Marshal(d.Data)
	if err != nil {
		return ""
	}
	var data diagnosticData
	if json.Unmarshal(raw, &data) != nil {
		return "" // a diagnostic of another server
	}
	return data.Task
}

// reportActions returns the action that opens the report. Clients that support diffprof's own
// notifications have views of their own.
func reportActions(snap *workspace.Snapshot) []lsp.CodeAction {
	if !snap.Client.Window.ShowDocument.Support || snap.Client.Listens() {
		return nil
	}
	const title = "Open diffprof's report in a browser"
	return []lsp.CodeAction{{Title: title, Command: &protocol.Command{Title: title, Command: commandOpenReport}}}
}

// alphaActions returns the actions that compare again with a larger or a smaller α.
func alphaActions(snap *workspace.Snapshot) []lsp.CodeAction {
	var out []lsp.CodeAction
	used := snap.Set.Result.Matching.Alpha
	for _, alpha := range []int{used + 1, used - 1} {
		if alpha < 0 {
			continue
		}
		how := "more"
		if alpha < used {
			how = "less"
		}
		title := fmt.Sprintf("Compare again with α = %d: let call paths differ %s", alpha, how)
		out = append(out, lsp.CodeAction{
			Title:   title,
			Command: &protocol.Command{Title: title, Command: commandSetAlpha, Arguments: []any{setAlphaArguments{alpha}}},
		})
	}
	return out
}
