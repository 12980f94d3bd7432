package place

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
)

// A Layout maps the findings of a comparison to places in the sources.
type Layout struct {
	// Set is the comparison.
	Set *finding.Set
	// Files has the findings in each file, by path. It has no entry for a file without findings. A
	// layout made by Updated shares unchanged entries.
	Files map[string]*Marks
	// Tasks has the places that call each task, by the task's index. It omits small tasks, which
	// are not shown in the source; [Layout.Callers] finds their places.
	Tasks map[int][]Call

	plan   *plan
	finder finder
	// shape is the result of source.Index.Shape when the layout was made.
	shape uint64
	// calls and found are the places of plan.callers and plan.costs, by the same index.
	calls [][]Call
	found []*found
}

// New finds the places of a comparison's findings. It omits findings below minShare, a share of the
// run's energy from 0 to 1. It always keeps tasks that a fleet suspects and calls of APIs with a
// known cost. If shows is not nil, only files for which it returns true have places.
func New(set *finding.Set, index *source.Index, minShare float64, shows func(path string) bool) *Layout {
	plan := newPlan(set, minShare)
	l := &Layout{
		Set: set, Files: make(map[string]*Marks), Tasks: make(map[int][]Call),
		plan: plan, finder: newFinder(index, set, shows), shape: index.Shape(),
		calls: make([][]Call, len(plan.callers)), found: make([]*found, len(plan.costs)),
	}
	l.place(plan.all, nil)
	return l
}

// Updated returns the layout after edits of the files in changed. Usually it looks only at these
// files. It starts anew if a declaration changed on which other files depend.
func (l *Layout) Updated(changed map[string]bool) *Layout {
	next := *l
	if next.shape = l.finder.index.Shape(); next.shape != l.shape {
		next.Files, next.Tasks = make(map[string]*Marks), make(map[int][]Call)
		next.calls, next.found = make([][]Call, len(l.calls)), make([]*found, len(l.found))
		next.place(l.plan.all, nil)
		return &next
	}
	some := l.plan.declaredIn(changed, l.finder.index)
	if some.empty() && !l.marksIn(changed) {
		return l
	}
	next.Files, next.Tasks = maps.Clone(l.Files), maps.Clone(l.Tasks)
	next.calls, next.found = slices.Clone(l.calls), slices.Clone(l.found)
	next.place(some, maps.Clone(changed))
	return &next
}

// marksIn reports whether any of the files has findings.
func (l *Layout) marksIn(paths map[string]bool) bool {
	for path := range paths {
		if l.Files[path] != nil {
			return true
		}
	}
	return false
}

// place looks up some callers and costs of the plan again. It then updates the files in touched,
// and the files that these callers and costs were in or are in now. If touched is nil, it updates
// all files.
func (l *Layout) place(some planRefs, touched map[string]bool) {
	touch := func(path string) {
		if touched != nil {
			touched[path] = true
		}
	}
	known := make(findCache)
	tasks := make(map[int]bool)
	for _, i := range some.callers {
		by := l.plan.callers[i]
		tasks[by.task] = true
		for _, before := range l.calls[i] {
			touch(before.Site.Path)
		}
		l.calls[i] = l.finder.callers(l.Set, by, known)
		for _, now := range l.calls[i] {
			touch(now.Site.Path)
		}
	}
	for task := range tasks {
		calls := slices.Concat(l.calls[l.plan.first[task]:l.plan.first[task+1]]...)
		if delete(l.Tasks, task); len(calls) > 0 {
			l.Tasks[task] = calls
		}
	}
	for _, i := range some.costs {
		if before := l.found[i]; before != nil {
			for _, at := range before.sites {
				touch(at.Path)
			}
		}
		l.found[i] = l.finder.cost(l.plan.costs[i], known)
		for _, at := range l.found[i].sites {
			touch(at.Path)
		}
	}
	l.mark(touched)
}

