package place

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/name"
)

// Figures has the energy of a run's source lines: either Table or Measured is set.
type Figures struct {
	// Table divides a power model's energy by stack samples.
	Table *lines.Table
	// Measured divides a meter's energy by executed paths. It is nil without a meter.
	Measured *metered.Result
}

// Lines maps the subject's lines with energy to the present sources.
type Lines struct {
	*Figures
	// Files has the lines with energy by path, in the order of the text.
	Files map[string][]Line

	finder finder
	// shape is the result of source.Index.Shape when the lines were placed.
	shape uint64
	// recorded has the lines of each file, in the order of their recorded line numbers. Line.Line
	// is not set.
	recorded map[string][]Line
}

// A Line is a line of a source file with its energy.
type Line struct {
	// Line counts from 0, in the present text.
	Line int
	// Row has the figures of the line, summed over all methods on it. If a meter measured the line,
	// Measured has the figures, and Row has only the energy. Otherwise Measured is nil.
	Row      *lines.Row
	Measured *metered.Row
	// Stale has the same meaning as [Call.Stale], for a sentence that begins with the method's
	// name.
	Stale string
	// Suppressed has the same meaning as in [Call].
	Suppressed bool
}

// NewLines finds the present places of a run's lines. The parameter like is the layout of the same
// run. A line has no place if its method is not in the sources, or no longer contains the line.
func NewLines(figures *Figures, like *Layout) *Lines {
	l := &Lines{Figures: figures, Files: make(map[string][]Line), finder: like.finder, shape: like.shape}
	l.find()
	for path := range l.recorded {
		l.mark(path)
	}
	return l
}

// Updated finds the places again after edits of the files in changed. The parameter like is the
// layout after the edits.
func (l *Lines) Updated(changed map[string]bool, like *Layout) *Lines {
	if like.shape != l.shape {
		return NewLines(l.Figures, like)
	}
	next := *l
	next.Files = maps.Clone(l.Files)
	for path := range changed {
		next.mark(path)
	}
	return &next
}

// find finds the files of all lines.
func (l *Lines) find() {
	type place struct {
		path string
		line int
	}
	known := make(findCache)
	// If several files have the class, others has all of them except the first.
	others := make(map[place][]string)
	where := func(m name.Method, line int) (place, bool) {
		paths := l.pathsOf(m, line, known)
		if len(paths) == 0 {
			return place{}, false
		}
		at := place{paths[0], line}
		if len(paths) > 1 {
			others[at] = paths[1:]
		}
		return at, true
	}
	l.recorded = make(map[string][]Line)
	add := func(at place, line Line) {
		for _, path := range append([]string{at.path}, others[at]...) {
			l.recorded[path] = append(l.recorded[path], line)
		}
	}
	if l.Measured != nil {
		for at, row := range metered.Gather(l.Measured, func(r *metered.Row) (place, bool) { return where(r.Method, r.Line) }) {
			add(at, Line{Row: &lines.Row{Method: row.Method, Line: row.Line, Own: row.Energy}, Measured: row})
		}
	} else {
		for at, row := range lines.Gather(l.Table, func(r *lines.Row) (place, bool) {
			if r.Line == 0 || r.Own == 0 && r.All == 0 {
				return place{}, false
			}
			return where(r.Method, r.Line)
		}) {
			add(at, Line{Row: row})
		}
	}
	for _, list := range l.recorded {
		slices.SortFunc(list, func(a, b Line) int { return a.Row.Line - b.Row.Line })
	}
}

// pathsOf returns the files that contain a method and its recorded line, whose number is at.
func (l *Lines) pathsOf(m name.Method, at int, known findCache) []string {
	m = m.At(m.File, 0)
	f, ok := l.finder.find(m, known)
	if !ok {
		return nil
	}
	has := func(s Site) bool {
		line := l.finder.index.Line(s.Path, at) - 1
		return s.From.Line <= line && line <= s.End.Line
	}
	sites := f.sites
	if !slices.ContainsFunc(sites, has) && (m.Name == "<init>" || m.Name == "<clinit>") {
		// The lines of a constructor include the initial values of fields.
		class, _ := l.finder.find(classOf(m), known)
		sites = class.sites
	}
	var paths []string
	for _, s := range sites {
		if has(s) && !slices.Contains(paths, s.Path) {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// mark updates the present lines of a file.
func (l *Lines) mark(path string) {
	known := make(findCache)
	var out []Line
	for _, recorded := range l.recorded[path] {
		r := recorded.Row
		line := l.finder.index.Line(path, r.Line) - 1
		if line < 0 {
			continue
		}
		f, _ := l.finder.find(r.Method.At(r.Method.File, 0), known)
		if f.stale == "" {
			// If the method is current, or if the compiler generated it, its class may still be
			// stale.
			f, _ = l.finder.find(classOf(r.Method), known)
		}
		recorded.Line, recorded.Stale, recorded.Suppressed = line, f.stale, l.finder.index.Suppressed(path, line)
		out = append(out, recorded)
	}
	if delete(l.Files, path); len(out) > 0 {
		l.Files[path] = out
	}
}

// In returns the lines of a file from one line to another, both included. If the Lines are nil, the
// result is empty.
func (l *Lines) In(path string, from, to int) []Line {
	if l == nil {
		return nil
	}
	list := l.Files[path]
	at := func(line int) int {
		i, _ := slices.BinarySearchFunc(list, line, func(l Line, line int) int { return l.Line - line })
		return i
	}
	return list[at(from):max(at(to+1), at(from))]
}

// classOf returns the class of a method.
func classOf(m name.Method) name.Method { return name.OfClass(m.Class(), "", "").At(m.File, 0) }
