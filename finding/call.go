package finding

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// byCall returns a function from a node to its row in a table by EachCall. The row is the outermost
// call on the node's path. A call is a kernel function, or a method with energy of a component
// other than the processor. rowAt has the rows of the earlier nodes.
func (t *MethodTable) byCall(in *analysis.Input, rowAt []int, rows map[string]int) func(node int32) int {
	tree := in.Tree.Source
	calls := make([]bool, len(tree.Methods))
	for id, m := range tree.Methods {
		calls[id] = m.InKernel()
	}
	names := components(t.Components)
	for _, c := range names.columns(in) {
		if t.Components[c.component].Name == Processor {
			continue
		}
		for i, n := range tree.Nodes {
			if n.Method != cct.NoMethod && c.Self(int32(i)) != 0 {
				calls[n.Method] = true
			}
		}
	}
	row := func(m name.Method, owner platform.Owner, own bool, library string) int {
		label := m.Label()
		at, ok := rows[label]
		if !ok {
			at = len(t.Methods)
			rows[label] = at
			t.Methods = append(t.Methods, MethodUse{Method: m, Owner: owner, Own: own, Library: library})
		}
		return at
	}
	ofMethod := make(map[trace.MethodID]int)
	rest := row(name.Method{Name: noCall}, platform.Caller, false, "")
	return func(node int32) int {
		n := &tree.Nodes[node]
		switch {
		case n.Parent >= 0 && rowAt[n.Parent] != rest:
			return rowAt[n.Parent]
		case n.Method == cct.NoMethod || !calls[n.Method]:
			return rest
		}
		at, ok := ofMethod[n.Method]
		if !ok {
			at = row(tree.Methods[n.Method], owners[in.Tree.MethodKind(n.Method)], in.Own.Is(n.Method), in.Libraries[n.Method])
			ofMethod[n.Method] = at
		}
		return at
	}
}
