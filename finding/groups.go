package finding

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/units"
)

// A Grouping says what the tasks of a group have in common. Empty is no groups.
type Grouping string

// The groupings. A task that several methods call goes with the one that calls most.
const (
	// ByTask is the F-method.
	ByTask Grouping = "method"
	// ByCaller is the app's own method that calls the task, or the innermost above the
	// library that does; the library's method where there is none.
	ByCaller Grouping = "caller"
	// ByCallingPackage is the package of that method.
	ByCallingPackage Grouping = "package"
	// ByLibrary is the group of libraries of the method that calls the task.
	ByLibrary Grouping = "library"
)

// Groupings lists the groupings.
func Groupings() []string {
	return []string{string(ByTask), string(ByCallingPackage), string(ByCaller), string(ByLibrary)}
}

// A Group is some tasks of a comparison. A task inside of another of its group counts with
// that: it is in no sum but Own.
type Group struct {
	// Name is the label of the method, or the name of the package. It is empty where
	// there is none.
	Name string
	// Tasks are indices of the result's tasks, most room for saving first. Matched counts
	// those that the reference has, too.
	Tasks   []int
	Matched int
	// Energy is the tasks', Reference their counterparts'. Saving is what the tasks save,
	// without those that have a counterpart perhaps.
	Energy, Reference, Saving units.Energy
	// Own adds up what of the tasks belongs to no task further inside. Over all groups it
	// adds up to the energy of all tasks.
	Own units.Energy
}

// Groups parts the tasks of a result, most room for saving first.
func (s *Set) Groups(by Grouping) []Group {
	r := s.Result
	at := make(map[string]int)
	var groups []Group
	origins := s.origins()
	of := make([]int, len(r.Tasks))
	byNode := make([]int, len(r.Tasks))
	for i := range r.Tasks {
		name := groupOf(r, i, by, origins)
		g, ok := at[name]
		if !ok {
			g = len(groups)
			at[name] = g
			groups = append(groups, Group{Name: name})
		}
		groups[g].Tasks = append(groups[g].Tasks, i)
		groups[g].Own += r.Tasks[i].Own
		of[i], byNode[i] = g, i
	}
	slices.SortFunc(byNode, func(a, b int) int { return cmp.Compare(r.Tasks[a].Node, r.Tasks[b].Node) })
	ends := make([]int32, len(groups)) // of the task of each group that was seen last
	for _, i := range byNode {
		t, g := &r.Tasks[i], &groups[of[i]]
		if t.Found != eflask.Unmatched {
			g.Matched++
		}
		if t.Node >= ends[of[i]] {
			ends[of[i]] = r.Subject.Tree.Nodes[t.Node].End
			g.Energy += t.Energy
			g.Reference += t.PeerEnergy + t.Elsewhere()
			if t.Perhaps == nil {
				g.Saving += t.Saving
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Saving, a.Saving), cmp.Compare(b.Energy, a.Energy), cmp.Compare(a.Name, b.Name))
	})
	return groups
}

// groupOf names the group of the task with this index.
func groupOf(r *analysis.Result, task int, by Grouping, origins *Origins) string {
	tree := r.Subject.Tree
	node := r.Tasks[task].Node
	if by == ByTask {
		return tree.Labels.Text(tree.Nodes[node].Label)
	}
	callers := eflask.Callers(tree, node)
	if len(callers) == 0 {
		return ""
	}
	source := callers[0].Source
	m := tree.Source.Nodes[source].Method
	if m < 0 {
		return ""
	}
	if by == ByLibrary {
		return part(&r.Subject, m)
	}
	method := tree.Source.Methods[m]
	if own := origins.Of(source).Own; own.Name != "" {
		method = own
	}
	if by == ByCallingPackage {
		return cmp.Or(method.Scope, noPackage)
	}
	return method.Label()
}
