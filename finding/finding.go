// Package finding derives findings from a comparison: which tasks could be cheaper, by how much,
// where the app calls them, and where the energy of both runs went. Reports and editors only show
// them.
//
// A comparison has two sides: the subject, which is the run under test, and the reference. A task
// is a framework method that the app calls, on one call path.
//
// # The judgement
//
// A row is a task or a piece of app code. A row counts as a finding if all of these hold:
//
//   - it costs the subject more than the reference;
//   - chance does not explain the difference ([analysis.Chance]), nor do waiting threads or
//     assumed figures of the power model;
//   - it has no possible counterpart in the reference;
//   - the runs have something in common, and their numbers are comparable.
//
// Otherwise a row that costs the subject more has a [Doubt]. It causes no warning and no failure,
// and is not part of the possible saving.
//
// The [Headline] breaks down the difference of the two runs. Tests check these laws:
//
//   - the portions add up to the energies of both runs exactly;
//   - the possible saving is at most the subject's energy. It is 0 if no row counts and the system
//     does not use more;
//   - in a run compared with itself, no row counts.
//
// # Identities and amounts
//
// A task's identity is a hash of its call path. It does not depend on source lines, so a task that
// the user ignores stays ignored when lines move.
//
// The energy of a method is the energy of all its calls and their callees. Each event counts once.
// The energy of a class is the energy of all calls from outside into the class or its nested
// classes.
//
// The possible saving of a method is the saving of the tasks that it calls. If tasks are nested,
// only the larger saving counts. The possible saving never exceeds the method's energy.
//
// If several methods call a task, its energy is divided among them in proportion to the energy of
// their calls. The parts add up to the task's energy exactly.
//
// A [Set] is immutable and safe for concurrent reading.
package finding

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A Code names a kind of finding. Diagnostics carry codes, so other programs may rely on them.
type Code string

// The codes of findings from a comparison. The codes of findings from a single run begin with
// HeldWakelock.
const (
	// Nothing means that the task uses no more than in the reference.
	Nothing Code = ""
	// UnmatchedTask means that the reference has no such task.
	UnmatchedTask Code = "unmatched-task"
	// CostlierTask means that the reference has the task and uses less for it.
	CostlierTask Code = "costlier-task"
	// CostlierCode means that a method of the app itself uses more than in the reference. If the
	// reference is the same app, the method may also be missing in its run.
	CostlierCode Code = "costlier-code"
	// FleetSuspect means that the app uses too much battery in a fleet and the task may be the
	// cause. The two runs alone do not show it.
	FleetSuspect Code = "fleet-suspect"
)

// A Finding describes one task.
type Finding struct {
	Code Code
	// ID is the task's identity. It is the same in every comparison of the same subject.
	ID string
	// Callee is the task's framework method, as named in the compared tree.
	Callee name.Method
	// Method is the same method as it was recorded. If preprocessing merged several methods, Method
	// is the one with the most calls.
	Method name.Method
	// Matched is true if the reference also has the task, or makes its calls in another task.
	Matched bool
	// Sites are the methods of the app that call the task, sorted by calls. If a library makes the
	// call, the site is the app's own method above the library, if there is one.
	Sites []Site
	// Energy is the task's energy with all callees.
	Energy units.Energy
	// Accounts is Energy by component, sorted by energy. It is nil if the run has no energy by
	// component.
	Accounts []Component
	// Standing is the judgement on the task, with the possible saving.
	Standing
}

// A Site is a method of the app that calls a task.
type Site struct {
	Method name.Method
	// Calls is the number of its calls, as in cct.Tree.Calls.
	Calls int64
	// Energy is the energy of its calls with all callees. Saving is its part of the task's possible
	// saving, as in [Part]. The sum over all sites never exceeds the task's energy or saving.
	Energy, Saving units.Energy
	// Called is the method that Method calls to reach the task. It is the zero Method if Method
	// calls the task itself.
	Called name.Method
	// Intermediary is the code between Method and the task. words.Intermediary formats it.
	Intermediary Intermediary
}

// Intermediary is the code between the app's own code and a task: the calling class, and its
// library group. Library may be empty.
type Intermediary struct{ Library, Class string }

// An Interval has the bounds of an amount. They are equal if the amount is exact.
type Interval struct{ Least, Most units.Energy }

// exactly returns the interval of an exact amount.
func exactly(e units.Energy) Interval { return Interval{e, e} }

