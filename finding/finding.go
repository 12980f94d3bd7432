// Package finding says what a comparison found: which tasks could be cheaper, by how
// much, where the app calls them, and where the energy of both runs went. Reports and
// editors only show it.
//
// A task's identity is made of its call path and of nothing else, so that it survives
// moved lines: what somebody ignores stays ignored.
//
// The energy of a method is that of all its calls with what they call, each event
// once. The energy of a class is that of the calls into it, and into the classes
// nested in it, that come from outside of it. What a method may save is the room for
// saving of the tasks that it calls. A task that several methods call is shared out by
// the energy of their calls, to the last nanojoule.
//
// A [Set] is not changed once made and may be read concurrently.
package finding

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/units"
)

// A Code names a kind of finding. Codes are part of the contract with other programs:
// diagnostics carry them.
type Code string

// The codes. Others will follow where one run tells enough: a held wakelock, an
// avoidable tail, a hot line, an energy hog.
const (
	// Nothing: the task drains no more than in the reference.
	Nothing Code = ""
	// UnmatchedTask: the reference has no such task.
	UnmatchedTask Code = "unmatched-task"
	// CostlierTask: the reference has the task and spends less on it.
	CostlierTask Code = "costlier-task"
	// CostlierCode: a method of the app drains more itself than in the reference, or
	// drains something that the same app's reference does not.
	CostlierCode Code = "costlier-code"
	// FleetSuspect: a fleet saw the app drain, and the task may be why, though the runs alone say
	// nothing of it.
	FleetSuspect Code = "fleet-suspect"
)

// A Finding is what was found out about one task.
type Finding struct {
	Code Code
	// ID is the same in every comparison of the same subject.
	ID string
	// Callee is the F-method as it stands in the tree that was compared.
	Callee name.Method
	// Method is the F-method as it was recorded; where several were merged, the one
	// called most.
	Method name.Method
	// Matched is set where the reference has the task, too.
	Matched bool
	// Sites are the methods of the app that call it, most calls first. Where a
	// library does, it is the app's own method above it, if there is one.
	Sites []Site
	// Energy is the task's, with all that it calls.
	Energy units.Energy
	// Accounts are Energy by component, most first; nil where the run tells none apart.
	Accounts []Component
	// Saving is what could be saved: all of an unmatched task. Of one that has a
	// counterpart perhaps, the least is what is left if it is the counterpart. Where runs
	// were repeated it is their interval.
	Saving Interval
	// Unsure is set where repeated runs are no evidence of a difference: then there is
	// Nothing.
	Unsure bool
}

// A Site is a method of the app that calls a task.
type Site struct {
	Method name.Method
	// Calls is how often it does, as cct.Tree.Calls says.
	Calls int64
	// Energy is what its calls drained with all that they call, and Saving its part of the
	// task's room for saving, as [Part] has it. Over all sites neither adds up to more than
	// the task has.
	Energy, Saving units.Energy
	// Called is the method by which it came to the task, where Method does not call
	// the task itself; otherwise it has no Name.
	Called name.Method
	// Through is what called the task then: words.Through says it.
	Through Through
}

// Through is what stands between the app's own code and a task: a class, and the group
// of libraries that it is in, which may be empty.
type Through struct{ Library, Class string }

// An Interval is where an amount lies. Its ends are equal where nothing is in doubt.
type Interval struct{ Least, Most units.Energy }

// exactly is the interval of an amount that is known.
func exactly(e units.Energy) Interval { return Interval{e, e} }

// A Set is what a comparison says of the subject's code.
type Set struct {
	Result *analysis.Result
	// Tasks has a finding for each of Result.Tasks, in their order: those that are suspect and
	// those with something to save are first.
	Tasks []Finding
	// Code are the methods of the app that drain more themselves than their
	// counterparts in the reference, most room for saving first.
	Code []CodeFinding
	// Wastes are what the subject's components drain for nothing, most first; none unless the
	// subject has bundles.
	Wastes []Waste
	// Methods are those of the subject that have calls or energy, the dearest first.
	Methods []Cost
	// Classes are those that Methods are in, by name.
	Classes map[string]*Cost
	// ByID finds a task by its ID.
	ByID map[string]int
	// Suspicion is what a fleet says, nil if none was asked. Who makes the set sets it.
	Suspicion *Suspicion

	origins *Origins
	ledger  *Ledger
	uses    func() *MethodTable

	// mu guards reasons, those that were asked for.
	mu      sync.Mutex
	reasons map[int]analysis.Reason
}

