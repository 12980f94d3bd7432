package server

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/units"
)

// The kinds of lens, each with a switch in the settings.
const (
	lensMethod = "method"
	lensClass  = "class"
)

// codeLens returns a file's lenses with their texts: a client that has to resolve
// them one by one shows them flickering.
func (s *session) codeLens(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	out := []protocol.CodeLens{}
	v, path, err := s.viewOf(ctx, p.TextDocument.URI)
	if err != nil || v == nil {
		return out, err
	}
	w, text := v.words(), s.textOf(path)
	for _, m := range v.layout.Files[path].Methods {
		kind := lensMethod
		if m.Cost.Method.Name == "" {
			kind = lensClass
		}
		if v.prefs.lensesOff || !v.prefs.CodeLens[kind] {
			continue
		}
		title := w.lens(m.Cost, v.saving(m.Cost))
		if m.Stale != "" {
			title += " · source changed"
		}
		r := s.rangeOf(m.Site)
		if text != nil {
			// Some editors draw a lens where its range begins: with the line, then,
			// rather than above the name.
			r.Start.Character = min(r.Start.Character, indentation(text.Line(m.Site.From.Line)))
		}
		out = append(out, protocol.CodeLens{Range: r, Command: lensCommand(v, title, m.Cost)})
	}
	return out, nil
}

// indentation is the column of a line's first character that is no space.
func indentation(line string) uint32 {
	return uint32(len(line) - len(strings.TrimLeft(line, " \t")))
}

// lensCommand shows the worst task of a method, or nothing where it calls none.
func lensCommand(v *view, title string, c *finding.Cost) *protocol.Command {
	command := &protocol.Command{Title: title}
	for _, part := range c.Tasks {
		if !v.ignored(part.Task) {
			command.Command = commandShowTask
			command.Arguments = []any{taskArguments{Task: v.layout.Set.Tasks[part.Task].ID}}
			break
		}
	}
	return command
}

// inlayHints returns what the calls in a part of a file drain, for those who
// would rather not have lines move. A hint is behind its call, so that chained calls
// have theirs apart.
func (s *session) inlayHints(ctx context.Context, p *lsp.InlayHintParams) ([]lsp.InlayHint, error) {
	out := []lsp.InlayHint{}
	v, path, err := s.viewOf(ctx, p.TextDocument.URI)
	if err != nil || v == nil || !v.prefs.InlayHints {
		return out, err
	}
	from, to := s.placeOf(path, p.Range.Start), s.placeOf(path, p.Range.End)
	w := v.words()
	for i := range v.layout.Files[path].Calls {
		mark := &v.layout.Files[path].Calls[i]
		groups := v.groups(mark)
		if !mark.Exact || len(groups) == 0 || mark.Site.From.Line < from.Line || mark.Site.From.Line > to.Line {
			continue
		}
		var drained units.Energy
		for _, task := range slices.Concat(groups...) {
			drained += v.layout.Set.Result.Tasks[task].Energy
		}
		out = append(out, lsp.InlayHint{
			Position:    s.positionOf(mark.Site.Path, mark.Site.End),
			Label:       w.energy(drained),
			PaddingLeft: true,
			Tooltip:     &protocol.MarkupContent{Kind: protocol.PlainText, Value: w.task(groups[0][0])},
		})
	}
	return out, nil
}
