package finding

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
)

// Cycles returns the number of each method's cycle, from 1. A method in no cycle has 0. Two methods
// are in the same cycle if each reaches the other by calls, as in gprof (Graham, Kessler and
// McKusick, PLDI 1982). A recursive method alone is not a cycle: its inner calls are part of the
// outer call. Cycles are sorted by number of methods, the largest first, then by their first row.
//
// The algorithm is Tarjan's (SIAM Journal on Computing, 1972) without recursion.
func (t *MethodTable) Cycles() []int {
	n := len(t.Methods)
	callees := make([][]int, n)
	for _, l := range t.Links {
		callees[l.Caller] = append(callees[l.Caller], l.Callee)
	}
	// met is the order in which rows are reached, from 1. low is the earliest row that can be
	// reached from a row.
	met, low, onStack := make([]int, n), make([]int, n), make([]bool, n)
	next := make([]int, n) // the callee to follow
	var stack []int
	var found [][]int
	clock := 0
	for root := range n {
		if met[root] != 0 {
			continue
		}
		path := []int{root}
		for len(path) > 0 {
			v := path[len(path)-1]
			if met[v] == 0 {
				clock++
				met[v], low[v], onStack[v] = clock, clock, true
				stack = append(stack, v)
			}
			if next[v] < len(callees[v]) {
				w := callees[v][next[v]]
				next[v]++
				if met[w] == 0 {
					path = append(path, w)
				} else if onStack[w] {
					low[v] = min(low[v], met[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				above := path[len(path)-1]
				low[above] = min(low[above], low[v])
			}
			if low[v] != met[v] {
				continue
			}
			at := slices.Index(stack, v)
			members := slices.Clone(stack[at:])
			stack = stack[:at]
			for _, w := range members {
				onStack[w] = false
			}
			if len(members) > 1 {
				slices.Sort(members)
				found = append(found, members)
			}
		}
	}
	slices.SortFunc(found, func(a, b []int) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0])) })
	numbers := make([]int, n)
	for i, members := range found {
		for _, w := range members {
			numbers[w] = i + 1
		}
	}
	return numbers
}

// CycleUses returns the use of each cycle as a whole, in the order of the cycles. The table has one
// run. Calls counts the calls from outside the cycle, Recursive the calls within it.
func (t *MethodTable) CycleUses(in *analysis.Input, cycles []int) []Use {
	uses := make([]Use, slices.Max(append(slices.Clone(cycles), 0)))
	if len(uses) == 0 {
		return nil
	}
	tree := in.Tree.Source
	b := tableBuilder{rows: make(map[string]int, len(t.Methods))}
	for i := range t.Methods {
		b.methods = append(b.methods, t.Methods[i])
		b.rows[t.Methods[i].Method.Label()] = i
	}
	rowOf := b.rowsOf(in)
	rows, outermost := make([]int, len(rowOf)), make([]bool, len(rowOf))
	ends := make([]int32, len(uses)+1)
	for i, row := range rowOf {
		at := cycles[row]
		rows[i] = at
		calls := tree.Calls.Self(int32(i))
		if at == 0 {
			continue
		}
		use := &uses[at-1]
		use.Recursive += tree.Recursive.Self(int32(i))
		if int32(i) < ends[at] {
			use.Recursive += calls
			continue
		}
		use.Calls += calls
		ends[at], outermost[i] = tree.Nodes[i].End, true
	}
	times, _ := timesOf(tree)
	names := components(t.Components)
	whole := make([]MethodUse, len(uses)+1) // row 0 is for methods in no cycle
	g := gathering{&MethodTable{Methods: whole}, 0, rows, outermost}
	gather(&g, tree.Energy, energies)
	gather(&g, times, durations)
	for _, c := range names.columns(in) {
		gather(&g, c.Column, c.locate(names))
	}
	for i := range uses {
		with := whole[i+1].Runs[0]
		with.Calls, with.Recursive = uses[i].Calls, uses[i].Recursive
		uses[i] = with
	}
	return uses
}
