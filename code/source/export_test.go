package source

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/name"
)

// Behind reports whether the outline of a file was made from an earlier text.
func (x *Index) Behind(path string) bool {
	e := x.entryOf(path)
	return e != nil && e.stale
}

// Explain describes each site that may be a call of the callee.
func (x *Index) Explain(caller, callee name.Method) string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	answers, reason := x.find(caller, time.Time{})
	want := x.callee(callee)
	var out strings.Builder
	fmt.Fprintf(&out, "\tthe caller %v\n", reason)
	for i := range answers {
		h := &answers[i]
		own, nested := x.bodies(h)
		for j := range h.Sites {
			s := &h.Sites[j]
			if rank := want.rank(h, s); rank < never && (own[s.Owner] || nested[s.Owner]) {
				receiver := h.Names[s.Receiver]
				fmt.Fprintf(&out, "\trank %d line %d kind %d %s of %q, which is %q, own %v\n", rank, s.At.Line+1, s.Kind, h.Names[s.Name],
					receiver, x.resolver(want.table).resolve(h.entry, h.typ, receiver), own[s.Owner])
			}
		}
	}
	lines := strings.SplitAfter(out.String(), "\n")
	return strings.Join(slices.Compact(lines), "")
}
