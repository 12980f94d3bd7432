package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/units"
)

// appCodeParams are the parameters of diffprof/appCode.
type appCodeParams struct {
	// Text keeps only rows with a method whose name contains it. Case is ignored.
	Text string `json:"text"`
	// Offset and Limit have the same meaning as in diffprof/tasks.
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
}

// appCodeResult is one page of the energy that the app's own code spends outside tasks (calls of
// the framework).
type appCodeResult struct {
	Total  int `json:"total"`
	Offset int `json:"offset"`
	// AppCode is sorted by saving, the largest first.
	AppCode []appCodeItem `json:"appCode"`
	// Methods describes the methods named in AppCode, by label, as in the JSON report.
	Methods report.Methods `json:"methods"`
	// Outside breaks down the energy that belongs to no task, for example waiting and the app's own
	// code.
	Outside []outsidePart `json:"outside"`
}

// An appCodeItem is one row of the JSON report's app code, with additions for editors.
type appCodeItem struct {
	*report.AppCode
	// Message is a sentence about the row's energy.
	Message string `json:"message"`
	// Locations are the declarations of the method, or of the methods in a callback, within
	// the workspace.
	Locations []taskLocation `json:"locations"`
}

// An outsidePart is one part of the energy that belongs to no task.
type outsidePart struct {
	Name   string       `json:"name"`
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
}

// appCode returns one page of app code. It omits the rows that the settings hide.
func appCode(_ context.Context, snap *workspace.Snapshot, p *appCodeParams) (*appCodeResult, error) {
	if p.Offset < 0 || p.Limit < 0 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "offset and limit must not be negative")
	}
	r, o := snap.Set.Result, snap.Set.Result.Summary.Outside
	result := &appCodeResult{Offset: p.Offset, AppCode: []appCodeItem{}, Methods: report.Methods{}, Outside: []outsidePart{
		{words.OutsideAppCode, o.AppCode, snap.Set.Share(o.AppCode)},
		{words.OutsideSystem(r.Subject.Own.Unknown), o.System, snap.Set.Share(o.System)},
		{words.OutsideRecorder, o.Recorder, snap.Set.Share(o.Recorder)},
		{words.OutsideWaiting, o.Waiting, snap.Set.Share(o.Waiting)},
		{words.OutsideToplevel, o.Toplevel, snap.Set.Share(o.Toplevel)},
	}}
	var list []int
	for i := range r.AppCode.Rows {
		if !snap.HidesCode(i) && mentionsCode(r, i, strings.ToLower(p.Text)) {
			list = append(list, i)
		}
	}
	result.Total = len(list)
	from := min(p.Offset, len(list))
	made := report.NewRowWriter(snap.Set)
	for _, i := range list[from:min(from+min(cmp.Or(p.Limit, defaultPage), maxPage), len(list))] {
		result.AppCode = append(result.AppCode, appCodeItemOf(snap, made.Code(i), i))
		made.AddMethods(result.Methods, finding.Ranked{Code: true, Index: i})
	}
	return result, nil
}

// mentionsCode reports whether text occurs in the name of any method of row i. It ignores case;
// text must be in lower case.
func mentionsCode(r *analysis.Result, i int, text string) bool {
	return slices.ContainsFunc(append(finding.CodeMethods(r, i), r.AppCode.Rows[i].Method), func(m name.Method) bool {
		return strings.Contains(strings.ToLower(m.Label()), text)
	})
}

// appCodeItemOf converts row i of the app code. c is the row in the JSON report. The locations of
// the row's methods are sorted by energy, the largest first.
func appCodeItemOf(snap *workspace.Snapshot, c report.AppCode, i int) appCodeItem {
	r := snap.Set.Result
	item := appCodeItem{AppCode: &c, Message: words.AppCode(r, i, snap.Scale()), Locations: []taskLocation{}}
	methods := finding.CodeMethods(r, i)
	for _, m := range methods[:min(len(methods), maxPlaces)] {
		sites, stale := snap.Layout.Find(m)
		for _, at := range sites {
			item.Locations = append(item.Locations, taskLocation{Location: snap.LocationOf(at), Caller: m.Label(), Exact: true, Stale: stale, Places: 1})
		}
	}
	return item
}

// maxPlaces limits how many methods of a row of app code get a location.
const maxPlaces = 10
