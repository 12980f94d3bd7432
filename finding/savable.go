package finding

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/units"
)

// Savable is the most that could be saved in tasks of which none lies inside another:
// what a task and one inside it could save is the same energy. ignored tasks, by their
// index, do not count, nor do those that have a counterpart perhaps.
func Savable(r *analysis.Result, ignored map[int]bool) units.Energy {
	saving := make(map[int32]units.Energy)
	for i, t := range r.Tasks {
		if !ignored[i] && t.Perhaps == nil {
			saving[t.Node] = max(t.Saving, 0)
		}
	}
	// Each subtree's most, from the last in preorder: those inside come first.
	type subtree struct {
		node int32
		most units.Energy
	}
	var apart []subtree
	for _, node := range slices.Backward(slices.Sorted(maps.Keys(saving))) {
		inside := units.Energy(0)
		for n := len(apart); n > 0 && apart[n-1].node < r.Subject.Tree.Nodes[node].End; n-- {
			inside += apart[n-1].most
			apart = apart[:n-1]
		}
		apart = append(apart, subtree{node, max(saving[node], inside)})
	}
	sum := units.Energy(0)
	for _, s := range apart {
		sum += s.most
	}
	return sum
}
