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

// A found is the result of looking up a method in the sources. It has several sites if several
// declarations fit.
type found struct {
	sites []Site
	// made is set if the compiler generated the method. The sites are then the code it was
	// generated from, or the code around that.
	made bool
	// stale has the same meaning as Call.Stale.
	stale string
}

// A findCache caches the results of find during one computation. A nil findCache caches nothing.
type findCache map[name.Method]found

// find looks up a method in the workspace. The result is false if the workspace lacks it. A method
// with an empty name represents its class.
func (s finder) find(m name.Method, known findCache) (found, bool) {
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

// cost looks up the declaration where the energy of a method or class is shown. A class that the
// compiler generated has none.
func (s finder) cost(c *finding.Cost, known findCache) *found {
	f, ok := s.find(c.Method, known)
	if !ok || f.made && c.Method.Name == "" {
		return nowhere
	}
	return &f
}

// nowhere is the place of a method outside the workspace.
var nowhere = new(found)

// callSites lists the places where one method calls another.
type callSites struct {
	sites []Site
	// sure is false if only the code around the caller was found. The calls may then belong to
	// other code there.
	sure bool
}

// calls returns the places where one method calls another.
func (s finder) calls(caller, callee name.Method) callSites {
	locations := s.index.Calls(caller, callee, s.recorded)
	return callSites{
		sites: s.sitesOf(locations),
		sure:  !slices.ContainsFunc(locations, func(l source.Location) bool { return l.Reason == source.Enclosing }),
	}
}

// callers returns the places where one caller calls a task. They are, in order of preference:
//
//  1. the calls in the caller's source, if there are at most maxPlaces;
//  2. the name of the calling method;
//  3. the name of its class, if the method is gone.
//
// If the caller reaches the task through a library, the places are calls of the library.
func (s finder) callers(set *finding.Set, by caller, known findCache) []Call {
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
	} else if f, ok = s.findRemoved(by.site.Method); ok {
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
		out = append(out, Call{Site: at, Exact: exact, Stale: f.stale, Tasks: []Part{part}, Caller: by.site.Method, Intermediary: by.site.Intermediary})
	}
	return out
}

// findRemoved looks up the class of a method that is no longer in the sources.
func (s finder) findRemoved(m name.Method) (found, bool) {
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
