package finding

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/units"
)

// A Grouping is what the tasks of a group have in common. The empty Grouping makes no groups.
type Grouping string

// The groupings. A task with several callers is in the group of the caller with the most calls.
const (
	// ByTask groups by the task's framework method.
	ByTask Grouping = "method"
	// ByCaller groups by the app's own method that calls the task. If a library makes the call,
	// this is the innermost own method above the library, or the library's method if there is none.
	ByCaller Grouping = "caller"
	// ByCallingPackage groups by the package of ByCaller's method.
	ByCallingPackage Grouping = "package"
	// ByLibrary groups by the caller's library group.
	ByLibrary Grouping = "library"
)

// Groupings lists the groupings.
func Groupings() []string {
	return []string{string(ByTask), string(ByCallingPackage), string(ByCaller), string(ByLibrary)}
}

// A Group is a set of tasks of a comparison. Energy, Reference and Saving leave out a task inside
// another task of the same group.
type Group struct {
	// Name is the label of the method, or the name of the package. It may be empty.
	Name string
	// Tasks are indices into the result's tasks, sorted by possible saving. Matched counts the tasks
	// that the reference also has.
	Tasks   []int
	Matched int
	// Energy is the tasks' energy. Reference is the energy of their counterparts. Saving is the
	// saving of the tasks, except tasks with a possible counterpart.
	Energy, Reference, Saving units.Energy
	// Own is the energy of all tasks of the group, each without its inner tasks. The sum over all
	// groups is the energy of all tasks.
	Own units.Energy
}

// Groups divides the tasks of a result into groups, sorted by possible saving.
func (s *Set) Groups(by Grouping) []Group {
	r := s.Result
	at := make(map[string]int)
	var groups []Group
	origins := s.origins()
	number := make([]int, len(r.Tasks))
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
		number[i], byNode[i] = g, i
	}
	slices.SortFunc(byNode, func(a, b int) int { return cmp.Compare(r.Tasks[a].Node, r.Tasks[b].Node) })
	ends := make([]int32, len(groups)) // the end of each group's latest outermost task
	for _, i := range byNode {
		t, g := &r.Tasks[i], &groups[number[i]]
		if t.Found != eflask.Unmatched {
			g.Matched++
		}
		if t.Node >= ends[number[i]] {
			ends[number[i]] = r.Subject.Tree.Nodes[t.Node].End
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

// groupOf returns the name of the group that a task is in.
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
	if own := origins.Origin(source).Own; own.Name != "" {
		method = own
	}
	if by == ByCallingPackage {
		return cmp.Or(method.Scope, noPackage)
	}
	return method.Label()
}
