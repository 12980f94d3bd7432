package finding

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/units"
)

// Savable is the most that could be saved in tasks and in the app's own code, of which
// none lies inside another: what a task could save, and a task or code inside of it, is
// the same energy. tasks and code, by their index, are those that do not count; nor do
// tasks that have a counterpart perhaps. Where runs were repeated, only what they are evidence
// for counts. Code counts where [Set.Code] would list it.
func Savable(r *analysis.Result, tasks, code map[int]bool) units.Energy {
	saving := make(map[int32]units.Energy)
	for i, t := range r.Tasks {
		if !tasks[i] && t.Perhaps == nil && (r.Repeats == nil || analysis.Evident(r.Repeats.Task(&t))) {
			saving[t.Node] = max(t.Saving, 0)
		}
	}
	own := ownSavings(r, code)
	// Each subtree's most, from the last in preorder: those inside come first. Code is a
	// leaf: what is below its callback is not what it drains itself.
	type subtree struct {
		node int32
		most units.Energy
	}
	var apart []subtree
	nodes := slices.AppendSeq(slices.Collect(maps.Keys(saving)), maps.Keys(own))
	slices.Sort(nodes)
	for _, node := range slices.Backward(nodes) {
		task, ok := saving[node]
		if !ok {
			apart = append(apart, subtree{node, own[node]})
			continue
		}
		inside := units.Energy(0)
		for n := len(apart); n > 0 && apart[n-1].node < r.Subject.Tree.Nodes[node].End; n-- {
			inside += apart[n-1].most
			apart = apart[:n-1]
		}
		apart = append(apart, subtree{node, max(task, inside)})
	}
	sum := units.Energy(0)
	for _, s := range apart {
		sum += s.most
	}
	return sum
}

// ownSavings shares out what the app's own code could save among the callbacks that it is
// in, by what it drains in each, to the last nanojoule.
func ownSavings(r *analysis.Result, ignored map[int]bool) map[int32]units.Energy {
	savings := make(map[int32]units.Energy)
	for i := range r.AppCode.Rows {
		row := &r.AppCode.Rows[i]
		if ignored[i] || !actionable(r, row) || r.Repeats != nil && !analysis.Evident(r.Repeats.Code(row)) {
			continue
		}
		var sum, given units.Energy
		for _, p := range row.Parts {
			sum += p.Energy
			upTo := units.Energy(units.MulDiv(int64(row.Saving), int64(sum), int64(row.Energy)))
			savings[p.Node] += upTo - given
			given = upTo
		}
	}
	return savings
}
