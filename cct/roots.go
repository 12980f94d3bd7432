package cct

import "github.com/diffprof/diffprof/trace"

// clearCalls sets the numbers of calls of the roots to 0. roots are the methods that represent a
// process, and entering one is not a call.
func (t *Tree) clearCalls(roots []trace.MethodID) {
	if len(roots) == 0 {
		return
	}
	is := make(map[trace.MethodID]bool, len(roots))
	for _, id := range roots {
		is[id] = true
	}
	ends, calls := make([]int32, len(t.Nodes)), make([]int64, len(t.Nodes))
	changed := false
	for i := range t.Nodes {
		ends[i], calls[i] = t.Nodes[i].End, t.Calls.self(int32(i))
		if is[t.Nodes[i].Method] && calls[i] != 0 {
			calls[i], changed = 0, true
		}
	}
	if changed {
		t.Calls = NewColumn(ends, calls)
	}
}
