package server

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/units"
)

// inlayHints returns what the calls in a part of a file drain. Unlike lenses, hints
// move no lines. A hint stands behind its call, so each of several chained calls has
// its own.
func inlayHints(_ context.Context, snap *workspace.Snapshot, p *lsp.InlayHintParams) ([]lsp.InlayHint, error) {
	out := []lsp.InlayHint{}
	marks, path := snap.Marks(p.TextDocument.URI)
	if marks == nil || !snap.Preferences.InlayHints {
		return out, nil
	}
	from, to := snap.PlaceOf(path, p.Range.Start), snap.PlaceOf(path, p.Range.End)
	for i := range marks.Calls {
		mark := &marks.Calls[i]
		groups := groups(snap, mark)
		if !mark.Exact || len(groups) == 0 || mark.Site.From.Line < from.Line || mark.Site.From.Line > to.Line {
			continue
		}
		var drained units.Energy
		for _, task := range slices.Concat(groups...) {
			drained += snap.Set.Result.Tasks[task].Energy
		}
		out = append(out, lsp.InlayHint{
			Position:    snap.PositionOf(mark.Site.Path, mark.Site.End),
			Label:       snap.Scale().Energy(drained),
			PaddingLeft: true,
			Tooltip:     &protocol.MarkupContent{Kind: protocol.PlainText, Value: words.Finding(snap.Set, groups[0][0], snap.Scale())},
		})
	}
	return out, nil
}
