package server

import (
	"slices"
	"time"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/server/internal/buffer"
)

// sources finds the code of a recording in the workspace.
type sources struct {
	index *source.Index
	// recorded is when the subject was recorded.
	recorded time.Time
	// memo keeps what was found; nil keeps nothing.
	memo *memo
}

// A memo keeps the answers of an index for the next layout, which differs by the
// edits of few files. One goroutine at a time uses it.
type memo struct {
	found  map[name.Method]located
	called map[[2]name.Method][]site
}

// memoOf returns what of a memo holds after the given files changed: what was
// found, and found in other files.
func memoOf(before *memo, changed map[string]bool) *memo {
	m := &memo{found: make(map[name.Method]located), called: make(map[[2]name.Method][]site)}
	if before == nil {
		return m
	}
	elsewhere := func(sites []site) bool {
		return len(sites) > 0 && !slices.ContainsFunc(sites, func(s site) bool { return changed[s.path] })
	}
	for key, l := range before.found {
		if elsewhere(l.sites) {
			m.found[key] = l
		}
	}
	for key, sites := range before.called {
		if elsewhere(sites) {
			m.called[key] = sites
		}
	}
	return m
}

// A located is where a method is. More than one site means that the workspace has
// it more than once, or that it cannot be told from others.
type located struct {
	sites []site
	// made is set where the compiler made the method, and the sites are the code it
	// made it from or around that.
	made bool
	// stale is empty where the source is that of the recording, else the end of a
	// sentence that begins with the method.
	stale string
}

// find returns where a method is; a method without a name is its class. It fails
// for what is not in the workspace.
func (s sources) find(m name.Method) (located, bool) {
	if s.memo != nil {
		if l, ok := s.memo.found[m]; ok {
			return l, true
		}
	}
	locations, reason := s.index.Find(m, s.recorded)
	out := located{sites: sitesOf(locations)}
	switch reason {
	case source.Changed, source.Mismatch, source.Gone:
		out.stale = reason.String()
	case source.Caused, source.Enclosing:
		out.made = true
	}
	if s.memo != nil && len(locations) > 0 {
		s.memo.found[m] = out
	}
	return out, len(locations) > 0
}

// calls returns where one method calls another.
func (s sources) calls(caller, callee name.Method) []site {
	key := [2]name.Method{caller, callee}
	if s.memo != nil {
		if sites, ok := s.memo.called[key]; ok {
			return sites
		}
	}
	sites := sitesOf(s.index.Calls(caller, callee, s.recorded))
	if s.memo != nil && len(sites) > 0 {
		s.memo.called[key] = sites
	}
	return sites
}

// gone reports whether a method's class is in the workspace and the method is not,
// and where the class is.
func (s sources) gone(m name.Method) (located, bool) {
	if _, reason := s.index.Find(m, s.recorded); reason != source.Gone {
		return located{}, false
	}
	class, ok := s.find(name.OfClass(m.Class(), "", "").At(m.File, 0))
	class.stale = source.Gone.String()
	return class, ok
}

func sitesOf(locations []source.Location) []site {
	var out []site
	for _, l := range locations {
		out = append(out, site{l.Path, at(l.Range.Start), at(l.Range.End), at(l.Body.End)})
	}
	return out
}

func at(p source.Position) buffer.Position {
	return buffer.Position{Line: int(p.Line), Column: int(p.Column)}
}
