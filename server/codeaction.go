package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// maxActionTasks is the most tasks that actions are offered for at once.
const maxActionTasks = 5

// codeActions offers what to do about the tasks that a part of a file calls.
func codeActions(_ context.Context, snap *workspace.Snapshot, p *protocol.CodeActionParams) ([]lsp.CodeAction, error) {
	out := []lsp.CodeAction{}
	marks, path := snap.Marks(p.TextDocument.URI)
	if marks == nil || !wants(p.Context.Only, protocol.QuickFix) {
		return out, nil
	}
	from, to := snap.PlaceOf(path, p.Range.Start), snap.PlaceOf(path, p.Range.End)
	offered := 0
	for i := range marks.Calls {
		mark := &marks.Calls[i]
		if mark.Site.To.Line < from.Line || mark.Site.From.Line > to.Line {
			continue
		}
		for _, group := range groups(snap, mark) {
			if offered++; offered > maxActionTasks {
				continue
			}
			out = append(out, taskActions(snap, group, p.Context.Diagnostics)...)
		}
	}
	if offered > 0 {
		out = append(out, alphaActions(snap)...)
	}
	return out, nil
}

// wants reports whether a client's filter lets a kind pass. The kind "a.b" is one of
// the kinds "a".
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool {
		return k == "" || k == kind || strings.HasPrefix(string(kind), string(k)+".")
	})
}

// taskActions are those for a group of tasks of one F-method.
func taskActions(snap *workspace.Snapshot, group []place.Part, diagnostics []protocol.Diagnostic) []lsp.CodeAction {
	task := &snap.Set.Tasks[group[0].Task]
	name := task.Callee.Short()
	about := slices.DeleteFunc(slices.Clone(diagnostics), func(d protocol.Diagnostic) bool { return taskOf(d) != task.ID })
	show := "Show what " + name + " does here and in " + words.Name(snap.Set.Result.Reference.Path)
	actions := []lsp.CodeAction{{
		Title: show, Kind: protocol.QuickFix, Diagnostics: about,
		Command: &protocol.Command{Title: show, Command: commandShowTask, Arguments: []any{taskArguments{task.ID}}},
	}}
	// If the project file cannot be edited, its own diagnostics say why.
	if edit, err := ignoreEdit(snap, task); err == nil {
		actions = append(actions, lsp.CodeAction{
			Title: "Ignore " + name + " in " + workspace.ProjectFile, Kind: protocol.QuickFix, Diagnostics: about, Edit: edit,
		})
	}
	return actions
}

// taskOf is the id of the task that a diagnostic of this server is about.
func taskOf(d protocol.Diagnostic) string {
	raw, err := json.Marshal(d.Data)
	if err != nil {
		return ""
	}
	var data diagnosticData
	if json.Unmarshal(raw, &data) != nil {
		return "" // another server's
	}
	return data.Task
}

// alphaActions compare with paths that may differ more, or less.
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
			Title: title, Kind: protocol.QuickFix,
			Command: &protocol.Command{Title: title, Command: commandSetAlpha, Arguments: []any{setAlphaArguments{alpha}}},
		})
	}
	return out
}
