package finding

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A Cost is the energy of a method or of a class.
type Cost struct {
	// Method is the method. For a class its Name is empty.
	Method name.Method
	Energy units.Energy
	// Calls is the number of calls, as in cct.Tree.Calls.
	Calls int64
	// Code is the finding about the method's exclusive energy, nil if there is none.
	Code *CodeFinding
	// Wastes are the findings about energy that components waste at this method, by saving.
	Wastes []*Waste
	// Tasks are the tasks that the method or class calls, sorted by possible saving.
	Tasks []Part
}

// A Part is one caller's part of a task. The caller is a method or a class.
type Part struct {
	// Task is an index into Set.Tasks.
	Task int
	// Saving is the part of the task's saving. It is 0 if the task does not count.
	Saving units.Energy
}

// Saving returns the energy that a method or a class could save in the tasks that it calls. It
// leaves out tasks for which hidden returns true. If one task is inside another, only the larger
// saving counts. The result never exceeds the energy of the method or the class.
func (s *Set) Saving(c *Cost, hidden func(task int) bool) units.Energy {
	return s.saving(c, hidden, func(p Part) units.Energy { return p.Saving })
}

// SavingInterval returns the interval of Saving, from the intervals of the tasks.
func (s *Set) SavingInterval(c *Cost, hidden func(task int) bool) Interval {
	share := func(p Part, end units.Energy) units.Energy {
		return units.Energy(units.MulDiv(int64(p.Saving), int64(end), int64(s.Result.Tasks[p.Task].Saving)))
	}
	in := func(p Part) Interval { return s.Standing(Ranked{Index: p.Task}).Saving }
	return Interval{
		s.saving(c, hidden, func(p Part) units.Energy { return share(p, in(p).Least) }),
		s.saving(c, hidden, func(p Part) units.Energy { return share(p, in(p).Most) }),
	}
}

// saving works like Saving, for any figure of the tasks, such as an upper bound.
func (s *Set) saving(c *Cost, hidden func(task int) bool, figure func(Part) units.Energy) units.Energy {
	sums := make(map[int]units.Energy, len(c.Tasks)) // by task, including inner tasks
	var order []int
	for _, p := range c.Tasks {
		if p.Saving > 0 && !hidden(p.Task) {
			sums[p.Task] = figure(p)
			order = append(order, p.Task)
		}
	}
	// Inner tasks come first: they are later in preorder.
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.Result.Tasks[b].Node, s.Result.Tasks[a].Node) })
	inside := make(map[int]units.Energy, len(order))
	sum := units.Energy(0)
	for _, task := range order {
		most := max(sums[task], inside[task])
		outer := s.Outer(task)
		for outer >= 0 {
			if _, ok := sums[outer]; ok {
				break
			}
			outer = s.Outer(outer)
		}
		if outer >= 0 {
			inside[outer] += most
		} else {
			sum += most
		}
	}
	return min(sum, c.Energy)
}

// costs sums up energy and calls by method and class.
func (d *detail) costs(r *analysis.Result) []Cost {
	source := r.Subject.Tree.Source
	costs := make([]Cost, len(source.Methods))
	around := make([][]*Cost, len(source.Methods)) // the classes of a method
	for m := range costs {
		costs[m].Method = source.Methods[m]
	}
	// ends has, for each class, the end of the latest outermost call into it.
	ends := make(map[*Cost]int32)
	for i := range source.Nodes {
		n := &source.Nodes[i]
		if n.Method < 0 {
			continue
		}
		energy, calls := source.Energy.All(int32(i)), source.Calls.Self(int32(i))
		costs[n.Method].Energy += energy
		costs[n.Method].Calls += calls + source.Recursive.Self(int32(i))
		if around[n.Method] == nil {
			around[n.Method] = d.around(source.Methods[n.Method])
		}
		for _, class := range around[n.Method] {
			if int32(i) >= ends[class] {
				ends[class] = n.End
				class.Energy += energy
				class.Calls += calls
			}
		}
	}
	return costs
}

// around returns the class of a method and its enclosing classes.
func (d *detail) around(m name.Method) []*Cost {
	var out []*Cost
	for class := range m.Classes() {
		c := d.classes[class]
		if c == nil {
			c = &Cost{Method: name.OfClass(class, "", "")}
			d.classes[class] = c
		}
		out = append(out, c)
	}
	return out
}

// credit adds a task to the methods that call it, and to the classes of these methods. If a library
// makes the call, credit adds the task to the app's own method above the library, if there is one.
// savings are the callers' parts of the task's saving.
func (s *Set) credit(d *detail, costs []Cost, task int, callers []eflask.Caller, savings []units.Energy) {
	source := s.Result.Subject.Tree.Source
	for i, c := range callers {
		m := source.Nodes[s.Origin(c.Source).Node].Method
		if m < 0 {
			continue
		}
		for _, cost := range append(d.around(source.Methods[m]), &costs[m]) {
			if n := len(cost.Tasks); n > 0 && cost.Tasks[n-1].Task == task {
				cost.Tasks[n-1].Saving += savings[i]
			} else {
				cost.Tasks = append(cost.Tasks, Part{task, savings[i]})
			}
		}
	}
}

// shares divides a task's saving among its callers, in proportion to the energy of their calls. A
// task that does not count has no saving. The shares are differences of rounded running sums, so
// they add up to the saving exactly. If no call used energy, the first caller gets the whole saving.
func shares(t *eflask.Task, callers []eflask.Caller, counts bool) []units.Energy {
	var total, sum, given units.Energy
	for _, c := range callers {
		total += c.Energy
	}
	saving := units.Energy(0)
	if counts {
		saving = max(t.Saving, 0)
	}
	out := make([]units.Energy, len(callers))
	for i, c := range callers {
		upTo := saving
		if total > 0 {
			sum += c.Energy
			upTo = units.Energy(units.MulDiv(int64(saving), int64(sum), int64(total)))
		}
		out[i] = upTo - given
		given = upTo
	}
	return out
}
