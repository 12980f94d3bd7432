package server

import (
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/units"
)

// inlayHints returns the energy of calls and lines in a range of a file. Each hint is after its
// call or line. Unlike lenses, hints do not move lines. In a chain of calls, each call has its own
// hint.
func inlayHints(_ context.Context, snap *workspace.Snapshot, p *lsp.InlayHintParams) ([]lsp.InlayHint, error) {
	out := []lsp.InlayHint{}
	marks, path := snap.Marks(p.TextDocument.URI)
	if !snap.Preferences.InlayHints {
		return out, nil
	}
	out = append(out, lineHints(snap, path, int(p.Range.Start.Line), int(p.Range.End.Line))...)
	if marks == nil {
		return out, nil
	}
	from, to := snap.PlaceOf(path, p.Range.Start), snap.PlaceOf(path, p.Range.End)
	for i := range marks.Calls {
		mark := &marks.Calls[i]
		groups := groups(snap, mark)
		if mark.Suppressed || !mark.Exact || len(groups) == 0 || mark.Site.From.Line < from.Line || mark.Site.From.Line > to.Line {
			continue
		}
		out = append(out, lsp.InlayHint{
			Position:    snap.PositionOf(mark.Site.Path, mark.Site.End),
			Label:       figure(snap, slices.Concat(groups...)),
			PaddingLeft: true,
			Tooltip:     &protocol.MarkupContent{Kind: protocol.PlainText, Value: words.Finding(snap.Set, groups[0][0].Task, snap.Scale())},
		})
	}
	return out, nil
}

// figure returns the text of a call's hint. If the call has several possible places, only the first
// shows the energy, for example "3 mJ at 2 places". Others show "one of 2 places".
func figure(snap *workspace.Snapshot, parts []place.Part) string {
	var energy units.Energy
	places, here := 1, false
	for _, part := range parts {
		energy += part.Energy
		places = max(places, len(part.Places))
		here = here || part.First
	}
	switch {
	case !here:
		return fmt.Sprintf("one of %d places", places)
	case places > 1:
		return fmt.Sprintf("%s at %d places", snap.Scale().Energy(energy), places)
	}
	return snap.Scale().Energy(energy)
}
