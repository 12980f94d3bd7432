package server

import (
	"context"
	"strings"
	"unicode"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/workspace"
)

// maxSymbols limits the symbols in an answer to a readable number.
const maxSymbols = 500

// workspaceSymbol searches tasks by the names of called methods and callers. It returns the places
// of the calls, the largest possible saving first.
func workspaceSymbol(_ context.Context, snap *workspace.Snapshot, p *protocol.WorkspaceSymbolParams) ([]protocol.SymbolInformation, error) {
	out := []protocol.SymbolInformation{}
	if snap.Set == nil {
		return out, nil
	}
	for i := range snap.Set.Result.Tasks {
		task := &snap.Set.Tasks()[i]
		if snap.Ignored(i) {
			continue
		}
		for _, mark := range snap.Layout.Tasks[i] {
			caller := mark.Caller.Short()
			name := task.Callee.Short()
			if !mark.Tasks[0].First {
				continue
			}
			if !fits(p.Query, name) && !fits(p.Query, caller) {
				continue
			}
			if len(out) == maxSymbols {
				return out, nil
			}
			out = append(out, protocol.SymbolInformation{
				Name:          name + " " + snap.Scale().Energy(mark.Tasks[0].Energy),
				Kind:          protocol.SymbolKindEvent,
				Location:      snap.LocationOf(mark.Site),
				ContainerName: caller,
			})
		}
	}
	return out, nil
}

// fits reports whether a name contains the letters of a query in order. Editors usually search in
// this way. A lower-case letter of the query matches either case.
func fits(query, name string) bool {
	rest := name
	for _, r := range query {
		at := strings.IndexFunc(rest, func(n rune) bool {
			return n == r || unicode.IsLower(r) && unicode.ToLower(n) == r
		})
		if at < 0 {
			return false
		}
		_, after := cutRune(rest[at:])
		rest = after
	}
	return true
}

func cutRune(s string) (string, string) {
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}
