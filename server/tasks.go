package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// Limits of a page of diffprof/tasks.
const (
	defaultPage = 100
	maxPage     = 1000
)

// tasksParams are the parameters of diffprof/tasks.
type tasksParams struct {
	// Sort is "saving", the default, "energy", "calls" or "method".
	Sort   string `json:"sort"`
	Filter struct {
		// Text keeps only tasks with this text in the name of a method or caller. Case is ignored.
		Text string `json:"text"`
		// Status is "matched", "unmatched" or "ignored". If it is empty, all tasks except
		// ignored ones pass.
		Status string `json:"status"`
		// Package selects the tasks with a caller in this package or below it.
		Package string `json:"package"`
		// Tasks are the ids of the tasks that pass. If it is empty, all pass.
		Tasks []string `json:"tasks"`
	} `json:"filter"`
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
}

// tasksResult is a page of the ranked list.
type tasksResult struct {
	// Comparison is null before the first comparison.
	Comparison *didCompareParams `json:"comparison"`
	// LineHeat is the setting of this name, for plug-ins with a heat overlay.
	LineHeat bool `json:"lineHeat"`
	// Total is the number of tasks that pass the filter.
	Total  int        `json:"total"`
	Offset int        `json:"offset"`
	Tasks  []taskItem `json:"tasks"`
	// Methods describes the methods named in Tasks, by label, as in the JSON report.
	Methods report.Methods `json:"methods"`
}

// A taskItem is a task in the form of the JSON report, with properties for editors.
type taskItem struct {
	*report.Task
	// Message is the task's sentence in diagnostics.
	Message string `json:"message"`
	Ignored bool   `json:"ignored"`
	// Locations are the places in the workspace where the app calls the task.
	Locations []taskLocation `json:"locations"`
}

type taskLocation struct {
	protocol.Location
	// Caller is the calling method's label.
	Caller string `json:"caller"`
	// Exact is set if the location is the call itself. Otherwise it is the calling method's
	// name, or one of several possible places.
	Exact bool `json:"exact"`
	// Places is the number of possible places of the call. Only the first has a nonzero EnergyNJ
	// and SavingNJ. Suppressed is set if a comment in the source hides findings here.
	Suppressed bool  `json:"suppressed"`
	Places     int   `json:"places"`
	EnergyNJ   int64 `json:"energyNJ"`
	SavingNJ   int64 `json:"savingNJ"`
	// Stale is the reason why the location may be wrong. It is empty if the location is right.
	Stale string `json:"stale"`
}

// tasks returns one page of the ranked list of tasks.
func tasks(_ context.Context, snap *workspace.Snapshot, p *tasksParams) (*tasksResult, error) {
	if p.Offset < 0 || p.Limit < 0 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "offset and limit must not be negative")
	}
	order, ok := orders[cmp.Or(p.Sort, "saving")]
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown order %q: use saving, energy, calls or method", p.Sort)
	}
	if !slices.Contains([]string{"", "matched", "unmatched", "ignored"}, p.Filter.Status) {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown status %q: use matched, unmatched or ignored", p.Filter.Status)
	}
	result := &tasksResult{LineHeat: snap.Preferences.LineHeat, Tasks: []taskItem{}, Offset: p.Offset, Methods: report.Methods{}}
	if snap.Set == nil {
		return result, nil
	}
	result.Comparison = summarize(snap.Set, snap.Hidden(), snap.HiddenCode(), snap.Preferences.Project())
	list := filter(snap, p)
	slices.SortStableFunc(list, func(a, b int) int {
		return order(snap.Set, a, b)
	})
	result.Total = len(list)
	limit := min(cmp.Or(p.Limit, defaultPage), maxPage)
	from := min(p.Offset, len(list))
	made := report.NewRowWriter(snap.Set)
	for _, i := range list[from:min(from+limit, len(list))] {
		result.Tasks = append(result.Tasks, taskItemOf(snap, made, i))
		made.AddMethods(result.Methods, finding.Ranked{Index: i})
	}
	return result, nil
}

// orders are the ways to sort tasks. Tasks are numbered by possible saving, which breaks ties.
var orders = map[string]func(set *finding.Set, a, b int) int{
	"saving": func(_ *finding.Set, a, b int) int { return cmp.Compare(a, b) },
	"energy": func(set *finding.Set, a, b int) int { return cmp.Compare(set.Tasks()[b].Energy, set.Tasks()[a].Energy) },
	"calls": func(set *finding.Set, a, b int) int {
		return cmp.Compare(set.Result.Tasks[b].Calls, set.Result.Tasks[a].Calls)
	},
	"method": func(set *finding.Set, a, b int) int {
		return strings.Compare(set.Tasks()[a].Callee.Label(), set.Tasks()[b].Callee.Label())
	},
}

// filter returns the tasks that pass p.
func filter(snap *workspace.Snapshot, p *tasksParams) []int {
	text := strings.ToLower(p.Filter.Text)
	var list []int
	for i := range snap.Set.Tasks() {
		status := "matched"
		switch {
		case snap.Ignored(i):
			status = "ignored"
		case !snap.Set.Tasks()[i].Matched:
			status = "unmatched"
		}
		wanted := p.Filter.Status
		switch {
		case wanted == "" && status == "ignored", wanted != "" && wanted != status:
		case len(p.Filter.Tasks) > 0 && !slices.Contains(p.Filter.Tasks, snap.Set.Tasks()[i].ID):
		case text != "" && !mentions(&snap.Set.Tasks()[i], text):
		case p.Filter.Package != "" && !calledFrom(snap, i, p.Filter.Package):
		default:
			list = append(list, i)
		}
	}
	return list
}

// mentions reports whether the name of a task's method or of a caller contains text. It ignores
// case; text must be in lower case.
func mentions(f *finding.Finding, text string) bool {
	return strings.Contains(strings.ToLower(f.Callee.Label()), text) ||
		slices.ContainsFunc(f.Sites, func(s finding.Site) bool {
			return strings.Contains(strings.ToLower(s.Method.Label()), text)
		})
}

// calledFrom reports whether a task has a caller in a package or below it.
func calledFrom(snap *workspace.Snapshot, i int, pkg string) bool {
	pkg = strings.TrimSuffix(strings.TrimSuffix(pkg, "*"), ".")
	for _, c := range snap.Set.Tasks()[i].Sites {
		if p := c.Method.Scope; p == pkg || strings.HasPrefix(p, pkg+".") {
			return true
		}
	}
	return false
}

func taskItemOf(snap *workspace.Snapshot, made *report.RowWriter, i int) taskItem {
	t := made.Task(i)
	item := taskItem{Task: &t, Message: words.Finding(snap.Set, i, snap.Scale()), Ignored: snap.Ignored(i), Locations: []taskLocation{}}
	for _, mark := range snap.Layout.Callers(i) {
		part := &mark.Tasks[0]
		item.Locations = append(item.Locations, taskLocation{
			Location: snap.LocationOf(mark.Site), Caller: mark.Caller.Label(), Stale: mark.Stale, Exact: mark.Exact && len(part.Places) == 1,
			Suppressed: mark.Suppressed, Places: len(part.Places), EnergyNJ: int64(part.Energy), SavingNJ: int64(part.Saving),
		})
	}
	return item
}
