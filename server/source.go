package server

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// sourceParams name a method in the form that tasks and flasks (call trees of tasks) use.
type sourceParams struct {
	Method string `json:"method"`
	File   string `json:"file"`
	Line   int    `json:"line"`
}

// sourceResult is the place of a method. It has no location if the method is not in the
// workspace.
type sourceResult struct {
	Locations []protocol.Location `json:"locations"`
	// Short is the short name of the method.
	Short string `json:"short"`
	// Stale is the reason why the locations may be wrong. It is empty if they are right.
	Stale string `json:"stale"`
}

// declaration finds a method's declaration, or the code that the compiler generated it from.
func declaration(_ context.Context, snap *workspace.Snapshot, p *sourceParams) (*sourceResult, error) {
	m, ok := snap.Set.Recorded(p.Method)
	if !ok {
		// The name did not come from a task or a flask.
		m = name.Parse(p.Method, name.Unknown)
	}
	sites, stale := snap.Layout.Find(m.At(p.File, max(p.Line, 0)))
	result := &sourceResult{Locations: []protocol.Location{}, Short: m.Short(), Stale: stale}
	for _, at := range sites {
		result.Locations = append(result.Locations, snap.LocationOf(at))
	}
	return result, nil
}
