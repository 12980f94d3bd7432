package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/units"
)

// The codes of diagnostics, which other programs rely on.
const (
	codeSetting = "setting"
	codeInput   = "input"
	codeUnlike  = "unlike"
)

// helpPage explains the codes.
const helpPage = "https://github.com/diffprof/diffprof/blob/main/docs/lsp.md"

// maxRelated is the largest number of related locations in a diagnostic.
const maxRelated = 10

// diagnosticData is the data of a diagnostic for code actions.
type diagnosticData struct {
	Task string `json:"task"`
}

// severities maps the names in the settings to the protocol's severities.
var severities = map[string]protocol.DiagnosticSeverity{
	"error":       protocol.DiagnosticSeverityError,
	"warning":     protocol.DiagnosticSeverityWarning,
	"information": protocol.DiagnosticSeverityInformation,
	"hint":        protocol.DiagnosticSeverityHint,
}

// diagnosticReport answers a request for a file's diagnostics.
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

// diagnostics returns the diagnostics of one file. If a place calls a framework method in several
// contexts, these tasks share one diagnostic.
func diagnostics(snap *workspace.Snapshot, path string) []protocol.Diagnostic {
	if workspace.IsProjectFile(path) {
		return problems(snap, path)
	}
	out := []protocol.Diagnostic{}
	if snap.Layout == nil || snap.Layout.Files[path] == nil || !snap.Preferences.Diagnostics {
		return out
	}
	for i := range snap.Layout.Files[path].Calls {
		mark := &snap.Layout.Files[path].Calls[i]
		if mark.Suppressed {
			continue
		}
		for _, group := range groups(snap, mark) {
			// If the call has several possible places, the first has the diagnostic. The diagnostic
			// names the other places.
			if group = firstParts(group); len(group) > 0 {
				out = append(out, diagnostic(snap, mark, group))
			}
		}
	}
	for i := range snap.Layout.Files[path].Methods {
		if m := &snap.Layout.Files[path].Methods[i]; snap.ShowsCode(m.Cost.Code) && !m.Suppressed {
			out = append(out, codeDiagnostic(snap, m))
		}
	}
	for i := range snap.Layout.Files[path].Methods {
		m := &snap.Layout.Files[path].Methods[i]
		for _, w := range m.Cost.Wastes {
			if snap.ShowsWaste(w) && !m.Suppressed {
				out = append(out, wasteDiagnostic(snap, m, w))
			}
		}
	}
	return out
}

// wasteDiagnostic returns the diagnostic of a component's wasted energy, at the declaration of the
// app's method that causes it.
func wasteDiagnostic(snap *workspace.Snapshot, m *place.Method, w *finding.Waste) protocol.Diagnostic {
	message := words.Waste(w, &snap.Set.Result.Subject)
	if m.Stale != "" {
		message += fmt.Sprintf(" %s %s.", w.Method.Short(), m.Stale)
	}
	severity := snap.Preferences.Severity.Level(snap.Set.Share(w.Saving.Most))
	if w.Caveat != "" {
		severity = "hint"
	}
	return explained(snap, protocol.Diagnostic{
		Range: snap.RangeOf(m.Site), Severity: severities[severity], Source: "diffprof",
		Code: string(w.Code), Message: message, Data: diagnosticData{w.ID},
	})
}

// codeDiagnostic returns the diagnostic of a method whose exclusive energy is larger than in the
// reference, at the method's declaration.
func codeDiagnostic(snap *workspace.Snapshot, m *place.Method) protocol.Diagnostic {
	f := m.Cost.Code
	message := words.CodeFinding(snap.Set, f.Row, snap.Scale())
	if m.Stale != "" {
		message += fmt.Sprintf("; %s %s", f.Method.Short(), m.Stale)
	}
	return explained(snap, protocol.Diagnostic{
		Range: snap.RangeOf(m.Site), Severity: severities[snap.Preferences.Severity.Level(snap.Set.Share(snap.Set.Result.AppCode.Rows[f.Row].Saving))], Source: "diffprof",
		Code: string(f.Code), Message: message, Data: diagnosticData{f.ID},
	})
}

// explained links a diagnostic's code to its explanation, for clients that show it.
func explained(snap *workspace.Snapshot, d protocol.Diagnostic) protocol.Diagnostic {
	if snap.Client.DiagnosticsShow().CodeDescriptionSupport {
		d.CodeDescription = &protocol.CodeDescription{Href: helpPage + "#" + protocol.URI(d.Code.(string))}
	}
	return d
}

