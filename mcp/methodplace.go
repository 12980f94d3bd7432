package mcp

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
)

// A methodPlace is an app method that a row names, with its declaration.
type methodPlace struct {
	Place
	method name.Method
	// first and last are the lines of its declaration, 0 if it is not in the sources.
	first, last int
}

// declarations finds the declarations of the app methods that each row of a comparison names.
func (s *Server) declarations(c *comparison, index *source.Index) [][]methodPlace {
	type declaration struct {
		method, file string
		line         int
	}
	known := map[declaration]methodPlace{}
	find := func(at report.Place) methodPlace {
		key := declaration{at.Method, at.File, at.Line}
		made, ok := known[key]
		if !ok {
			made.Place = s.place(c, index, "", at)
			made.method = c.methods[at.Method]
			if found, _ := index.Find(made.method, time.Time{}); len(found) > 0 {
				made.first, made.last = int(found[0].Body.Start.Line)+1, int(found[0].Body.End.Line)+1
			}
			known[key] = made
		}
		return made
	}
	spots := make([][]methodPlace, len(c.rows))
	for i := range c.rows {
		if t := c.rows[i].task; t != nil {
			for k := range t.Callers {
				spots[i] = append(spots[i], find(t.Callers[k].Place))
			}
		} else {
			spots[i] = []methodPlace{find(c.rows[i].code.Place)}
		}
	}
	return spots
}

// matches reports whether a spot is in the code that the client's request names.
func (a *findArgs) matches(at methodPlace) bool {
	if a.File != "" && !at.inFile(a.File) || a.Line != 0 && (a.Line < at.first || a.Line > at.last) {
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

// inClass reports whether a method is in a class, or in one of its nested classes. class may omit
// the package.
func inClass(m name.Method, class string) bool {
	for c := range m.Classes() {
		if endsWith(c, class, ".") {
			return true
		}
	}
	return endsWith(m.Class(), class, ".")
}

// inFile reports whether a place is in a file. file is a path, or the file's name in the recording.
func (p *Place) inFile(file string) bool {
	file = filepath.ToSlash(file)
	if p.Path != "" {
		return endsWith(p.Path, file, "/") || endsWith(file, p.Path, "/")
	}
	return p.File != "" && endsWith(file, p.File, "/")
}

// endsWith reports whether text equals end, or ends with end after a separator.
func endsWith(text, end, separator string) bool {
	return text == end || strings.HasSuffix(text, separator+strings.TrimPrefix(end, separator))
}
