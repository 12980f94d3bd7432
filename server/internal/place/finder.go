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

// A finder finds the code of a recording in the workspace.
type finder struct {
	index *source.Index
	// recorded is when the subject was recorded; zero if that cannot be told.
	recorded time.Time
	// memo has what was found before. keep says whether to add to it: one goroutine
	// at a time may.
	memo memo
	keep bool
	// shows says which files have places; nil is all.
	shows func(path string) bool
}

func newFinder(index *source.Index, set *finding.Set, known memo, shows func(path string) bool) finder {
	f := finder{index: index, memo: known, keep: true, shows: shows}
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

// find returns where a method is; a method without a name is its class. It fails
// for what is not in the workspace.
func (s finder) find(m name.Method) (found, bool) {
	if s.keep {
		if f, ok := s.memo.found[m]; ok {
			return f, true
		}
	}
	locations, reason := s.index.Find(m, s.recorded)
	out := found{sites: s.sitesOf(locations)}
	switch reason {
	case source.Changed, source.Mismatch, source.NoMethod:
		out.stale = reason.String()
	case source.Generated, source.Enclosing:
		out.made = true
	}
	if s.keep && len(out.sites) > 0 {
		s.memo.found[m] = out
	}
	return out, len(out.sites) > 0
}

// A called is where one method calls another.
type called struct {
	sites []Site
	// sure is unset where the caller is only known to lie around the sites: it may be
	// other code in the same method or class.
	sure bool
}

// calls returns where one method calls another.
func (s finder) calls(caller, callee name.Method) called {
	key := [2]name.Method{caller, callee}
	if s.keep {
		if c, ok := s.memo.called[key]; ok {
			return c
		}
	}
	locations := s.index.Calls(caller, callee, s.recorded)
	c := called{
		sites: s.sitesOf(locations),
		sure:  !slices.ContainsFunc(locations, func(l source.Location) bool { return l.Reason == source.Enclosing }),
	}
	if s.keep && len(c.sites) > 0 {
		s.memo.called[key] = c
	}
	return c
}

// gone returns where a method's class is if the workspace has the class and not the
// method.
func (s finder) gone(m name.Method) (found, bool) {
	if _, reason := s.index.Find(m, s.recorded); reason != source.NoMethod {
		return found{}, false
	}
	class, ok := s.find(name.OfClass(m.Class(), "", "").At(m.File, 0))
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

// A memo keeps the answers of an index for the next layout.
type memo struct {
	found  map[name.Method]found
	called map[[2]name.Method]called
}

func newMemo() memo {
	return memo{found: make(map[name.Method]found), called: make(map[[2]name.Method]called)}
}

// without returns a copy of the answers that still hold after the given files
// changed: those that lie in other files and are about classes that the files do not
// declare. An answer that nothing was found is not kept either: an edit of any file
// may change it.
func (m memo) without(changed map[string]bool, index *source.Index) memo {
	declared := make(map[string]bool)
	for path := range changed {
		for _, class := range index.Types(path) {
			declared[outermost(class)] = true
		}
	}
	holds := func(m name.Method, sites []Site) bool {
		return len(sites) > 0 && !declared[outermost(m.Class())] &&
			!slices.ContainsFunc(sites, func(s Site) bool { return changed[s.Path] })
	}
	out := newMemo()
	for key, f := range m.found {
		if holds(key, f.sites) {
			out.found[key] = f
		}
	}
	for key, c := range m.called {
		if holds(key[0], c.sites) {
			out.called[key] = c
		}
	}
	return out
}

// outermost is the class that a class is nested in, or the class itself.
func outermost(class string) string {
	top, _, _ := strings.Cut(class, "$")
	return top
}