// mark updates l.Files for the files in touched, or for all files if touched is nil.
func (l *Layout) mark(touched map[string]bool) {
	in := func(path string) bool { return touched == nil || touched[path] }
	fresh := make(map[string]*Marks)
	file := func(path string) *Marks {
		m := fresh[path]
		if m == nil {
			m = &Marks{}
			fresh[path] = m
		}
		return m
	}
	at := make(map[Site]*Call)
	var order []*Call
	for i := range l.calls {
		for j := range l.calls[i] {
			call := &l.calls[i][j]
			if !in(call.Site.Path) {
				continue
			}
			if known := at[call.Site]; known != nil {
				known.add(call.Tasks[0])
				continue
			}
			mark := *call
			mark.Tasks = slices.Clone(call.Tasks) // the parts in calls must not change
			at[mark.Site] = &mark
			order = append(order, &mark)
		}
	}
	for _, mark := range order {
		m := file(mark.Site.Path)
		m.Calls = append(m.Calls, *mark)
	}
	for i := range l.found {
		for _, at := range l.found[i].sites {
			if in(at.Path) {
				m := file(at.Path)
				m.Methods = append(m.Methods, Method{Site: at, Stale: l.found[i].stale, Cost: l.plan.costs[i]})
			}
		}
	}
	for path := range touched {
		delete(l.Files, path)
	}
	for path, m := range fresh {
		m.finish(path, l.finder.index)
		l.Files[path] = m
	}
}

// finish sorts a file's marks, sets Suppressed, and keeps one method at each place.
func (m *Marks) finish(path string, index *source.Index) {
	for i := range m.Calls {
		m.Calls[i].Suppressed = index.Suppressed(path, m.Calls[i].Site.From.Line)
	}
	for i := range m.Methods {
		m.Methods[i].Suppressed = index.Suppressed(path, m.Methods[i].Site.From.Line)
	}
	slices.SortStableFunc(m.Calls, func(a, b Call) int { return a.Site.Compare(b.Site) })
	slices.SortStableFunc(m.Methods, func(a, b Method) int { return a.Site.Compare(b.Site) })
	m.Methods = mergeMethods(m.Methods)
}

// Callers returns the places that call a task.
func (l *Layout) Callers(task int) []Call {
	if calls, ok := l.Tasks[task]; ok {
		return calls
	}
	var calls []Call
	for _, site := range l.Set.Tasks()[task].Sites {
		calls = append(calls, l.finder.callers(l.Set, caller{task, site}, nil)...)
	}
	return calls
}

// Find looks up a method. It returns the method's declaration, or the code from which the compiler
// generated it. If the method is gone, it returns the class. It returns no site for a method
// outside the workspace. stale has the same meaning as [Call.Stale].
func (l *Layout) Find(m name.Method) (sites []Site, stale string) {
	f, ok := l.finder.find(m, nil)
	if !ok {
		f, _ = l.finder.findRemoved(m)
	}
	return f.sites, f.stale
}

// CallsBetween returns the places where one method calls another, or nil if there are none.
func (l *Layout) CallsBetween(caller, callee name.Method) []Site {
	return l.finder.calls(caller, callee).sites
}

// add adds p to the call's tasks. Several recorded methods may have the same place; their energies
// for the same task are added up.
func (c *Call) add(p Part) {
	i := slices.IndexFunc(c.Tasks, func(q Part) bool { return q.Task == p.Task })
	if i < 0 {
		c.Tasks = append(c.Tasks, p)
		return
	}
	q := &c.Tasks[i]
	q.First = q.First || p.First
	q.Energy += p.Energy
	q.Saving += p.Saving
	q.Calls += p.Calls
	if len(p.Places) > len(q.Places) {
		q.Places = p.Places
	}
}

// mergeMethods keeps one method at each place: the one with the most energy. Bridges and stubs of
// the compiler have the place of the method that they call, and include its energy.
func mergeMethods(list []Method) []Method {
	var out []Method
	for _, m := range list {
		if n := len(out); n > 0 && out[n-1].Site == m.Site && (out[n-1].Cost.Method.Name == "") == (m.Cost.Method.Name == "") {
			if m.Cost.Energy > out[n-1].Cost.Energy {
				out[n-1] = m
			}
			continue
		}
		out = append(out, m)
	}
	return out
}
