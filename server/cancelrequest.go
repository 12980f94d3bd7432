package server

import (
	"context"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// cancelRequest cancels a request that is under way; one that is answered, or was
// never made, is none.
func (s *session) cancelRequest(_ context.Context, p *lsp.CancelParams) error {
	s.flight.cancel(p.ID)
	return nil
}

// setTrace is accepted and does nothing: the log does not depend on it.
func (s *session) setTrace(_ context.Context, _ *struct{}) error { return nil }
