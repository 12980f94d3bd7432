// Package finding says what a comparison found: which tasks could be cheaper, by how
// much, where the app calls them, and where the energy of both runs went. Reports and
// editors only show it.
//
// # The judgement
//
// A row, a task or a piece of app code, counts if it costs the subject more and nothing speaks
// against that: the difference is more than chance ([analysis.Chance]), the row has no
// counterpart perhaps, the two runs have something in common, and their numbers compare. A row
// that does not count names its [Doubt]. It is no warning, no failure and no part of what could
// be saved.
//
// The [Headline] parts the difference of the two runs. Laws, which tests hold:
//
//   - the portions add up to the energies of both runs exactly;
//   - what could be saved is at most what the subject uses, and 0 where no row counts and the
//     system uses no more;
//   - a run compared with itself has no row that counts.
//
// # Identities and amounts
//
// A task's identity is made of its call path and of nothing else, so that it survives
// moved lines: what somebody ignores stays ignored.
//
// The energy of a method is that of all its calls with what they call, each event
// once. The energy of a class is that of the calls into it, and into the classes
// nested in it, that come from outside of it. What a method may save is the
// saving of the tasks that it calls, of tasks inside one another the larger one, and never more
// than the method uses. A task that several methods call is shared out by
// the energy of their calls, to the last nanojoule.
//
// A [Set] is not changed once made and may be read concurrently.
package finding

