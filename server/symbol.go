package server

import (
	"context"
	"strings"
	"unicode"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/trace"
)

// maxSymbols bounds an answer: nobody reads on.
const maxSymbols = 500

// workspaceSymbol lists the tasks whose F-method or caller fits a query, most room
// for saving first, at the places that call them.
func (s *session) workspaceSymbol(ctx context.Context, p *protocol.WorkspaceSymbolParams) ([]protocol.SymbolInformation, error) {
	out := []protocol.SymbolInformation{}
	v, err := s.view(ctx)
	if err != nil || v.layout == nil {
		return out, err
	}
	w := v.words()
	for i := range v.layout.Set.Result.Tasks {
		task := &v.layout.Set.Tasks[i]
		if v.ignored(i) {
			continue
		}
		for _, mark := range v.layout.Tasks[i] {
			caller := trace.Short(mark.Caller.Label())
			name := trace.Short(task.Label)
			if !fits(p.Query, name) && !fits(p.Query, caller) {
				continue
			}
			if len(out) == maxSymbols {
				return out, nil
			}
			out = append(out, protocol.SymbolInformation{
				Name:          name + " " + w.energy(task.Energy),
				Kind:          protocol.SymbolKindEvent,
				Location:      s.location(mark.Site),
				ContainerName: caller,
			})
		}
	}
	return out, nil
}

// fits reports whether a name has a query's letters in their order, as editors
// search; letters of either case fit lower-case ones.
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
