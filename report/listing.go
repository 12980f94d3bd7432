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
	// Path is the file. Method is the label of the method that the user named. Note is a doubt about
	// the place of the method. It may be empty.
	Path   string `json:"path"`
	Method string `json:"method"`
	Note   string `json:"note,omitempty"`
	// Own is the own energy of all lines of the listing.
	Own   units.Energy `json:"ownNJ"`
	Lines []ListedLine `json:"lines"`
}

// A ListedLine is a line of a source file.
type ListedLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	// Subject is nil if no sample of the run is on the line or in its callees. Reference has the
	// energy of the same line in the other build. It is also nil if there is only one run, or if
	// the sources of both builds are not known.
	Subject   *LineUse `json:"subject"`
	Reference *LineUse `json:"reference,omitempty"`
	// Executions states how often the line ran. It is nil without paths, and if the line did not run.
	Executions *int64 `json:"executions,omitempty"`
	// Metered is the measured energy of the line. It is nil without a meter, and if the line did not run.
	Metered *MeteredUse `json:"metered,omitempty"`
	// MeteredReference is the measured energy of the same line in the other build.
	MeteredReference *MeteredUse `json:"meteredReference,omitempty"`
}

// List sets Source to the lines of a file from first to last, which contain the method m. text has
// the lines of the file. A line's energy is the sum over all methods of the class and its nested
// classes, because compilers make methods of lambdas.
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

// inClass returns the figures of the lines of a class and its nested classes in a run. moved returns
// the line for a row, and may be nil.
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
