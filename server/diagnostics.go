package server

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The codes of diagnostics: part of the contract with other programs.
const (
	codeUnmatched = "unmatched-task"
	codeCostlier  = "costlier-task"
	codeSetting   = "setting"
)

// helpPage is what the codes are explained by.
const helpPage = "https://github.com/diffprof/diffprof/blob/main/docs/lsp.md"

// maxRelated bounds the other callers that a diagnostic names.
const maxRelated = 10

// diagnosticData travels with a diagnostic, for code actions.
type diagnosticData struct {
	Task string `json:"task"`
}

// diagnosticsOf makes the diagnostics of one file. Tasks of one F-method that one
// site calls, in several contexts, share one.
func (s *session) diagnosticsOf(v *view, path string) []protocol.Diagnostic {
	out := append([]protocol.Diagnostic{}, v.prefs.problems[path]...)
	if v.layout == nil || v.layout.Files[path] == nil {
		return out
	}
	for i := range v.layout.Files[path].Calls {
		mark := &v.layout.Files[path].Calls[i]
		for _, group := range v.groups(mark) {
			out = append(out, s.diagnostic(v, mark, group))
		}
	}
	return out
}

// groups parts the tasks of a site by their F-methods, leaving out those that the
// settings ignore.
func (v *view) groups(mark *place.Call) [][]int {
	var groups [][]int
	at := make(map[string]int)
	for _, i := range mark.Tasks {
		if v.ignored(i) {
			continue
		}
		name := v.layout.Set.Tasks[i].Label
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
func (s *session) diagnostic(v *view, mark *place.Call, group []int) protocol.Diagnostic {
	set := v.layout.Set
	first := group[0]
	task := &set.Result.Tasks[first]
	saving, rest := units.Energy(0), units.Energy(0)
	for _, i := range group {
		saving += set.Result.Tasks[i].Saving
		if i != first {
			rest += set.Result.Tasks[i].Energy
		}
	}
	w := v.words()
	var b strings.Builder
	b.WriteString(w.task(first))
	if len(group) > 1 {
		fmt.Fprintf(&b, "; %s more in other contexts, %s", plural(len(group)-1, "task"), w.energy(rest))
	}
	if !mark.Exact && mark.Stale == "" {
		fmt.Fprintf(&b, "; called in %s", trace.Short(mark.Caller.Label()))
	}
	if mark.Stale != "" {
		fmt.Fprintf(&b, "; %s %s", trace.Short(mark.Caller.Label()), mark.Stale)
	}
	d := protocol.Diagnostic{
		Range: s.rangeOf(mark.Site), Severity: severities[v.prefs.Severity.Of(set.Share(saving))], Source: "diffprof", Code: codeCostlier,
		Message: b.String(), Data: diagnosticData{set.Tasks[first].ID},
	}
	if task.Found == eflask.Unmatched {
		d.Code = codeUnmatched
	}
	if s.client.DiagnosticsShow().CodeDescriptionSupport {
		d.CodeDescription = &protocol.CodeDescription{Href: helpPage + "#" + protocol.URI(d.Code.(string))}
	}
	if s.client.DiagnosticsShow().RelatedInformation {
		d.RelatedInformation = s.related(v, mark, first)
	}
	return d
}

// related names the other places that call a task.
func (s *session) related(v *view, mark *place.Call, task int) []protocol.DiagnosticRelatedInformation {
	var out []protocol.DiagnosticRelatedInformation
	for _, other := range v.layout.Tasks[task] {
		if other.Site == mark.Site {
			continue
		}
		if len(out) == maxRelated {
			break
		}
		text := "also called in " + trace.Short(other.Caller.Label())
		if n := v.words().counts(other.Count); n != "" {
			text += ", " + n
		}
		out = append(out, protocol.DiagnosticRelatedInformation{Location: s.location(other.Site), Message: text})
	}
	return out
}
