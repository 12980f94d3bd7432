// Package place finds where in the sources a comparison's findings are.
//
// A [Layout] has, for each file, the calls of tasks and the methods and classes with
// their costs, in the order of the text. A task stands at each call of its F-method
// in the calling method. Where no such call can be found it stands at the calling
// method's name, and where the method is gone, at its class, with a word on why.
//
// A Layout is not changed once made and may be read concurrently. An edit makes a
// new one ([Layout.After]), which keeps what was found in files that did not change.
package place

import (
	"cmp"
	"maps"
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/units"
)

// A Site is a name in a source file: a method's, a class's, or a call's. Columns
// count UTF-16 units.
type Site struct {
	Path     string
	From, To buffer.Position
	// End is where the call or the method ends. For a call that ends in another line
	// it is To.
	End buffer.Position
}

// Compare orders sites by path and position.
func (a Site) Compare(b Site) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.From.Line, b.From.Line), cmp.Compare(a.From.Column, b.From.Column))
}

// Contains reports whether a position is in the name. The position behind its last
// character is: that is where the cursor stands after the name was typed.
func (a Site) Contains(p buffer.Position) bool {
	return p.Line == a.From.Line && p.Line == a.To.Line && p.Column >= a.From.Column && p.Column <= a.To.Column
}

// Marks are the places in one file that a comparison says something of, in the
// order of the text.
type Marks struct {
	Calls   []Call
	Methods []Method
}

// Same reports whether two files' marks of one comparison stand in the same places and say
// the same there, but for the other places that a task has.
func (m *Marks) Same(other *Marks) bool {
	if m == nil || other == nil {
		return m == other
	}
	return slices.EqualFunc(m.Calls, other.Calls, func(a, b Call) bool {
		return a.Site == b.Site && a.Exact == b.Exact && a.Stale == b.Stale && a.Suppressed == b.Suppressed &&
			slices.EqualFunc(a.Tasks, b.Tasks, func(a, b Part) bool {
				return a.Task == b.Task && a.First == b.First && a.Energy == b.Energy && len(a.Places) == len(b.Places)
			})
	}) && slices.EqualFunc(m.Methods, other.Methods, func(a, b Method) bool {
		return a.Site == b.Site && a.Stale == b.Stale && a.Suppressed == b.Suppressed && a.Cost == b.Cost
	})
}

// A Call is where a method of the app calls tasks.
type Call struct {
	Site Site
	// Stale is empty where the source is that of the recording. Else it is the end of
	// a sentence that begins with the caller, and the site was found by name.
	Stale string
	// Exact is set where the site is the call itself. It is not where the site is the calling
	// method, or a call in code that is only known to lie around the caller.
	Exact bool
	// Suppressed is set where the source asks not to be told: see source.Index.Suppressed.
	Suppressed bool
	// Tasks are the place's parts of the tasks that it may call, the one with most room
	// for saving first.
	Tasks []Part
	// Caller is the calling method.
	Caller name.Method
	// Through is what the caller calls tasks through, empty if it calls them itself.
	Through finding.Through
}

// A Part is a place's part of a task.
type Part struct {
	// Task is an index of finding.Set.Tasks.
	Task int
	// First says that the figures stand here. They are 0 at the other places.
	First bool
	// Energy, Saving and Calls are those of finding.Site: the caller's part of the task.
	Energy, Saving units.Energy
	Calls          int64
	// Places are all places that may be the call.
	Places []Site
}

// maxPlaces is the most places that one call is shown at. Where more may be the call, it
// is shown at the calling method's name.
const maxPlaces = 3

// A Method is where a method or a class with a cost is declared.
type Method struct {
	Site Site
	// Stale is as in [Call].
	Stale string
	// Suppressed is as in [Call].
	Suppressed bool
	Cost       *finding.Cost
}

// A Layout says where in the sources a comparison's findings are.
type Layout struct {
	// Set is the comparison.
	Set *finding.Set
	// Files have the marks by path; files without marks are not in it.
	Files map[string]*Marks
	// Tasks have the places that call a task, by its index. Tasks that are too small
	// for a place are not in it; [Layout.Callers] finds their places.
	Tasks map[int][]Call

	finder finder
}

// New places the findings of a comparison. It leaves out findings with less than
// minShare of the run's energy; minShare is a part of 1. It places nothing in files that
// shows, if it is not nil, is false for.
func New(set *finding.Set, index *source.Index, minShare float64, shows func(path string) bool) *Layout {
	return lay(set, newFinder(index, set, newMemo(), shows), minShare)
}

// After places the findings of the same comparison again after the files in changed
// were edited. It looks up in the index only what lies in those files, what they
// declare, and what was found nowhere. shows is as in [New], and the same.
func (l *Layout) After(changed map[string]bool, index *source.Index, minShare float64, shows func(path string) bool) *Layout {
	return lay(l.Set, newFinder(index, l.Set, l.finder.memo.without(changed, index), shows), minShare)
}

