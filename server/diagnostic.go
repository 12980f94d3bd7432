package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// diagnostic317 answers a client that asks for a file's diagnostics.
func (s *session) diagnostic317(ctx context.Context, p *lsp.DiagnosticParams) (*lsp.DiagnosticReport, error) {
	items := []protocol.Diagnostic{}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	if path, err := lsp.PathOf(p.TextDocument.URI); err == nil {
		items = s.diagnosticsOf(v, s.known(path))
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