// firstParts returns the parts with their energy at this place. A call with several possible places
// has its energy at the first.
func firstParts(group []place.Part) []place.Part {
	return slices.DeleteFunc(slices.Clone(group), func(p place.Part) bool { return !p.First })
}

// groups returns the findings at a place, one group per framework method called there. It omits
// ignored findings. It also omits tasks that have a place only to show the cost of an API.
func groups(snap *workspace.Snapshot, mark *place.Call) [][]place.Part {
	var groups [][]place.Part
	at := make(map[string]int)
	for _, part := range mark.Tasks {
		if snap.Ignored(part.Task) || snap.Set.Tasks()[part.Task].Code == finding.Nothing {
			continue
		}
		name := snap.Set.Tasks()[part.Task].Callee.Label()
		g, ok := at[name]
		if !ok {
			g = len(groups)
			at[name] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], part)
	}
	return groups
}

// diagnostic returns one diagnostic for a group of tasks. The group is sorted by possible saving.
func diagnostic(snap *workspace.Snapshot, mark *place.Call, group []place.Part) protocol.Diagnostic {
	set, first := snap.Set, group[0]
	rest := units.Energy(0)
	for _, part := range group[1:] {
		rest += part.Energy
	}
	parts := []string{words.Finding(set, first.Task, snap.Scale())}
	note := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	note(partOfTask(snap, first))
	if len(group) > 1 {
		note(fmt.Sprintf("%s more in other contexts, %s", words.Some(len(group)-1, "task"), snap.Scale().Energy(rest)))
	}
	note(uncertainty(mark, first))
	if via := words.Intermediary(mark.Intermediary.Library, mark.Intermediary.Class); via != "" {
		note("called through " + via)
	}
	if mark.Stale != "" {
		note(mark.Caller.Short() + " " + mark.Stale)
	}
	severity := "hint"
	if set.Tasks()[first.Task].IsFinding {
		severity = snap.Preferences.Severity.Level(set.Share(set.Result.Tasks[first.Task].Saving))
	}
	d := protocol.Diagnostic{
		Range: snap.RangeOf(mark.Site), Severity: severities[severity], Source: "diffprof", Code: string(set.Tasks()[first.Task].Code),
		Message: strings.Join(parts, "; "), Data: diagnosticData{set.Tasks()[first.Task].ID},
	}
	if snap.Client.DiagnosticsShow().RelatedInformation {
		d.RelatedInformation = related(snap, mark, first)
	}
	return explained(snap, d)
}

// partOfTask states the place's part of a task, in calls and energy. It returns "" if this place
// has all of them.
func partOfTask(snap *workspace.Snapshot, part place.Part) string {
	task := &snap.Set.Result.Tasks[part.Task]
	return words.Part(snap.Set.Result.Subject.Trace.Calls, part.Calls, task.Calls, part.Energy, task.Energy, snap.Scale())
}

// uncertainty explains an uncertain place, for example "called in onCreate". It returns "" if the
// place is certain, or if the diagnostic already explains a changed source.
func uncertainty(mark *place.Call, part place.Part) string {
	switch n := len(part.Places); {
	case mark.Exact && n > 1:
		return fmt.Sprintf("here or at %s like it", words.Some(n-1, "other call"))
	case mark.Exact, mark.Stale != "":
		return ""
	case n > 1:
		return fmt.Sprintf("at one or more of %s in %s", words.Some(n, "place"), mark.Caller.Short())
	}
	return "called in " + mark.Caller.Short()
}

// related lists where else the call may be, and where other methods call the same task.
func related(snap *workspace.Snapshot, mark *place.Call, part place.Part) []protocol.DiagnosticRelatedInformation {
	var out []protocol.DiagnosticRelatedInformation
	add := func(at place.Site, text string) {
		if at != mark.Site && len(out) < maxRelated {
			out = append(out, protocol.DiagnosticRelatedInformation{Location: snap.LocationOf(at), Message: text})
		}
	}
	if len(part.Places) > 1 {
		for _, at := range part.Places {
			add(at, "perhaps called here")
		}
	}
	for _, other := range snap.Layout.Tasks[part.Task] {
		if p := other.Tasks[0]; p.First {
			text := "also called in " + other.Caller.Short()
			if n := words.Times(snap.Set.Result.Subject.Trace.Calls, p.Calls); n != "" {
				text += ", " + n
			}
			add(other.Site, text)
		}
	}
	return out
}
