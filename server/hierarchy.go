package server

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// maxHierarchy limits the callers or callees in an answer to those with the most energy.
const maxHierarchy = 100

// hierarchyData identifies the method of an item in a call hierarchy.
type hierarchyData struct {
	Method string `json:"method"`
}

// A hierarchyItem is a method in a call hierarchy, with its energy in both runs.
type hierarchyItem struct {
	Name           string              `json:"name"`
	Kind           protocol.SymbolKind `json:"kind"`
	Detail         string              `json:"detail"`
	URI            protocol.URI        `json:"uri"`
	Range          protocol.Range      `json:"range"`
	SelectionRange protocol.Range      `json:"selectionRange"`
	Data           hierarchyData       `json:"data"`
}

// hierarchyParams select the method of a request for callers or callees.
type hierarchyParams struct {
	Item hierarchyItem `json:"item"`
}

// A hierarchyCall is one caller or callee, with the positions of the calls between the methods.
type hierarchyCall struct {
	From       *hierarchyItem   `json:"from,omitempty"`
	To         *hierarchyItem   `json:"to,omitempty"`
	FromRanges []protocol.Range `json:"fromRanges"`
}

// prepareHierarchy returns the methods that are declared or called at a place.
func prepareHierarchy(_ context.Context, snap *workspace.Snapshot, p *protocol.CallHierarchyPrepareParams) ([]hierarchyItem, error) {
	out := []hierarchyItem{}
	marks, path := snap.Marks(p.TextDocument.URI)
	if marks == nil {
		return out, nil
	}
	at, table := snap.PlaceOf(path, p.Position), snap.Set.Uses()
	add := func(label string, site place.Site) {
		if i, ok := table.Row(label); ok && !slices.ContainsFunc(out, func(item hierarchyItem) bool { return item.Data.Method == label }) {
			out = append(out, itemOf(snap, &table.Methods[i], table.Methods[i].Runs, snap.LocationOf(site)))
		}
	}
	for i := range marks.Methods {
		if m := &marks.Methods[i]; m.Site.Contains(at) && m.Cost.Method.Name != "" {
			add(m.Cost.Method.Label(), m.Site)
		}
	}
	for i := range marks.Calls {
		if c := &marks.Calls[i]; c.Exact && c.Site.Contains(at) {
			for _, part := range c.Tasks {
				add(snap.Set.Tasks()[part.Task].Method.Label(), c.Site)
			}
		}
	}
	return out, nil
}

// itemOf describes a method with its energy in both runs. Its location is its declaration, or the
// parameter other if the workspace has no declaration.
func itemOf(snap *workspace.Snapshot, m *finding.MethodUse, runs [2]finding.Use, other protocol.Location) hierarchyItem {
	if sites, _ := snap.Layout.Find(m.Method); len(sites) > 0 {
		other = snap.LocationOf(sites[0])
	}
	return hierarchyItem{
		Name: m.Method.Short(), Kind: protocol.SymbolKindMethod, Detail: words.BothRuns(snap.Set.Result, runs[0].All, runs[1].All, runs[0].Calls, snap.Scale()),
		URI: other.URI, Range: other.Range, SelectionRange: other.Range, Data: hierarchyData{m.Method.Label()},
	}
}

// incomingCalls returns the callers of a method, sorted by the energy of their calls, the largest
// first.
func incomingCalls(_ context.Context, snap *workspace.Snapshot, p *hierarchyParams) ([]hierarchyCall, error) {
	return linked(snap, p.Item, true), nil
}

// outgoingCalls returns the callees of a method, sorted by energy, the largest first.
func outgoingCalls(_ context.Context, snap *workspace.Snapshot, p *hierarchyParams) ([]hierarchyCall, error) {
	return linked(snap, p.Item, false), nil
}

// linked returns the callers or the callees of an item's method. A callee without source in the
// workspace gets the location of its call. A caller without source, or a callee without a known
// call, gets the location of the item.
func linked(snap *workspace.Snapshot, item hierarchyItem, incoming bool) []hierarchyCall {
	out := []hierarchyCall{}
	table := snap.Set.Uses()
	row, ok := table.Row(item.Data.Method)
	if !ok {
		return out
	}
	for _, link := range table.Linked(row, incoming) {
		if len(out) == maxHierarchy {
			break
		}
		calls := snap.Layout.CallsBetween(table.Methods[link.Caller].Method, table.Methods[link.Callee].Method)
		call := hierarchyCall{FromRanges: []protocol.Range{}}
		at, caller := protocol.Location{URI: item.URI, Range: item.SelectionRange}, &item
		if incoming {
			made := itemOf(snap, &table.Methods[link.Caller], link.Runs, at)
			call.From, caller = &made, &made
		} else {
			if len(calls) > 0 {
				at = snap.LocationOf(calls[0])
			}
			made := itemOf(snap, &table.Methods[link.Callee], link.Runs, at)
			call.To = &made
		}
		for _, at := range calls {
			if l := snap.LocationOf(at); l.URI == caller.URI {
				call.FromRanges = append(call.FromRanges, l.Range)
			}
		}
		if len(call.FromRanges) == 0 {
			call.FromRanges = append(call.FromRanges, caller.SelectionRange)
		}
		out = append(out, call)
	}
	return out
}
