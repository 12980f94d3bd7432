package mcp

import (
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
)

// A spot is a method of the app in a row, and its place.
type spot struct {
	Place
	method name.Method
}

// spots returns the spots of each row of a comparison.
func (s *Server) spots(c *comparison) [][]spot {
	c.spotted.Do(func() {
		known := map[report.Place]spot{}
		find := func(at report.Place) spot {
			made, ok := known[at]
			if !ok {
				made.Place = s.place(c, at)
				made.method, _ = c.set.Recorded(at.Method)
				known[at] = made
			}
			return made
		}
		c.spots = make([][]spot, len(c.rows))
		for i := range c.rows {
			if t := c.rows[i].task; t != nil {
				for k := range t.Callers {
					c.spots[i] = append(c.spots[i], find(t.Callers[k].Place))
				}
			} else {
				c.spots[i] = []spot{find(c.rows[i].code.Place)}
			}
		}
	})
	return c.spots
}

// declaredBefore returns the last line, up to line, that declares a method of spots in a file. It
// is -1 if there is none.
func declaredBefore(spots [][]spot, file string, line int) int {
	last := -1
	for _, of := range spots {
		for i := range of {
			if p := &of[i].Place; p.Line > 0 && p.Line <= line && p.inFile(file) {
				last = max(last, p.Line)
			}
		}
	}
	return last
}

// matches reports whether a spot is in the code that a client asks about.
func (a *findArgs) matches(at spot) bool {
	if a.File != "" && !at.inFile(a.File) || a.Line != 0 && at.Line != a.Line {
		return false
	}
	if a.Class != "" && !inClass(at.method, a.Class) {
		return false
	}
	if a.Method == "" {
		return true
	}
	class, method := "", a.Method
	if i := strings.LastIndexAny(method, ".#"); i > 0 {
		class, method = method[:i], method[i+1:]
	}
	return at.method.Name == method && (class == "" || inClass(at.method, class))
}

// inClass reports whether a method is in a class, or in a class inside of it. The name of the class
// may lack the package.
func inClass(m name.Method, class string) bool {
	for of := range m.Classes() {
		if endsWith(of, class, ".") {
			return true
		}
	}
	return endsWith(m.Class(), class, ".")
}

// inFile reports whether a place is in a file: the one with its path, or with its name in the
// recording.
func (p *Place) inFile(file string) bool {
	file = filepath.ToSlash(file)
	if p.Path != "" {
		return endsWith(p.Path, file, "/") || endsWith(file, p.Path, "/")
	}
	return p.File != "" && endsWith(file, p.File, "/")
}

// endsWith reports whether a text is another one, or ends with it after a separator.
func endsWith(text, end, separator string) bool {
	return text == end || strings.HasSuffix(text, separator+strings.TrimPrefix(end, separator))
}