// A Set has all findings of a comparison. Reports and editors show nothing else.
type Set struct {
	// Result has the listed rows, without those that settings, filters and baselines removed. The
	// judgement covers the whole comparison.
	Result *analysis.Result
	// Suspicion is what a fleet of devices says about the app. It is nil if no fleet was given.
	Suspicion *Suspicion
	// Severity has the thresholds for the severity of a finding.
	Severity Severity

	judged *judgement
	// known has the rows that Without removed.
	known   known
	ids     *taskIDs
	codeIDs func() []string
	outer   func() []int
	origins func() *Origins
	ledgers func() [2]*Ledger
	uses    func() *MethodTable
	detail  func() *detail

	// mu guards reasons, which caches the result of Why for each task.
	mu      sync.Mutex
	reasons map[int]analysis.Reason
}

// A detail has results that only editors show. They are computed when first used.
type detail struct {
	tasks   []Finding
	code    []CodeFinding
	wastes  []Waste
	methods []Cost
	classes map[string]*Cost
	byID    map[string]int
}

// New judges a result. Rows that count as findings come first. Slow parts are computed when they
// are first used.
func New(r *analysis.Result) *Set {
	j := judge(r)
	return newSet(j.order(), j, known{}, nil, DefaultSeverity())
}

// newSet makes a set. r has the listed rows, which are all or some of the judged rows.
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

// listing returns the set with the rows of r, which are some of the set's rows.
func (s *Set) listing(r *analysis.Result) *Set {
	return newSet(r, s.judged, s.known, s.Suspicion, s.Severity)
}

// Without returns the set without the tasks, the app code and the wastes that a rule matches. It
// also returns the numbers of removed rows. [Set.Remainder] leaves these rows out of the totals.
func (s *Set) Without(rule Rule) (*Set, Removed) {
	left, removed := s.excusing(Ignored(s.Result, rule), IgnoredCode(s.Result, rule))
	subject, wastes := WithoutWastes(&left.Result.Subject, rule)
	left.Result.Subject, removed.Wastes = *subject, wastes
	return left, removed
}

