package server

import (
	"time"

	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/srcindex"
	"github.com/diffprof/diffprof/trace"
)

// sources finds the code of a recording in the workspace.
type sources struct {
	index *srcindex.Index
	// recorded is when the subject was recorded.
	recorded time.Time
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
func (s sources) find(m trace.Method) (located, bool) {
	locations, reason := s.index.Find(m, s.recorded)
	out := located{sites: sitesOf(locations)}
	switch reason {
	case srcindex.Changed, srcindex.Mismatch, srcindex.Gone:
		out.stale = reason.String()
	case srcindex.Caused, srcindex.Enclosing:
		out.made = true
	}
	return out, len(locations) > 0
}

// calls returns where one method calls another.
func (s sources) calls(caller, callee trace.Method) []site {
	locations := s.index.Calls(caller, callee, s.recorded)
	return sitesOf(locations)
}

// gone reports whether a method's class is in the workspace and the method is not,
// and where the class is.
func (s sources) gone(m trace.Method) (located, bool) {
	if _, reason := s.index.Find(m, s.recorded); reason != srcindex.Gone {
		return located{}, false
	}
	class, ok := s.find(trace.Method{Class: m.Class, File: m.File})
	class.stale = srcindex.Gone.String()
	return class, ok
}

func sitesOf(locations []srcindex.Location) []site {
	var out []site
	for _, l := range locations {
		out = append(out, site{l.Path, at(l.Range.Start), at(l.Range.End)})
	}
	return out
}

func at(p srcindex.Position) buffer.Position {
	return buffer.Position{Line: int(p.Line), Column: int(p.Column)}
}
