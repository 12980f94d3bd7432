package place

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
)

// A Layout has the places of a comparison's findings in the sources.
type Layout struct {
	// Set is the comparison.
	Set *finding.Set
	// Files has the marks by path, without files that have no marks. A layout made by After
	// shares unchanged marks with the previous layout.
	Files map[string]*Marks
	// Tasks has, by the index of a task, the places that call the task. It omits tasks that are too
	// small for a place. [Layout.Callers] finds the places of such tasks.
	Tasks map[int][]Call

	plan   *plan
	finder finder
	// shape is the result of source.Index.Shape when the layout was made.
	shape uint64
	// calls has the places of each caller in the plan; found has the place of each cost in it.
	calls [][]Call
	found []*found
}

// New places the findings of a comparison. It omits findings with a smaller share of the run's
// energy than minShare, from 0 to 1, but keeps a fleet's suspects and calls of APIs with a cost. If
// shows is not nil, it omits files for which shows returns false.
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

// After places the findings of the same comparison again after edits of the files in changed.
// If the edits changed no declaration that other files depend on, it looks up only the
// declarations in these files.
func (l *Layout) After(changed map[string]bool) *Layout {
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

// marksIn reports whether any of the files has marks.
func (l *Layout) marksIn(paths map[string]bool) bool {
	for path := range paths {
		if l.Files[path] != nil {
			return true
		}
	}
	return false
}

// place updates the places of some callers and costs of the plan. It then updates the marks of the
// files in touched, and of the files that had or now have these places. If touched is nil, it
// updates the marks of all files.
func (l *Layout) place(some spots, touched map[string]bool) {
	touch := func(path string) {
		if touched != nil {
			touched[path] = true
		}
	}
	known := make(memo)
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

// mark updates the marks of the files in touched, or of all files if touched is nil.
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

// finish sorts a file's marks, merges the marks of methods at the same place, and sets Suppressed.
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

// Find returns the declaration of a method, or the code that the compiler generated it from. If the
// method is gone, Find returns the method's class. It returns no site for a method outside the
// workspace. stale has the same meaning as in [Call].
func (l *Layout) Find(m name.Method) (sites []Site, stale string) {
	f, ok := l.finder.find(m, nil)
	if !ok {
		f, _ = l.finder.gone(m)
	}
	return f.sites, f.stale
}

// CallsBetween returns the places where one method calls another. It returns none if they are
// unknown.
func (l *Layout) CallsBetween(caller, callee name.Method) []Site {
	return l.finder.calls(caller, callee).sites
}

// add adds a part. If several recorded methods have the same place, their parts of a task are
// merged.
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

// mergeMethods keeps one mark at each place. A compiler's bridge or stub has the place of the
// method that it calls, so the mark with the most energy includes all others.
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
