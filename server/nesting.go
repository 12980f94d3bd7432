package server

import (
	"slices"

	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// outerFirst sorts parts for display: a task comes before the tasks inside it, and otherwise the
// order is kept. The parameter most limits their number, and rest is the number left out.
func outerFirst(snap *workspace.Snapshot, groups [][]place.Part, most int) (parts []place.Part, rest int) {
	all := slices.Concat(groups...)
	nodes, tasks := snap.Set.Result.Subject.Tree.Nodes, snap.Set.Result.Tasks
	at := make(map[int]int, len(all)) // indices of parts, by the node of their task
	for i, part := range all {
		at[int(tasks[part.Task].Node)] = i
	}
	taken := make([]bool, len(all))
	for i := range all {
		// chain has this task, then the tasks that contain it, the innermost first.
		chain := []int{i}
		for v := nodes[tasks[all[i].Task].Node].Parent; v >= 0; v = nodes[v].Parent {
			if outer, ok := at[int(v)]; ok {
				chain = append(chain, outer)
			}
		}
		for _, k := range slices.Backward(chain) {
			if taken[k] {
				continue
			}
			if len(parts) == most {
				return parts, len(all) - most
			}
			taken[k] = true
			parts = append(parts, all[k])
		}
	}
	return parts, 0
}