// New finds what a result has to say. It fails with ctx's error once that is done.
func New(ctx context.Context, r *analysis.Result) (*Set, error) {
	s := &Set{
		Result: r, Tasks: make([]Finding, 0, len(r.Tasks)), ByID: make(map[string]int, len(r.Tasks)),
		Classes: make(map[string]*Cost), origins: NewOrigins(&r.Subject), ledger: NewLedger(&r.Subject), reasons: make(map[int]analysis.Reason),
	}
	costs, ids := s.costs(), IDs(r)
	for i := range r.Tasks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		callers := eflask.Callers(r.Subject.Tree, r.Tasks[i].Node)
		savings := shares(&r.Tasks[i], callers)
		if r.Repeats != nil && !analysis.Evident(r.Repeats.Task(&r.Tasks[i])) {
			clear(savings)
		}
		f := s.task(&r.Tasks[i], ids[i], callers, savings)
		s.ByID[f.ID] = i
		s.Tasks = append(s.Tasks, f)
		s.credit(costs, i, callers, savings)
	}
	s.code(costs)
	s.waste(costs)
	for i := range costs {
		if costs[i].Energy != 0 || costs[i].Calls != 0 {
			s.Methods = append(s.Methods, costs[i])
		}
	}
	slices.SortStableFunc(s.Methods, func(a, b Cost) int { return cmp.Compare(b.Energy, a.Energy) })
	s.uses = sync.OnceValue(func() *MethodTable { return ByMethod(&r.Subject, &r.Reference) })
	return s, nil
}

// Uses is what each method drained in the subject and in the reference. It is made when
// it is asked for first.
func (s *Set) Uses() *MethodTable { return s.uses() }

// task makes the finding of a task that has an ID and that callers call. savings are the
// callers' parts of its room for saving.
func (s *Set) task(t *eflask.Task, id string, callers []eflask.Caller, savings []units.Energy) Finding {
	tree := s.Result.Subject.Tree
	source := tree.Source
	f := Finding{ID: id, Callee: tree.Labels.Method(tree.Nodes[t.Node].Label), Matched: t.Found != eflask.Unmatched, Energy: t.Energy, Saving: exactly(max(t.Saving, 0))}
	f.Accounts = s.ledger.Node(&tree.Measures, t.Node)
	if t.Perhaps != nil {
		f.Saving.Least = max(t.Energy-s.Result.Reference.Tree.Energy.All(t.Perhaps.Reference), 0)
	}
	if repeated := s.Result.Repeats; repeated != nil {
		e := repeated.Task(t)
		if f.Unsure = !analysis.Evident(e); e != nil {
			least, most := analysis.Energies(e.Interval)
			f.Saving = Interval{max(least, 0), max(most, 0)}
		}
	}
	switch {
	case t.Saving <= 0 || f.Unsure:
	case !f.Matched:
		f.Code = UnmatchedTask
	default:
		f.Code = CostlierTask
	}
	most := int64(-1)
	for _, o := range tree.Originals(t.Node) {
		if m, calls := source.Nodes[o].Method, source.Calls.Self(o); m >= 0 && calls > most {
			most, f.Method = calls, source.Methods[m]
		}
	}
	for i, c := range callers {
		if m := source.Nodes[c.Source].Method; m >= 0 {
			site := s.site(c)
			site.Saving = savings[i]
			f.Sites = append(f.Sites, site)
		}
	}
	return f
}

// Recorded returns the method of either run that has a label.
func (s *Set) Recorded(label string) (m name.Method, ok bool) {
	for _, in := range []*analysis.Input{&s.Result.Subject, &s.Result.Reference} {
		methods := in.Tree.Source.Methods
		if i := slices.IndexFunc(methods, func(m name.Method) bool { return m.Label() == label }); i >= 0 {
			return methods[i], true
		}
	}
	return name.Method{}, false
}

// site is where the app makes the calls of a caller.
func (s *Set) site(c eflask.Caller) Site {
	source := s.Result.Subject.Tree.Source
	made := source.Methods[source.Nodes[c.Source].Method]
	from := s.origins.Of(c.Source)
	if from.Own.Name == "" || from.Called.Name == "" {
		return Site{Method: made, Calls: c.Calls, Energy: c.Energy}
	}
	return Site{Method: from.Own, Calls: c.Calls, Energy: c.Energy, Called: from.Called, Through: Through{from.Library, made.Owner()}}
}

// Share is an energy's part of the subject's.
func (s *Set) Share(e units.Energy) float64 { return units.Share(e, s.Result.Subject.Energy) }

// Why says what most of a task's saving comes from. It remembers what it said, since
// editors ask again with each edit.
func (s *Set) Why(task int) analysis.Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	why, ok := s.reasons[task]
	if !ok {
		why = s.Result.Explain(task)
		s.reasons[task] = why
	}
	return why
}
