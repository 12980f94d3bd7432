// Package finding adds up what a comparison says of each method and class of the
// subject: an editor shows code, and a comparison lists tasks.
//
// The energy of a method is that of all its calls with what they call, each event
// once. The energy of a class is that of the calls into it, and into the classes
// nested in it, that come from outside of it. What a method may save is the room
// for saving of the tasks that it calls; a task that several methods call is parted
// by their numbers of calls.
//
// A [Set] is not changed once made and may be read concurrently.
package finding

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// A Set is what a comparison says of the subject's code.
type Set struct {
	Result *analysis.Result
	// Report has all tasks, in the order of Result.Tasks.
	Report *report.Report
	// Tasks are in that order too.
	Tasks []Task
	// Methods are those of the subject that have calls or energy, the dearest
	// first.
	Methods []Cost
	// Classes are those that Methods are in, by name.
	Classes map[string]*Cost
	// ByID finds a task by its report's id.
	ByID map[string]int

	// mu guards whys, those that were asked for.
	mu   sync.Mutex
	whys map[int]string
}

// A Task is a task's F-method and who calls it, as methods of the recording.
type Task struct {
	// Callee is the F-method; where several were merged, the one called most.
	Callee name.Method
	// Callers are in the order of the report's.
	Callers []Caller
}

// A Caller is a method of the app that calls a task.
type Caller struct {
	Method name.Method
	Calls  int64
}

// A Cost is what a method or a class drains.
type Cost struct {
	// Method has no Name for a class.
	Method name.Method
	Energy units.Energy
	Calls  int64
	// Tasks are its parts of the tasks it calls, most room for saving first.
	Tasks []Part
}

// A Part is a method's or a class's part of a task.
type Part struct {
	// Task is an index of Set.Tasks.
	Task int
	// Saving is its part of the task's room for saving, 0 if the task has none.
	Saving units.Energy
}

// New adds up a result. version is the program's. It fails with ctx's error once
// that is done.
func New(ctx context.Context, r *analysis.Result, version string) (*Set, error) {
	s := &Set{
		Result: r, Report: report.New(r, version, 0), ByID: make(map[string]int), Classes: make(map[string]*Cost),
		whys: make(map[int]string),
	}
	costs := s.costs()
	for i, t := range r.Tasks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.ByID[s.Report.Tasks[i].ID] = i
		callers := eflask.Callers(r.Subject.Tree, t.Node)
		s.Tasks = append(s.Tasks, s.task(t, callers))
		s.credit(costs, i, t, callers)
	}
	for i := range costs {
		if costs[i].Energy != 0 || costs[i].Calls != 0 {
			s.Methods = append(s.Methods, costs[i])
		}
	}
	slices.SortStableFunc(s.Methods, func(a, b Cost) int { return cmp.Compare(b.Energy, a.Energy) })
	return s, nil
}

// Share is an energy's part of the subject's.
func (s *Set) Share(e units.Energy) float64 { return units.Share(e, s.Result.Subject.Energy) }

// Why says what most of a task's saving comes from, as report.Why does.
func (s *Set) Why(task int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	why, ok := s.whys[task]
	if !ok {
		why = report.Why(s.Result, task, nil)
		s.whys[task] = why
	}
	return why
}

// costs adds up energy and calls by method and class.
func (s *Set) costs() []Cost {
	source := s.Result.Subject.Tree.Source
	costs := make([]Cost, len(source.Methods))
	around := make([][]*Cost, len(source.Methods)) // the classes of a method
	for m := range costs {
		costs[m].Method = source.Methods[m]
	}
	// ends is where the outermost call into a class, at this place of the tree,
	// ends.
	ends := make(map[*Cost]int32)
	for i := range source.Nodes {
		n := &source.Nodes[i]
		if n.Method < 0 {
			continue
		}
		costs[n.Method].Energy += n.Inclusive
		costs[n.Method].Calls += n.Calls + n.Recursive
		if around[n.Method] == nil {
			around[n.Method] = s.classes(source.Methods[n.Method].Class())
		}
		for _, class := range around[n.Method] {
			if int32(i) >= ends[class] {
				ends[class] = n.End
				class.Energy += n.Inclusive
				class.Calls += n.Calls
			}
		}
	}
	return costs
}

// classes returns a class and those around it.
func (s *Set) classes(class string) []*Cost {
	var out []*Cost
	for class != "" {
		c := s.Classes[class]
		if c == nil {
			c = &Cost{Method: name.OfClass(class, "", "")}
			s.Classes[class] = c
		}
		out = append(out, c)
		// A name may begin with a dollar sign: what stands before it must be one.
		at := strings.LastIndexByte(class, '$')
		if at <= 0 || class[at-1] == '.' || class[at-1] == '$' {
			break
		}
		class = class[:at]
	}
	return out
}

// task finds the methods behind a task that callers call.
func (s *Set) task(t eflask.Task, callers []eflask.Caller) Task {
	tree := s.Result.Subject.Tree
	source := tree.Source
	out := Task{}
	most := int64(-1)
	for _, o := range tree.Originals(t.Node) {
		if n := &source.Nodes[o]; n.Method >= 0 && n.Calls > most {
			most, out.Callee = n.Calls, source.Methods[n.Method]
		}
	}
	for _, c := range callers {
		if m := source.Nodes[c.Source].Method; m >= 0 {
			out.Callers = append(out.Callers, Caller{source.Methods[m], c.Calls})
		}
	}
	return out
}

// credit adds a task to the callers' methods, and to their classes.
func (s *Set) credit(costs []Cost, i int, t eflask.Task, callers []eflask.Caller) {
	source := s.Result.Subject.Tree.Source
	calls := int64(0)
	for _, c := range callers {
		calls += c.Calls
	}
	saving := max(t.Saving, 0)
	for at, c := range callers {
		m := source.Nodes[c.Source].Method
		if m < 0 {
			continue
		}
		part := saving
		switch {
		case calls > 0:
			part = units.Energy(units.MulDiv(int64(saving), c.Calls, calls))
		case at > 0:
			part = 0 // without counts the first caller stands for all
		}
		for _, cost := range append(s.classes(source.Methods[m].Class()), &costs[m]) {
			if n := len(cost.Tasks); n > 0 && cost.Tasks[n-1].Task == i {
				cost.Tasks[n-1].Saving += part
			} else {
				cost.Tasks = append(cost.Tasks, Part{i, part})
			}
		}
	}
}

// Name is what people call an input: its file's name without what says the format.
func Name(path string) string {
	name := filepath.Base(path)
	for {
		ext := filepath.Ext(name)
		switch strings.ToLower(ext) {
		case ".gz", ".zst", ".trace", ".folded", ".txt":
			if short := strings.TrimSuffix(name, ext); short != "" {
				name = short
				continue
			}
		}
		return name
	}
}
