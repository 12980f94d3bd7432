package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/units"
)

// The codes of diagnostics: part of the contract with other programs.
const (
	codeSetting = "setting"
)

// helpPage explains the codes.
const helpPage = "https://github.com/diffprof/diffprof/blob/main/docs/lsp.md"

// maxRelated bounds the other callers that a diagnostic names.
const maxRelated = 10

// diagnosticData travels with a diagnostic, for code actions.
type diagnosticData struct {
	Task string `json:"task"`
}

// severities are the protocol's, by their names in the settings.
var severities = map[string]protocol.DiagnosticSeverity{
	"error":       protocol.DiagnosticSeverityError,
	"warning":     protocol.DiagnosticSeverityWarning,
	"information": protocol.DiagnosticSeverityInformation,
	"hint":        protocol.DiagnosticSeverityHint,
}

// diagnosticReport answers a client that asks for a file's diagnostics.
func diagnosticReport(_ context.Context, snap *workspace.Snapshot, p *lsp.DiagnosticParams) (*lsp.DiagnosticReport, error) {
	items := []protocol.Diagnostic{}
	if path, err := lsp.PathOf(p.TextDocument.URI); err == nil {
		items = diagnostics(snap, snap.Roots.Name(path))
	}
	data, err := json.Marshal(items)
	if err != nil {
		return nil, fmt.Errorf("encoding diagnostics: %w", err)
	}
	sum := sha256.Sum256(data)
	id := hex.EncodeToString(sum[:8])
	if id == p.PreviousResultID {
		return &lsp.DiagnosticReport{Kind: "unchanged", ResultID: id}, nil
	}
	return &lsp.DiagnosticReport{Kind: "full", ResultID: id, Items: &items}, nil
}

// diagnostics makes the diagnostics of one file. Tasks of one F-method that one
// site calls, in several contexts, share one.
func diagnostics(snap *workspace.Snapshot, path string) []protocol.Diagnostic {
	out := problems(snap, snap.Preferences.Problems[path])
	if snap.Layout == nil || snap.Layout.Files[path] == nil {
		return out
	}
	for i := range snap.Layout.Files[path].Calls {
		mark := &snap.Layout.Files[path].Calls[i]
		for _, group := range groups(snap, mark) {
			out = append(out, diagnostic(snap, mark, group))
		}
	}
	for i := range snap.Layout.Files[path].Methods {
		if m := &snap.Layout.Files[path].Methods[i]; snap.ShowsCode(m.Cost.Code) {
			out = append(out, codeDiagnostic(snap, m))
		}
	}
	return out
}

// codeDiagnostic makes the diagnostic of a method that drains more itself than in the
// reference, at its declaration.
func codeDiagnostic(snap *workspace.Snapshot, m *place.Method) protocol.Diagnostic {
	f := m.Cost.Code
	said := words.CodeFinding(snap.Set, f, snap.Scale())
	if m.Stale != "" {
		said += fmt.Sprintf("; %s %s", f.Method.Short(), m.Stale)
	}
	return explained(snap, protocol.Diagnostic{
		Range: snap.RangeOf(m.Site), Severity: severities[snap.Preferences.Severity.Of(snap.Set.Share(f.Saving.Most))], Source: "diffprof",
		Code: string(f.Code), Message: said,
	})
}

// problems makes diagnostics of what is wrong in a project file.
func problems(snap *workspace.Snapshot, found workspace.Problems) []protocol.Diagnostic {
	out := []protocol.Diagnostic{}
	for _, p := range found.List {
		at := func(column int) protocol.Position {
			place := buffer.Position{Line: max(p.Line-1, 0), Column: max(column-1, 0)}
			return lsp.PositionOf(lsp.Recode(found.Text, place, buffer.UTF8, snap.Encoding))
		}
		d := protocol.Diagnostic{
			Range:    protocol.Range{Start: at(p.Column), End: at(p.EndColumn)},
			Severity: protocol.DiagnosticSeverityError, Source: "diffprof", Code: codeSetting, Message: p.Message,
		}
		out = append(out, explained(snap, d))
	}
	return out
}

// explained links a diagnostic's code to its explanation, for clients that show it.
func explained(snap *workspace.Snapshot, d protocol.Diagnostic) protocol.Diagnostic {
	if snap.Client.DiagnosticsShow().CodeDescriptionSupport {
		d.CodeDescription = &protocol.CodeDescription{Href: helpPage + "#" + protocol.URI(d.Code.(string))}
	}
	return d
}

// groups sorts the tasks of a site by their F-methods. It leaves out the tasks that
// the settings ignore.
func groups(snap *workspace.Snapshot, mark *place.Call) [][]int {
	var groups [][]int
	at := make(map[string]int)
	for _, i := range mark.Tasks {
		if snap.Ignored(i) {
			continue
		}
		name := snap.Set.Tasks[i].Callee.Label()
		g, ok := at[name]
		if !ok {
			g = len(groups)
			at[name] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// diagnostic makes the diagnostic of a group of tasks, most room for saving first.
func diagnostic(snap *workspace.Snapshot, mark *place.Call, group []int) protocol.Diagnostic {
	set := snap.Set
	first := group[0]
	saving, rest := units.Energy(0), units.Energy(0)
	for _, i := range group {
		if set.Result.Tasks[i].Perhaps == nil {
			saving += set.Result.Tasks[i].Saving
		}
		if i != first {
			rest += set.Result.Tasks[i].Energy
		}
	}
	var b strings.Builder
	b.WriteString(words.Finding(set, first, snap.Scale()))
	if len(group) > 1 {
		fmt.Fprintf(&b, "; %s more in other contexts, %s", words.Some(len(group)-1, "task"), snap.Scale().Energy(rest))
	}
	if !mark.Exact && mark.Stale == "" {
		fmt.Fprintf(&b, "; called in %s", mark.Caller.Short())
	}
	if via := words.Through(mark.Through.Library, mark.Through.Class); via != "" {
		fmt.Fprintf(&b, "; called through %s", via)
	}
	if mark.Stale != "" {
		fmt.Fprintf(&b, "; %s %s", mark.Caller.Short(), mark.Stale)
	}
	d := protocol.Diagnostic{
		Range: snap.RangeOf(mark.Site), Severity: severities[snap.Preferences.Severity.Of(set.Share(saving))], Source: "diffprof", Code: string(set.Tasks[first].Code),
		Message: b.String(), Data: diagnosticData{set.Tasks[first].ID},
	}
	if snap.Client.DiagnosticsShow().RelatedInformation {
		d.RelatedInformation = related(snap, mark, first)
	}
	return explained(snap, d)
}

// related names the other places that call a task.
func related(snap *workspace.Snapshot, mark *place.Call, task int) []protocol.DiagnosticRelatedInformation {
	var out []protocol.DiagnosticRelatedInformation
	for _, other := range snap.Layout.Tasks[task] {
		if other.Site == mark.Site {
			continue
		}
		if len(out) == maxRelated {
			break
		}
		text := "also called in " + other.Caller.Short()
		if n := words.Times(snap.Set.Result.Subject.Trace.Calls, other.Count); n != "" {
			text += ", " + n
		}
		out = append(out, protocol.DiagnosticRelatedInformation{Location: snap.LocationOf(other.Site), Message: text})
	}
	return out
}
