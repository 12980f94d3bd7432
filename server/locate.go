package server

import (
	"cmp"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/finding"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

// A site is a name in a source file: a method's, or a call's. Columns count UTF-16
// units.
type site struct {
	path     string
	from, to buffer.Position
	// end is where the call or the method ends; a call whose end is in another line
	// ends with its own here.
	end buffer.Position
}

func (a site) compare(b site) int {
	return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.from.Line, b.from.Line), cmp.Compare(a.from.Column, b.from.Column))
}

// marks are the places in one file that a comparison says something of, in the
// order of the text.
type marks struct {
	calls   []callMark
	methods []methodMark
}

// A callMark is where a method of the app calls tasks.
type callMark struct {
	site site
	// stale is empty, or says why the source is not that of the recording; the site
	// was then found by name.
	stale string
	// exact is set where the site is the call itself, not its method.
	exact bool
	// tasks index finding.Set.Tasks, most room for saving first.
	tasks []int
	// caller is the calling method, and how often it does, 0 if that is not known.
	caller name.Method
	count  int64
}

// A methodMark is a method or a class that a comparison has a figure for.
type methodMark struct {
	site  site
	stale string
	cost  *finding.Cost
}

// A layout says where in the sources a comparison's findings are. It does not
// change; an edit makes a new one.
type layout struct {
	set *finding.Set
	src sources
	// files have the marks by path.
	files map[string]*marks
	// sites are those of each task's callers, for related information and symbols:
	// the caller's mark by the task.
	sites map[int][]callMark
}

// newLayout finds what a comparison speaks of. Of trifles, with less than minShare
// of the run's energy, it places none.
func newLayout(set *finding.Set, src sources, minShare float64) *layout {
	l := &layout{set: set, src: src, files: make(map[string]*marks), sites: make(map[int][]callMark)}
	l.placeTasks(src, minShare)
	for i := range set.Methods {
		c := &set.Methods[i]
		if set.Share(c.Energy) < minShare {
			break // the dearest are first
		}
		l.placeMethod(src, c)
	}
	for _, name := range slices.Sorted(keys(set.Classes)) {
		if c := set.Classes[name]; set.Share(c.Energy) >= minShare {
			l.placeMethod(src, c)
		}
	}
	for _, m := range l.files {
		slices.SortStableFunc(m.calls, func(a, b callMark) int { return a.site.compare(b.site) })
		slices.SortStableFunc(m.methods, func(a, b methodMark) int { return a.site.compare(b.site) })
		m.methods = mergeMethods(m.methods)
	}
	return l
}

func keys[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (l *layout) file(path string) *marks {
	m := l.files[path]
	if m == nil {
		m = &marks{}
		l.files[path] = m
	}
	return m
}

func (l *layout) placeMethod(src sources, c *finding.Cost) {
	found, ok := src.find(c.Method)
	if !ok || found.made && c.Method.Name == "" {
		return
	}
	for _, at := range found.sites {
		m := l.file(at.path)
		m.methods = append(m.methods, methodMark{at, found.stale, c})
	}
}

// placeTasks marks the calls of the tasks that are worth a diagnostic.
func (l *layout) placeTasks(src sources, minShare float64) {
	at := make(map[site]*callMark)
	var order []site
	for i, t := range l.set.Result.Tasks {
		if t.Saving <= 0 || l.set.Share(t.Saving) < minShare {
			break // most room for saving is first
		}
		for _, caller := range l.set.Tasks[i].Callers {
			for _, mark := range l.callers(src, i, caller) {
				l.sites[i] = append(l.sites[i], mark)
				if known := at[mark.site]; known != nil {
					if !slices.Contains(known.tasks, i) {
						known.tasks = append(known.tasks, i)
					}
					continue
				}
				at[mark.site] = &mark
				order = append(order, mark.site)
			}
		}
	}
	for _, s := range order {
		m := l.file(s.path)
		m.calls = append(m.calls, *at[s])
	}
}

// callers returns where a method calls task i: its calls of the F-method, else its
// name, else its class with what became of it.
func (l *layout) callers(src sources, i int, caller finding.Caller) []callMark {
	found, ok := src.find(caller.Method)
	sites, exact := found.sites, false
	if ok {
		if calls := src.calls(caller.Method, l.set.Tasks[i].Callee); len(calls) > 0 {
			sites, exact = calls, true
		}
	} else if found, ok = src.gone(caller.Method); ok {
		sites = found.sites
	}
	var out []callMark
	for _, s := range sites {
		out = append(out, callMark{site: s, exact: exact, stale: found.stale, tasks: []int{i}, caller: caller.Method, count: caller.Calls})
	}
	return out
}

// mergeMethods leaves one mark a place: bridges and stubs lie where the method is
// that they stand for, and call it, so the dearest has all.
func mergeMethods(list []methodMark) []methodMark {
	var out []methodMark
	for _, m := range list {
		if n := len(out); n > 0 && out[n-1].site == m.site && (out[n-1].cost.Method.Name == "") == (m.cost.Method.Name == "") {
			if m.cost.Energy > out[n-1].cost.Energy {
				out[n-1] = m
			}
			continue
		}
		out = append(out, m)
	}
	return out
}

// rangeOf converts a site's name to the client's columns.
func (s *session) rangeOf(at site) protocol.Range {
	return protocol.Range{Start: s.positionOf(at.path, at.from), End: s.positionOf(at.path, at.to)}
}

// positionOf converts a position in UTF-16 columns to the client's.
func (s *session) positionOf(path string, at buffer.Position) protocol.Position {
	if s.encoding != buffer.UTF16 {
		if text := s.textOf(path); text != nil {
			at = text.Position(text.Offset(at, buffer.UTF16), s.encoding)
		}
	}
	return lsp.PositionOf(at)
}

// placeOf converts a position of the client to UTF-16 columns.
func (s *session) placeOf(path string, p protocol.Position) buffer.Position {
	at := lsp.PlaceOf(p)
	if s.encoding != buffer.UTF16 {
		if text := s.textOf(path); text != nil {
			at = text.Position(text.Offset(at, s.encoding), buffer.UTF16)
		}
	}
	return at
}

// uriFor names a file as the client does: by the name it opened it with, or by its
// path.
func (s *session) uriFor(path string) uri.URI {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.documents[path]; d != nil {
		return d.uri
	}
	return lsp.URIOf(path)
}

func (s *session) location(at site) protocol.Location {
	return protocol.Location{URI: s.uriFor(at.path), Range: s.rangeOf(at)}
}

// contains reports whether a position is in a site, its end included: that is
// where a cursor behind the name is.
func (a site) contains(p buffer.Position) bool {
	return p.Line == a.from.Line && p.Line == a.to.Line && p.Column >= a.from.Column && p.Column <= a.to.Column
}