func lay(set *finding.Set, f finder, minShare float64) *Layout {
	l := &Layout{Set: set, Files: make(map[string]*Marks), Tasks: make(map[int][]Call), finder: f}
	l.placeTasks(minShare)
	for i := range set.Methods {
		c := &set.Methods[i]
		if set.Share(c.Energy) < minShare {
			break // the dearest are first
		}
		l.placeMethod(c)
	}
	for _, name := range slices.Sorted(maps.Keys(set.Classes)) {
		if c := set.Classes[name]; set.Share(c.Energy) >= minShare {
			l.placeMethod(c)
		}
	}
	for path, m := range l.Files {
		for i := range m.Calls {
			m.Calls[i].Suppressed = f.index.Suppressed(path, m.Calls[i].Site.From.Line)
		}
		for i := range m.Methods {
			m.Methods[i].Suppressed = f.index.Suppressed(path, m.Methods[i].Site.From.Line)
		}
		slices.SortStableFunc(m.Calls, func(a, b Call) int { return a.Site.Compare(b.Site) })
		slices.SortStableFunc(m.Methods, func(a, b Method) int { return a.Site.Compare(b.Site) })
		m.Methods = mergeMethods(m.Methods)
	}
	// Readers are many, and the memo is for the maker of the next layout alone.
	l.finder.keep = false
	return l
}

// Callers are the places that call a task, for any task of the comparison.
func (l *Layout) Callers(task int) []Call {
	if calls, ok := l.Tasks[task]; ok {
		return calls
	}
	var calls []Call
	for _, caller := range l.Set.Tasks[task].Sites {
		calls = append(calls, l.callers(task, caller)...)
	}
	return calls
}

// Find returns where a method is declared, or where the code is that the compiler
// made it from. If the method is gone it returns where its class is. It returns no
// site for what is not in the workspace. stale is as in [Call].
func (l *Layout) Find(m name.Method) (sites []Site, stale string) {
	f, ok := l.finder.find(m)
	if !ok {
		f, _ = l.finder.gone(m)
	}
	return f.sites, f.stale
}

// CallsBetween returns where one method calls another; none where that is not known.
func (l *Layout) CallsBetween(caller, callee name.Method) []Site {
	return l.finder.calls(caller, callee).sites
}

func (l *Layout) file(path string) *Marks {
	m := l.Files[path]
	if m == nil {
		m = &Marks{}
		l.Files[path] = m
	}
	return m
}

func (l *Layout) placeMethod(c *finding.Cost) {
	f, ok := l.finder.find(c.Method)
	if !ok || f.made && c.Method.Name == "" {
		return
	}
	for _, at := range f.sites {
		m := l.file(at.Path)
		m.Methods = append(m.Methods, Method{Site: at, Stale: f.stale, Cost: c})
	}
}

// placeTasks marks the calls of the tasks that are worth a place.
func (l *Layout) placeTasks(minShare float64) {
	at := make(map[Site]*Call)
	var order []Site
	for i, t := range l.Set.Result.Tasks {
		if t.Saving <= 0 || l.Set.Share(t.Saving) < minShare {
			break // most room for saving is first
		}
		for _, caller := range l.Set.Tasks[i].Sites {
			for _, call := range l.callers(i, caller) {
				l.Tasks[i] = append(l.Tasks[i], call)
				if known := at[call.Site]; known != nil {
					known.add(call.Tasks[0])
					continue
				}
				call.Tasks = slices.Clone(call.Tasks) // Tasks keeps each caller's part by itself
				at[call.Site] = &call
				order = append(order, call.Site)
			}
		}
	}
	for _, s := range order {
		m := l.file(s.Path)
		m.Calls = append(m.Calls, *at[s])
	}
}

// add adds a part. Several recorded methods may lie at one place; their parts of a task
// become one.
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

// callers returns where a method calls a task: its calls of the F-method, or of what it
// calls the task through. If there are none, or too many, it returns the method's name,
// and if the method is gone, its class.
func (l *Layout) callers(task int, caller finding.Site) []Call {
	f, ok := l.finder.find(caller.Method)
	shown, places, exact := f.sites, f.sites, false
	if ok {
		callee := l.Set.Tasks[task].Method
		if caller.Called.Name != "" {
			callee = caller.Called
		}
		if calls := l.finder.calls(caller.Method, callee); len(calls.sites) > maxPlaces {
			shown, places = f.sites[:1], calls.sites
		} else if len(calls.sites) > 0 {
			shown, places, exact = calls.sites, calls.sites, calls.sure
		}
	} else if f, ok = l.finder.gone(caller.Method); ok {
		shown, places = f.sites, f.sites
	}
	if len(shown) > maxPlaces {
		shown = shown[:1]
	}
	out := make([]Call, 0, len(shown))
	for i, s := range shown {
		part := Part{Task: task, First: i == 0, Places: places}
		if part.First {
			part.Energy, part.Saving, part.Calls = caller.Energy, caller.Saving, caller.Calls
		}
		out = append(out, Call{Site: s, Exact: exact, Stale: f.stale, Tasks: []Part{part}, Caller: caller.Method, Through: caller.Through})
	}
	return out
}

// mergeMethods leaves one mark at each place. The compiler's bridges and stubs lie
// at the method that they stand for and call it, so the dearest mark has the energy
// of all.
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
