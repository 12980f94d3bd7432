package server

import (
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/server/internal/workspace"
)

// selectPairArguments name a pair of a project file. Without a file, the first project with a pair
// of this name is used.
type selectPairArguments struct {
	Pair string `json:"pair"`
	File string `json:"file"`
}

// A pairItem is a pair that can be compared.
type pairItem struct {
	// Pair is its name, empty for the unnamed pair of the file.
	Pair      string `json:"pair"`
	File      string `json:"file"`
	Subject   string `json:"subject"`
	Reference string `json:"reference"`
	// Selected is set for the compared pair.
	Selected bool `json:"selected"`
}

type pairsResult struct {
	Pairs []pairItem `json:"pairs"`
}

// selectPair selects another pair of the project files, and compares it.
func (s *session) selectPair(_ context.Context, a *selectPairArguments) (rest, error) {
	if err := s.workspace.Choose(a.File, a.Pair); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	s.workspace.ReadSettings()
	s.workspace.Invalidate()
	return s.beginComparing()
}

// listPairs lists the pairs of all project files.
func listPairs(_ context.Context, snap *workspace.Snapshot, _ *struct{}) (*pairsResult, error) {
	result := &pairsResult{Pairs: []pairItem{}}
	now := snap.Preferences
	for i := range now.Projects {
		p := &now.Projects[i]
		for _, pair := range p.Pairs() {
			result.Pairs = append(result.Pairs, pairItem{pair.Name, p.File, pair.Subject.Path, pair.Reference.Path, i == now.Current && pair.Name == p.Saved.Pair})
		}
	}
	return result, nil
}