// excusing returns the set without the tasks and rows of app code with these indices. It also
// returns the numbers of removed rows. [Set.Remainder] leaves these rows out of the totals.
func (s *Set) excusing(tasks, code map[int]bool) (*Set, Removed) {
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

// Hide returns the set without the tasks and rows of app code with these indices.
func (s *Set) Hide(tasks, code map[int]bool) *Set {
	r, _ := without(s.Result, tasks, code)
	return s.listing(r)
}

// OwnOnly returns the set with only the rows of the app's own code. It also returns the numbers of
// removed rows.
func (s *Set) OwnOnly() (*Set, Removed) {
	r, removed := without(s.Result, Foreign(s.Result), ForeignCode(s.Result))
	return s.listing(r), removed
}

// WithSuspicion returns the set with a fleet's claim about the subject's app. Suspect tasks come
// first.
func (s *Set) WithSuspicion(suspicion *Suspicion) *Set {
	return newSet(suspicion.SuspectsFirst(s.Result), s.judged, s.known, suspicion, s.Severity)
}

// ID returns the identity of Result.Tasks[task]. CodeID returns the identity of a row of app code.
// Both identities are the same in every comparison of the same subject.
func (s *Set) ID(task int) string    { return s.ids.id(task) }
func (s *Set) CodeID(row int) string { return s.codeIDs()[row] }

// Find returns the task or the row of app code with an identity.
func (s *Set) Find(id string) (at Ranked, ok bool) {
	if i := slices.Index(s.ids.all(), id); i >= 0 {
		return Ranked{Index: i}, true
	}
	i := slices.Index(s.codeIDs(), id)
	return Ranked{Code: true, Index: i}, i >= 0
}

// Outer returns the index of the innermost task around a task, or -1.
func (s *Set) Outer(task int) int { return s.outer()[task] }

// Origin returns the place in the app's own code that leads to a call. source is the caller's node,
// an eflask.Caller.Source.
func (s *Set) Origin(source int32) Origin { return s.origins().Origin(source) }

// Components lists the energy of each component in a task and in its counterpart. The second list
// is nil if the task has no counterpart.
func (s *Set) Components(t *eflask.Task) (here, there []Component) {
	l := s.ledgers()
	here = l[0].Node(&s.Result.Subject.Tree.Measures, t.Node)
	if t.Peer >= 0 {
		there = l[1].Node(&s.Result.Reference.Tree.Measures, t.Peer)
	}
	return here, there
}

// Standing returns the judgement on a row.
func (s *Set) Standing(at Ranked) Standing {
	if at.Code {
		return s.judged.code(&s.Result.AppCode.Rows[at.Index])
	}
	return s.judged.task(&s.Result.Tasks[at.Index])
}

// Tasks has a finding for each of Result.Tasks, in the same order: suspect tasks come first, then
// tasks with a saving.
func (s *Set) Tasks() []Finding { return s.detail().tasks }

// Code returns the rows of app code that count, sorted by saving.
func (s *Set) Code() []CodeFinding { return s.detail().code }

// Wastes returns the findings about the subject's components, sorted by saving. The list is empty
// if the subject has no bundles (active periods of components).
func (s *Set) Wastes() []Waste { return s.detail().wastes }

// Methods returns the subject's methods that have calls or energy, sorted by energy.
func (s *Set) Methods() []Cost { return s.detail().methods }

// Classes returns the classes of Methods, keyed by name.
func (s *Set) Classes() map[string]*Cost { return s.detail().classes }

// ByID finds a task by its ID.
func (s *Set) ByID(id string) (task int, ok bool) {
	task, ok = s.detail().byID[id]
	return task, ok
}

// details computes what editors show.
func (s *Set) details() *detail {
	r := s.Result
	d := &detail{tasks: make([]Finding, 0, len(r.Tasks)), byID: make(map[string]int, len(r.Tasks)), classes: make(map[string]*Cost)}
	costs := d.costs(r)
	for i := range r.Tasks {
		callers := eflask.Callers(r.Subject.Tree, r.Tasks[i].Node)
		savings := shares(&r.Tasks[i], callers, s.Standing(Ranked{Index: i}).IsFinding)
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

// Uses returns the table of each method's use in the subject and in the reference.
func (s *Set) Uses() *MethodTable { return s.uses() }

// task makes the finding of the task with index i. savings are the callers' parts of its saving.
func (s *Set) task(i int, callers []eflask.Caller, savings []units.Energy) Finding {
	t, standing := &s.Result.Tasks[i], s.Standing(Ranked{Index: i})
	tree := s.Result.Subject.Tree
	source := tree.Source
	f := Finding{
		ID: s.ID(i), Callee: tree.Labels.Method(tree.Nodes[t.Node].Label), Matched: t.Found != eflask.Unmatched || t.Moved(), Energy: t.Energy,
		Standing: standing,
	}
	f.Accounts, _ = s.Components(t)
	switch {
	case !standing.IsFinding && s.Suspect(i):
		f.Code = FleetSuspect
	case !standing.IsFinding:
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

// Callee returns the method that an app method calls to reach a task: the task's own method, or a
// library's method that leads to it. caller is the label of the app method. The result is the zero
// Method if caller does not call the task.
func (s *Set) Callee(task int, caller string) name.Method {
	f := &s.Tasks()[task]
	for _, site := range f.Sites {
		switch {
		case site.Method.Label() != caller:
		case site.Called.Name != "":
			return site.Called
		default:
			return f.Method
		}
	}
	return name.Method{}
}

// Recorded returns the method with a label, from either run.
func (s *Set) Recorded(label string) (m name.Method, ok bool) {
	for _, in := range []*analysis.Input{&s.Result.Subject, &s.Result.Reference} {
		methods := in.Tree.Source.Methods
		if i := slices.IndexFunc(methods, func(m name.Method) bool { return m.Label() == label }); i >= 0 {
			return methods[i], true
		}
	}
	return name.Method{}, false
}

// site returns the app method that leads to the calls of a caller, and their energy.
func (s *Set) site(c eflask.Caller) Site {
	source := s.Result.Subject.Tree.Source
	made := source.Methods[source.Nodes[c.Source].Method]
	from := s.Origin(c.Source)
	if from.Own.Name == "" || from.Called.Name == "" {
		return Site{Method: made, Calls: c.Calls, Energy: c.Energy}
	}
	return Site{Method: from.Own, Calls: c.Calls, Energy: c.Energy, Called: from.Called, Intermediary: Intermediary{from.Library, made.Owner()}}
}

// Why returns the main reason for a task's saving. It caches the reason, because editors call Why
// after each edit.
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
