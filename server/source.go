package server

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/code/name"
)

// sourceParams name a method as tasks and flasks do.
type sourceParams struct {
	Method string `json:"method"`
	File   string `json:"file"`
	Line   int    `json:"line"`
}

// sourceResult says where a method is; it has no location where that is not in the
// workspace.
type sourceResult struct {
	Locations []protocol.Location `json:"locations"`
	// Stale says what is the matter with the locations; empty if nothing.
	Stale string `json:"stale"`
}

// source finds a method's declaration, or what it was made from.
func (s *session) source(ctx context.Context, p *sourceParams) (*sourceResult, error) {
	v, err := s.comparedView(ctx)
	if err != nil {
		return nil, err
	}
	m := name.Parse(p.Method, name.JVM)
	m.File, m.Line = p.File, max(p.Line, 0)
	sites, stale := v.layout.Find(m)
	result := &sourceResult{Locations: []protocol.Location{}, Stale: stale}
	for _, at := range sites {
		result.Locations = append(result.Locations, s.location(at))
	}
	return result, nil
}
