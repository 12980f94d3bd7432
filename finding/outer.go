package finding

import "github.com/diffprof/diffprof/analysis"

// Outer returns, for each task of a result, the index of the innermost other task that contains it,
// or -1.
func Outer(r *analysis.Result) []int {
	nodes := r.Subject.Tree.Nodes
	// in maps each node to the innermost task at or above it.
	in := make([]int, len(nodes))
	for v := range in {
		in[v] = -1
	}
	for i := range r.Tasks {
		in[r.Tasks[i].Node] = i
	}
	outer := make([]int, len(r.Tasks))
	for v := range nodes {
		around := -1
		if parent := nodes[v].Parent; parent >= 0 {
			around = in[parent]
		}
		if in[v] >= 0 {
			outer[in[v]] = around
		} else {
			in[v] = around
		}
	}
	return outer
}