import (
	"cmp"
	"maps"
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
	// Standing is the judgement on the task, with what could be saved.
	Standing
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

// A Set is what a comparison found, with the judgement on it. It is all that reports and
// editors show.
type Set struct {
	// Result has the rows that are listed: those that settings, filters and baselines leave out
	// are not in it. The judgement is of the whole comparison all the same.
	Result *analysis.Result
	// Suspicion is what a fleet says, nil if none was asked.
	Suspicion *Suspicion
	// Severity has the thresholds of severities.
	Severity Severity

	judged *judgement
	// known has the rows that Without left out.
	known   known
	ids     *taskIDs
	codeIDs func() []string
	outer   func() []int
	origins func() *Origins
	ledgers func() [2]*Ledger
	uses    func() *MethodTable
	detail  func() *detail

	// mu guards reasons, those that were asked for.
	mu      sync.Mutex
	reasons map[int]analysis.Reason
}

// A detail is what only editors show of a set.
type detail struct {
	tasks   []Finding
	code    []CodeFinding
	wastes  []Waste
	methods []Cost
	classes map[string]*Cost
	byID    map[string]int
}

// New judges a result. What takes long is made when it is asked for first.
func New(r *analysis.Result) *Set { return newSet(r, judge(r), known{}, nil, DefaultSeverity()) }

// newSet makes the set of a result that lists some rows of the judged one.
func newSet(r *analysis.Result, j *judgement, k known, suspicion *Suspicion, severity Severity) *Set {
	s := &Set{Result: r, judged: j, known: k, Suspicion: suspicion, Severity: severity, reasons: make(map[int]analysis.Reason)}
	s.ids = &taskIDs{result: r}
	s.codeIDs = sync.OnceValue(func() []string { return CodeIDs(r) })
	s.outer = sync.OnceValue(func() []int { return Outer(r) })
	s.origins = sync.OnceValue(func() *Origins { return NewOrigins(&r.Subject) })
	s.ledgers = sync.OnceValue(func() [2]*Ledger { return [2]*Ledger{NewLedger(&r.Subject), NewLedger(&r.Reference)} })
	s.uses = sync.OnceValue(func() *MethodTable { return ByMethod(&r.Subject, &r.Reference) })
	s.detail = sync.OnceValue(s.details)
	return s
}

// listing returns the set with another result, which lists some rows of the set's.
func (s *Set) listing(r *analysis.Result) *Set {
	return newSet(r, s.judged, s.known, s.Suspicion, s.Severity)
}

// Without returns the set without the tasks, the app code and the findings of components that
// a rule names, and their numbers. Rest leaves these rows out of the totals.
func (s *Set) Without(rule Rule) (*Set, Fewer) {
	left, fewer := s.excusing(Ignored(s.Result, rule), IgnoredCode(s.Result, rule))
	subject, wastes := WithoutWastes(&left.Result.Subject, rule)
	left.Result.Subject, fewer.Wastes = *subject, wastes
	return left, fewer
}

// excusing returns the set without these tasks and rows of app code, by their indexes, and their
// numbers. Rest leaves them out of the totals.
func (s *Set) excusing(tasks, code map[int]bool) (*Set, Fewer) {
	r, fewer := without(s.Result, tasks, code)
	left := s.listing(r)
	left.known = known{tasks: maps.Clone(s.known.tasks), code: maps.Clone(s.known.code)}
	for i := range tasks {
		left.known.addTask(s.Result.Tasks[i].Node)
	}
	for i := range code {
		left.known.addCode(&s.Result.AppCode.Rows[i])
	}
	return left, fewer
}

// Hiding returns the set without these tasks and rows of app code, by their indexes.
func (s *Set) Hiding(tasks, code map[int]bool) *Set {
	r, _ := without(s.Result, tasks, code)
	return s.listing(r)
}

// OwnOnly returns the set with the rows of the app's own code alone, and how many are left
// out.
func (s *Set) OwnOnly() (*Set, Fewer) {
	r, fewer := without(s.Result, Foreign(s.Result), ForeignCode(s.Result))
	return s.listing(r), fewer
}

// Suspecting returns the set with what a fleet says of the subject's app: the tasks that are
// suspect come first.
func (s *Set) Suspecting(suspicion *Suspicion) *Set {
	return newSet(suspicion.First(s.Result), s.judged, s.known, suspicion, s.Severity)
}

// ID is the identity of a task, by its index in Result.Tasks, and CodeID that of a row of app
// code. Both are the same in every comparison of the same subject.
func (s *Set) ID(task int) string    { return s.ids.of(task) }
func (s *Set) CodeID(row int) string { return s.codeIDs()[row] }

// Find returns the task or the row of app code that has an identity.
func (s *Set) Find(id string) (at Ranked, ok bool) {
	if i := slices.Index(s.ids.all(), id); i >= 0 {
		return Ranked{Index: i}, true
	}
	i := slices.Index(s.codeIDs(), id)
	return Ranked{Code: true, Index: i}, i >= 0
}

// Outer is the index of the innermost task that a task is inside of, -1 for none.
func (s *Set) Outer(task int) int { return s.outer()[task] }

// Origin is where in the app's own code the calls began that a node of the subject's tree
// makes, as eflask.Caller.Source has it.
func (s *Set) Origin(source int32) Origin { return s.origins().Of(source) }

// Components lists what components used for a task and for its counterpart, which may be nil.
func (s *Set) Components(t *eflask.Task) (here, there []Component) {
	l := s.ledgers()
	here = l[0].Node(&s.Result.Subject.Tree.Measures, t.Node)
	if t.Peer >= 0 {
		there = l[1].Node(&s.Result.Reference.Tree.Measures, t.Peer)
	}
	return here, there
}

// Standing is the judgement on a row.
func (s *Set) Standing(at Ranked) Standing {
	if at.Code {
		return s.judged.code(&s.Result.AppCode.Rows[at.Index])
	}
	return s.judged.task(&s.Result.Tasks[at.Index])
}

// Tasks has a finding for each of Result.Tasks, in their order: those that are suspect and
// those with something to save are first.
func (s *Set) Tasks() []Finding { return s.detail().tasks }

// Code are the rows of app code that count, the largest saving first.
func (s *Set) Code() []CodeFinding { return s.detail().code }

// Wastes are what the subject's components use for nothing, most first; none unless the
// subject has bundles.
func (s *Set) Wastes() []Waste { return s.detail().wastes }

// Methods are those of the subject that have calls or energy, most energy first.
func (s *Set) Methods() []Cost { return s.detail().methods }

// Classes are those that Methods are in, by name.
func (s *Set) Classes() map[string]*Cost { return s.detail().classes }

// ByID finds a task by its ID.
func (s *Set) ByID(id string) (task int, ok bool) {
	task, ok = s.detail().byID[id]
	return task, ok
}

// details finds what editors show.
func (s *Set) details() *detail {
	r := s.Result
	d := &detail{tasks: make([]Finding, 0, len(r.Tasks)), byID: make(map[string]int, len(r.Tasks)), classes: make(map[string]*Cost)}
	costs := d.costs(r)
	for i := range r.Tasks {
		callers := eflask.Callers(r.Subject.Tree, r.Tasks[i].Node)
		savings := shares(&r.Tasks[i], callers, s.Standing(Ranked{Index: i}).Counts)
		f := s.task(i, callers, savings)
		d.byID[f.ID] = i
		d.tasks = append(d.tasks, f)
		s.credit(d, costs, i, callers, savings)
	}
	s.findCode(d, costs)
	s.findWastes(d, costs)
	for i := range costs {
		if costs[i].Energy != 0 || costs[i].Calls != 0 {
			d.methods = append(d.methods, costs[i])
		}
	}
	slices.SortStableFunc(d.methods, func(a, b Cost) int { return cmp.Compare(b.Energy, a.Energy) })
	return d
}

// Uses is what each method used in the subject and in the reference.
func (s *Set) Uses() *MethodTable { return s.uses() }

// task makes the finding of a task that callers call. savings are the callers' parts of its
// saving.
func (s *Set) task(i int, callers []eflask.Caller, savings []units.Energy) Finding {
	t, standing := &s.Result.Tasks[i], s.Standing(Ranked{Index: i})
	tree := s.Result.Subject.Tree
	source := tree.Source
	f := Finding{
		ID: s.ID(i), Callee: tree.Labels.Method(tree.Nodes[t.Node].Label), Matched: t.Found != eflask.Unmatched, Energy: t.Energy,
		Standing: standing,
	}
	f.Accounts, _ = s.Components(t)
	switch {
	case !standing.Counts && s.Suspect(i):
		f.Code = FleetSuspect
	case !standing.Counts:
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
	from := s.Origin(c.Source)
	if from.Own.Name == "" || from.Called.Name == "" {
		return Site{Method: made, Calls: c.Calls, Energy: c.Energy}
	}
	return Site{Method: from.Own, Calls: c.Calls, Energy: c.Energy, Called: from.Called, Through: Through{from.Library, made.Owner()}}
}

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
