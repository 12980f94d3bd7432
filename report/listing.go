package report

import (
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A Listing is a part of a source file with the energy of each line.
type Listing struct {
	// Path is the source file. Method is the label of the method that the user named. Note says why
	// its place is uncertain, or is empty.
	Path   string `json:"path"`
	Method string `json:"method"`
	Note   string `json:"note,omitempty"`
	// Own is the energy of all listed lines, without callees.
	Own   units.Energy `json:"ownNJ"`
	Lines []ListedLine `json:"lines"`
}

// A ListedLine is a line of a source file.
type ListedLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	// Subject is nil if the line and its callees have no samples. Reference is the same line in the
	// other build. It is nil also for a single run, or if the sources of both builds are not known.
	Subject   *LineUse `json:"subject"`
	Reference *LineUse `json:"reference,omitempty"`
	// Executions counts how often the line ran. It is nil if it did not, or if this is unknown.
	Executions *int64 `json:"executions,omitempty"`
	// Metered is the measured energy of the line. It is nil if the line did not run, or without a
	// meter.
	Metered *MeteredUse `json:"metered,omitempty"`
	// MeteredReference is the measured energy of the same line in the other build.
	MeteredReference *MeteredUse `json:"meteredReference,omitempty"`
}

// List sets Source to the lines first to last of a file. m is the method to list, and text has all
// lines of the file. A line sums up all methods of its class and nested classes, because compilers
// turn lambdas into methods.
func (l *Lines) List(path, note string, m name.Method, text []string, first, last int) {
	s := &Listing{Path: path, Note: note, Method: m.OnLine(0).Label(), Lines: []ListedLine{}}
	first, last = max(first, 1), min(last, len(text))
	class := analysis.TopLevel(m)
	here, there := l.maker.inClass(0, class, nil), map[int]*LineUse(nil)
	if l.Reference != nil && !l.ByMethod {
		there = l.maker.inClass(1, class, l.maker.moved)
	}
	ran, measured, before := l.executionsIn(class), l.maker.measuredIn(0, class, nil), map[int]*MeteredUse(nil)
	if there != nil {
		before = l.maker.measuredIn(1, class, l.maker.movedLine)
	}
	for n := first; n <= last; n++ {
		line := ListedLine{Line: n, Text: strings.TrimRight(text[n-1], "\r\n"), Subject: here[n], Reference: there[n], Metered: measured[n], MeteredReference: before[n]}
		if count, ok := ran[n]; ok {
			line.Executions = &count
		}
		if line.Subject != nil {
			s.Own += line.Subject.Own
		}
		s.Lines = append(s.Lines, line)
	}
	l.Source = s
}

// inClass returns the energy of each line of a class and its nested classes, in one run. moved maps
// a row to its line, and may be nil.
func (m *lineMaker) inClass(run int, class string, moved func(*lines.Row) int) map[int]*LineUse {
	sums := lines.Gather(m.tables[run], func(r *lines.Row) (int, bool) {
		line := r.Line
		switch {
		case r.Line == 0 || analysis.TopLevel(r.Method) != class:
			return 0, false
		case moved != nil:
			line = moved(r)
		}
		return line, true
	})
	uses := make(map[int]*LineUse, len(sums))
	for line, r := range sums {
		u := m.use(run, r)
		u.bound(m.tables[run])
		uses[line] = &u
	}
	return uses
}
