package server

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// The kinds of lens, each with a switch in the settings.
const (
	lensMethod = "method"
	lensClass  = "class"
)

// Lenses of other kinds are in the variable remarks. Their findings come from other files, for
// example from a fleet.

// codeLenses returns a file's lenses, including their texts. Lenses flicker if a client must
// resolve their texts one by one.
func codeLenses(_ context.Context, snap *workspace.Snapshot, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	out := []protocol.CodeLens{}
	marks, path := snap.Marks(p.TextDocument.URI)
	if marks == nil {
		return out, nil
	}
	text := snap.TextOf(path)
	for i := range marks.Methods {
		if snap.Preferences.Lenses {
			out = append(out, costLens(snap, marks, &marks.Methods[i], text)...)
			out = append(out, sinceLens(snap, &marks.Methods[i], text)...)
		}
	}
	for i := range marks.Calls {
		if snap.Preferences.Lenses {
			out = append(out, remarkLenses(snap, &marks.Calls[i], text)...)
		}
	}
	return out, nil
}

// costLens returns the lens with the figures of a method or class, or no lens if the settings hide
// it.
func costLens(snap *workspace.Snapshot, marks *place.Marks, m *place.Method, text *buffer.Buffer) []protocol.CodeLens {
	kind := lensMethod
	if m.Cost.Method.Name == "" {
		kind = lensClass
	}
	if !snap.Preferences.CodeLens[kind] {
		return nil
	}
	title := words.Cost(snap.Set, m.Cost, snap.Saving(m.Cost), snap.SavingInterval(m.Cost), snap.Scale())
	if implied(marks, m) {
		title = "constructor: " + title
	}
	if m.Stale != "" {
		title += " · source changed"
	}
	return []protocol.CodeLens{{Range: lensRange(snap, m.Site, text), Command: lensCommand(snap, title, m.Cost)}}
}

// lensRange returns the range of a lens. Some editors draw a lens at the first column of its range,
// so the range begins after the indentation of the line. text is the text of the file, or nil.
func lensRange(snap *workspace.Snapshot, at place.Site, text *buffer.Buffer) protocol.Range {
	r := snap.RangeOf(at)
	if text != nil {
		r.Start.Character = min(r.Start.Character, indentation(text.Line(at.From.Line)))
	}
	return r
}

// indentation returns the column of the first non-space character of a line.
func indentation(line string) uint32 {
	return uint32(len(line) - len(strings.TrimLeft(line, " \t")))
}

// implied reports whether m is a constructor that the source does not declare. It would have the
// same place as its class, which already has a lens.
func implied(marks *place.Marks, m *place.Method) bool {
	return m.Cost.Method.Name == "<init>" && slices.ContainsFunc(marks.Methods, func(other place.Method) bool {
		return other.Cost.Method.Name == "" && other.Site == m.Site
	})
}

// lensCommand returns the command that a click on a lens runs. The command shows the tasks that the
// lens is about, the largest saving first. Without tasks it shows the method or class.
func lensCommand(snap *workspace.Snapshot, title string, c *finding.Cost) *protocol.Command {
	command := &protocol.Command{Title: title}
	var ids []string
	for _, part := range c.Tasks {
		if !snap.Ignored(part.Task) {
			ids = append(ids, snap.Set.Tasks()[part.Task].ID)
		}
	}
	switch {
	case len(ids) > 0:
		command.Command = commandShowTask
		command.Arguments = []any{taskArguments{Task: ids[0], Tasks: ids}}
	case c.Method.Name == "":
		command.Command = commandShowMethod
		command.Arguments = []any{methodArguments{Class: c.Method.Class()}}
	default:
		command.Command = commandShowMethod
		command.Arguments = []any{methodArguments{Method: c.Method.Label()}}
	}
	return command
}
