package server

import (
	"context"

	"go.lsp.dev/jsonrpc2"
)

// cancelParams name a request.
type cancelParams struct {
	ID jsonrpc2.ID `json:"id"`
}

// cancelRequest cancels a request that is under way; one that is answered, or was
// never made, is none.
func (s *session) cancelRequest(_ context.Context, p *cancelParams) error {
	s.flight.cancel(p.ID)
	return nil
}

// setTrace is accepted and does nothing: the log does not depend on it.
func (s *session) setTrace(_ context.Context, _ *struct{}) error { return nil }
