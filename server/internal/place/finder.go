package place

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/server/internal/buffer"
)

// A finder finds the code of a recording in the workspace. It is safe for concurrent use.
type finder struct {
	index *source.Index
	// recorded is the time of the subject's recording. It is the zero time if unknown.
	recorded time.Time
	// shows reports whether a file may show findings. If it is nil, all files may.
	shows func(path string) bool
}

func newFinder(index *source.Index, set *finding.Set, shows func(path string) bool) finder {
	f := finder{index: index, shows: shows}
	if info, err := os.Stat(set.Result.Subject.Path); err == nil {
		f.recorded = info.ModTime()
	}
	return f
}

// A found is the place of a method. It has several sites if the workspace has the method more
// than once, or if the method is ambiguous.
type found struct {
	sites []Site
	// made is set if the compiler generated the method. The sites are then the code that it was
	// generated from, or the code around it.
	made bool
	// stale has the same meaning as Call.Stale.
	stale string
}

// A memo caches the results of find for one layout, because one method may call many tasks. A nil
// memo caches nothing.
type memo map[name.Method]found

// find returns the place of a method. A method without a name stands for its class. find fails for
// a method outside the workspace.
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

// cost returns the place of the figures of a method or class. A compiler-generated class has no
// place.
func (s finder) cost(c *finding.Cost, known memo) *found {
	f, ok := s.find(c.Method, known)
	if !ok || f.made && c.Method.Name == "" {
		return nowhere
	}
	return &f
}

// nowhere is the place of a method outside the workspace.
var nowhere = new(found)

// A called has the places where one method calls another.
type called struct {
	sites []Site
	// sure is unset if only the code around the caller is known. The sites may then belong to other
	// code in the same method or class.
	sure bool
}

// calls returns the places where one method calls another.
func (s finder) calls(caller, callee name.Method) called {
	locations := s.index.Calls(caller, callee, s.recorded)
	return called{
		sites: s.sitesOf(locations),
		sure:  !slices.ContainsFunc(locations, func(l source.Location) bool { return l.Reason == source.Enclosing }),
	}
}

// callers returns the places where by.site.Method calls a task: the calls of the F-method, or of
// the library method in between. If there are no such calls, or more than maxPlaces, it returns the
// name of the calling method. If that method is gone, it returns the method's class.
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

// gone returns the place of a method's class, if the workspace has the class but not the
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
		// A class of the app's tests may have the name of a class of the app. Recordings are made
		// from the app, not from its tests.
		out = slices.DeleteFunc(out, func(s Site) bool { return ofTests(s.Path) })
	}
	return out
}

// ofTests reports whether a file is in one of Gradle's source sets for tests: src/test,
// src/androidTestDebug, src/commonTest.
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
