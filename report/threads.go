package report

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/units"
)

// A ThreadEnergy is what the threads of one name drained on either side of a
// comparison: their names are all that the threads of two runs have in common.
type ThreadEnergy struct {
	// Name may be empty.
	Name      string       `json:"name"`
	Subject   units.Energy `json:"subjectNJ"`
	Reference units.Energy `json:"referenceNJ"`
}

// byThread lists the threads that drained something, those that drained most on
// either side first.
func byThread(r *analysis.Result) []ThreadEnergy {
	found := map[string][2]units.Energy{}
	for side, in := range []*analysis.Input{&r.Subject, &r.Reference} {
		for id, e := range in.Tree.Source.ThreadEnergy {
			if e != 0 {
				name := in.Trace.Threads[id].Name
				sums := found[name]
				sums[side] += e
				found[name] = sums
			}
		}
	}
	threads := make([]ThreadEnergy, 0, len(found))
	for name, sums := range found {
		threads = append(threads, ThreadEnergy{name, sums[0], sums[1]})
	}
	slices.SortFunc(threads, func(a, b ThreadEnergy) int {
		return cmp.Or(cmp.Compare(max(b.Subject, b.Reference), max(a.Subject, a.Reference)), cmp.Compare(a.Name, b.Name))
	})
	return threads
}

// threadNames names the threads that called the method of a node of an input's tree,
// each name once, in the order of the recording's table; none where there were too
// many to keep apart.
func threadNames(in *analysis.Input, node int32) []string {
	ids := in.Tree.Source.Threads(in.Tree.Originals(node)...)
	names := make([]string, 0, len(ids))
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if name := in.Trace.Threads[id].Name; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
