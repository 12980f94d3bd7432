package place

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/server/internal/buffer"
)

// A finder finds the code of a recording in the workspace. It is safe for concurrent use.
type finder struct {
	index *source.Index
	// recorded is when the subject was recorded; zero if that cannot be told.
	recorded time.Time
	// shows says which files have places; nil is all.
	shows func(path string) bool
}

func newFinder(index *source.Index, set *finding.Set, shows func(path string) bool) finder {
	f := finder{index: index, shows: shows}
	if info, err := os.Stat(set.Result.Subject.Path); err == nil {
		f.recorded = info.ModTime()
	}
	return f
}

// A found is where a method is. More than one site means that the workspace has the
// method more than once, or that it cannot be told from others.
type found struct {
	sites []Site
	// made is set where the compiler made the method. The sites are then the code
	// that it was made from, or the code around that.
	made bool
	// stale is as in Call.
	stale string
}

// A memo has what was found before while one layout is made: one method calls many tasks.
// A nil memo keeps nothing.
type memo map[name.Method]found

// find returns where a method is; a method without a name is its class. It fails
// for what is not in the workspace.
func (s finder) find(m name.Method, known memo) (found, bool) {
	if f, ok := known[m]; ok {
		return f, len(f.sites) > 0
	}
	locations, reason := s.index.Find(m, s.recorded)
	out := found{sites: s.sitesOf(locations)}
	switch reason {
	case source.Changed, source.Mismatch, source.NoMethod:
		out.stale = reason.String()
	case source.Generated, source.Enclosing:
		out.made = true
	}
	if known != nil {
		known[m] = out
	}
	return out, len(out.sites) > 0
}

// cost returns where a method or a class with a cost is shown. A class that the compiler
// made is nowhere.
func (s finder) cost(c *finding.Cost, known memo) *found {
	f, ok := s.find(c.Method, known)
	if !ok || f.made && c.Method.Name == "" {
		return nowhere
	}
	return &f
}

// nowhere is where a method is that is not in the workspace.
var nowhere = new(found)

// A called is where one method calls another.
type called struct {
	sites []Site
	// sure is unset where the caller is only known to lie around the sites: it may be
	// other code in the same method or class.
	sure bool
}

// calls returns where one method calls another.
func (s finder) calls(caller, callee name.Method) called {
	locations := s.index.Calls(caller, callee, s.recorded)
	return called{
		sites: s.sitesOf(locations),
		sure:  !slices.ContainsFunc(locations, func(l source.Location) bool { return l.Reason == source.Enclosing }),
	}
}

// callers returns where a method calls a task: its calls of the F-method, or of what it
// calls the task through. If there are none, or too many, it returns the method's name,
// and if the method is gone, its class.
func (s finder) callers(set *finding.Set, by caller, known memo) []Call {
	f, ok := s.find(by.site.Method, known)
	shown, places, exact := f.sites, f.sites, false
	if ok {
		callee := set.Tasks()[by.task].Method
		if by.site.Called.Name != "" {
			callee = by.site.Called
		}
		if calls := s.calls(by.site.Method, callee); len(calls.sites) > maxPlaces {
			shown, places = f.sites[:1], calls.sites
		} else if len(calls.sites) > 0 {
			shown, places, exact = calls.sites, calls.sites, calls.sure
		}
	} else if f, ok = s.gone(by.site.Method); ok {
		shown, places = f.sites, f.sites
	}
	if len(shown) > maxPlaces {
		shown = shown[:1]
	}
	out := make([]Call, 0, len(shown))
	for i, at := range shown {
		part := Part{Task: by.task, First: i == 0, Places: places}
		if part.First {
			part.Energy, part.Saving, part.Calls = by.site.Energy, by.site.Saving, by.site.Calls
		}
		out = append(out, Call{Site: at, Exact: exact, Stale: f.stale, Tasks: []Part{part}, Caller: by.site.Method, Through: by.site.Through})
	}
	return out
}

// gone returns where a method's class is if the workspace has the class and not the
// method.
func (s finder) gone(m name.Method) (found, bool) {
	if _, reason := s.index.Find(m, s.recorded); reason != source.NoMethod {
		return found{}, false
	}
	class, ok := s.find(name.OfClass(m.Class(), "", "").At(m.File, 0), nil)
	class.stale = source.NoMethod.String()
	return class, ok
}

func (s finder) sitesOf(locations []source.Location) []Site {
	var out []Site
	for _, l := range locations {
		if s.shows != nil && !s.shows(l.Path) {
			continue
		}
		out = append(out, Site{l.Path, at(l.Range.Start), at(l.Range.End), at(l.Body.End)})
	}
	if slices.ContainsFunc(out, func(s Site) bool { return !ofTests(s.Path) }) {
		// A class of the app's tests that has the name of one of the app's takes its place
		// while they run. Recordings are of the app.
		out = slices.DeleteFunc(out, func(s Site) bool { return ofTests(s.Path) })
	}
	return out
}

// ofTests reports whether a file lies in a source set for tests, as Gradle names them:
// src/test, src/androidTestDebug, src/commonTest.
func ofTests(path string) bool {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := range len(parts) - 2 {
		set := parts[i+1]
		if parts[i] == "src" && (strings.HasPrefix(set, "test") || strings.HasPrefix(set, "androidTest") || strings.HasSuffix(set, "Test")) {
			return true
		}
	}
	return false
}

func at(p source.Position) buffer.Position {
	return buffer.Position{Line: int(p.Line), Column: int(p.Column)}
}
