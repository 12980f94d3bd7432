package server

import (
	"slices"

	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// outerFirst returns at most most first parts of groups in reading order: a task before the
// tasks inside it, else in the given order. rest is the number of further parts.
func outerFirst(snap *workspace.Snapshot, groups [][]place.Part, most int) (parts []place.Part, rest int) {
	all := slices.Concat(groups...)
	nodes, tasks := snap.Set.Result.Subject.Tree.Nodes, snap.Set.Result.Tasks
	at := make(map[int]int, len(all)) // of parts by the nodes of their tasks
	for i, part := range all {
		at[int(tasks[part.Task].Node)] = i
	}
	taken := make([]bool, len(all))
	for i := range all {
		// The tasks that contain this one, the innermost first.
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
