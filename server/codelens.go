package server

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// The kinds of lens, each with a switch in the settings.
const (
	lensMethod = "method"
	lensClass  = "class"
)

// codeLenses returns a file's lenses with their texts. Lenses that a client has to
// resolve one by one flicker.
func codeLenses(_ context.Context, snap *workspace.Snapshot, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	out := []protocol.CodeLens{}
	marks, path := snap.Marks(p.TextDocument.URI)
	if marks == nil {
		return out, nil
	}
	text := snap.TextOf(path)
	for _, m := range marks.Methods {
		kind := lensMethod
		if m.Cost.Method.Name == "" {
			kind = lensClass
		}
		if snap.Preferences.LensesOff || !snap.Preferences.CodeLens[kind] {
			continue
		}
		title := words.Cost(snap.Set, m.Cost, snap.Saving(m.Cost), snap.Scale())
		if m.Stale != "" {
			title += " · source changed"
		}
		r := snap.RangeOf(m.Site)
		if text != nil {
			// Some editors draw a lens at the column where its range begins. It is
			// to stand above the beginning of the line.
			r.Start.Character = min(r.Start.Character, indentation(text.Line(m.Site.From.Line)))
		}
		out = append(out, protocol.CodeLens{Range: r, Command: lensCommand(snap, title, m.Cost)})
	}
	return out, nil
}

// indentation is the column of a line's first character that is no space.
func indentation(line string) uint32 {
	return uint32(len(line) - len(strings.TrimLeft(line, " \t")))
}

// lensCommand shows the worst task of a method; it does nothing if the method calls
// no task.
func lensCommand(snap *workspace.Snapshot, title string, c *finding.Cost) *protocol.Command {
	command := &protocol.Command{Title: title}
	for _, part := range c.Tasks {
		if !snap.Ignored(part.Task) {
			command.Command = commandShowTask
			command.Arguments = []any{taskArguments{Task: snap.Set.Tasks[part.Task].ID}}
			break
		}
	}
	return command
}
