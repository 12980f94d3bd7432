package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Lines lists the energy of a run's source lines, or compares two runs line by line. Package
// lines describes the laws of the figures.
type Lines struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Subject       Input `json:"subject"`
	// Reference is nil if there is only one run.
	Reference *Input `json:"reference"`
	// Grade is how precise the figures are. It is "lines" if at least half of the energy of samples
	// is on lines that are known within ±50 %. It is "methods" if less is, and "nothing" if no
	// sample has a line. Longer is how many times as long the run would have to be for the next
	// grade, or 0 if that does not help. Minutes is the additional time, or 0 if unknown.
	Grade   string  `json:"grade"`
	Longer  float64 `json:"longer"`
	Minutes float64 `json:"moreMinutes"`
	// Unsampled is the share of the energy that was measured but not sampled. The lines share it.
	Unsampled float64 `json:"unsampled,omitempty"`
	// Located is the energy of samples with a known line, and Unknown that of other samples.
	// Outside is outside methods. They add up to the run's energy.
	Located units.Energy `json:"locatedNJ"`
	Unknown units.Energy `json:"unknownNJ"`
	Outside units.Energy `json:"outsideNJ"`
	// Samples counts all samples, and LocatedSamples those with a known line.
	Samples        float64 `json:"samples"`
	LocatedSamples float64 `json:"locatedSamples"`
	// Advice describes how to record lines. It is empty if samples have lines.
	Advice string `json:"advice,omitempty"`
	// Sort is the energy to sort and compare by: "self", or "all" with callees.
	Sort string `json:"sort"`
	// ByMethod is set if two runs are compared by method. Lines can be compared only if the sources
	// of both builds are known.
	ByMethod bool `json:"byMethod"`
	// Total is the number of rows that pass the filters. Filtered is the number of the other rows.
	Total    int       `json:"total"`
	Filtered int       `json:"filtered"`
	Rows     []LineRow `json:"rows"`
	// Source is the listing of the method that the user named. It is missing without one.
	Source *Listing `json:"source,omitempty"`
	// Meter and MeterReference describe the meters whose energy is divided among samples. They are
	// missing without a meter. They are missing also if paths were counted: see Metered.
	Meter          *LineMeter `json:"meter,omitempty"`
	MeterReference *LineMeter `json:"meterReference,omitempty"`
	// Executions counts how often lines ran. It is missing unless the build records paths.
	Executions *Executions `json:"executions,omitempty"`
	// Metered is the measured energy by line. It needs a meter and a build that records paths.
	Metered *Metered `json:"metered,omitempty"`
	// MeteredReference is the same for the reference. MeteredPairs compares the two. It is missing
	// unless both have figures.
	MeteredReference *Metered      `json:"meteredReference,omitempty"`
	MeteredPairs     *MeteredPairs `json:"meteredPairs,omitempty"`

	Comparability []Note  `json:"comparability"`
	Warnings      []Note  `json:"warnings"`
	Methods       Methods `json:"methods"`

	maker *lineMaker
}

// A LineRow is a line, or the remaining lines of a method in one row.
type LineRow struct {
	// Method is the method's label.
	Method string `json:"method"`
	// File is the source file's name without folders, or empty. Line is 0 for the rest of a method:
	// lines with too few samples, and samples without a known line.
	File string `json:"file"`
	Line int    `json:"line"`
	// Lines is the number of lines in the row if it represents several. It is 0 if unknown.
	Lines int `json:"lines,omitempty"`
	// unlocated is set if the row also has samples whose line is unknown.
	unlocated bool
	// Owner, Own and Library have the same meaning as in a TopRow.
	Owner   string  `json:"owner"`
	Own     bool    `json:"own"`
	Library string  `json:"library"`
	Subject LineUse `json:"subject"`
	// Reference, Saving, From, To and Verdict are set if there are two runs. Saving is the
	// subject's energy minus the reference's, with callees if Sort is "all". From and To are its
	// interval. Verdict is "more", "less" or "unclear".
	Reference *LineUse      `json:"reference,omitempty"`
	Saving    *units.Energy `json:"savingNJ,omitempty"`
	From      *units.Energy `json:"savingFromNJ,omitempty"`
	To        *units.Energy `json:"savingToNJ,omitempty"`
	Verdict   string        `json:"verdict,omitempty"`
	// ReferenceLine is the line in the reference if the line has moved.
	ReferenceLine int `json:"referenceLine,omitempty"`
}

// A LineUse is the energy of a line in one run.
type LineUse struct {
	Own      units.Energy `json:"ownNJ"`
	OwnShare float64      `json:"ownShare"`
	// Least and Most are the interval of Own, or nil if the line has too few samples.
	Least *units.Energy `json:"leastNJ"`
	Most  *units.Energy `json:"mostNJ"`
	// All includes callees. It is nil for several lines, or if the lines of callers are unknown.
	All      *units.Energy `json:"allNJ"`
	AllShare float64       `json:"allShare"`
	// AllLeast and AllMost are the interval of All. They are nil without All, or with too few
	// samples.
	AllLeast *units.Energy `json:"allLeastNJ"`
	AllMost  *units.Energy `json:"allMostNJ"`
	Samples  float64       `json:"samples"`

	// row is the source of AllLeast and AllMost. It is nil without All.
	row *lines.Row
}

// withoutCallees removes the energy with callees.
func (u *LineUse) withoutCallees() {
	u.All, u.AllShare, u.row = nil, 0, nil
}

// bound sets AllLeast and AllMost.
func (u *LineUse) bound(t *lines.Table) {
	if u == nil || u.row == nil {
		return
	}
	if i, ok := t.All(u.row); ok {
		u.AllLeast, u.AllMost = &i.Least, &i.Most
	}
}

// Sorted returns a line's energy for a sort order, with its interval and share. other is the energy
// of the other sort order. Unknown energies are nil.
func (u *LineUse) Sorted(by string) (e, least, most *units.Energy, share float64, other *units.Energy) {
	if by == ByAll {
		return u.All, u.AllLeast, u.AllMost, u.AllShare, &u.Own
	}
	return &u.Own, u.Least, u.Most, u.OwnShare, u.All
}

// The verdicts of a LineRow, and a Grade.
const (
	gradeNothing = "nothing"

	LineMore    = "more"
	LineLess    = "less"
	LineUnclear = "unclear"
)

// A LineOwner is the method of a row, and whether it is the app's own code.
type LineOwner struct {
	Method name.Method
	Own    bool
}

// LinesOptions select the contents of a Lines.
type LinesOptions struct {
	// Sort is BySelf or ByAll.
	Sort string
	// Rows is the number of rows to list. 0 means all.
	Rows int
	// Keep selects the rows to list. nil selects all rows.
	Keep func(LineOwner) bool
	// ByMethod compares the methods of two runs and not their lines, because lines may have moved.
	ByMethod bool
	// Moved maps a line of the reference to the line in the subject, or 0 if it is gone. It may be
	// nil.
	Moved func(m name.Method, line int) int
	// Executions counts the executions of a single run, or is nil if its build records no paths.
	Executions *lines.Executions
	// Metered and MeteredReference are the measured energies by line, or nil.
	Metered, MeteredReference *metered.Result
}

// NewLines lists the lines of one run, or compares two. The inputs must be read with
// analysis.Options.Lines.
func NewLines(inputs []*analysis.Input, version string, o LinesOptions) *Lines {
	in := inputs[0]
	l := &Lines{
		SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version}, Subject: newInput(*in),
		Sort: o.Sort, Rows: []LineRow{}, Methods: Methods{}, Comparability: []Note{}, Warnings: []Note{},
	}
	tables := make([]*lines.Table, len(inputs))
	for i, in := range inputs {
		tables[i] = in.Lines()
	}
	t := tables[0]
	l.setGrade(in, t)
	l.Meter = newLineMeter(in)
	l.Located, l.Unknown, l.Outside = t.Located, t.Unknown, t.Outside
	m := &lineMaker{Lines: l, inputs: inputs, tables: tables, owners: owners(inputs)}
	if o.Moved != nil {
		m.moved, m.movedLine = func(r *lines.Row) int { return o.Moved(r.Method, r.Line) }, o.Moved
	}
	l.maker = m
	var rows []LineRow
	if len(inputs) == 1 {
		rows = m.one(o.Sort)
	} else {
		reference := newInput(*inputs[1])
		l.Reference, l.MeterReference = &reference, newLineMeter(inputs[1])
		l.ByMethod = o.ByMethod
		if !o.ByMethod && !(t.Callers && tables[1].Callers) {
			// The energies of lines with callees are unknown.
			l.Sort, o.Sort = BySelf, BySelf
		}
		rows = m.two(o)
	}
	kept := slices.DeleteFunc(slices.Clone(rows), func(r LineRow) bool {
		return o.Keep != nil && !o.Keep(LineOwner{m.method(r.Method), r.Own})
	})
	l.Total, l.Filtered = len(kept), len(rows)-len(kept)
	if o.Rows > 0 {
		kept = kept[:min(o.Rows, len(kept))]
	}
	l.Rows = append(l.Rows, kept...)
	for i := range l.Rows {
		r := &l.Rows[i]
		l.Methods.add(m.method(r.Method))
		// Intervals are slow to compute, so only listed rows get them.
		r.Subject.bound(tables[0])
		if len(tables) > 1 {
			r.Reference.bound(tables[1])
		}
	}
	if o.Executions != nil {
		l.setExecutions(o.Executions, o)
	}
	l.Metered, l.MeteredReference = l.newMetered(o.Metered, o), l.newMetered(o.MeteredReference, o)
	m.measured = [2]*metered.Result{o.Metered, o.MeteredReference}
	if l.Reference != nil && l.Metered.replaces() && l.MeteredReference.replaces() {
		l.setMeteredPairs(o)
	}
	return l
}

// LinePrecision returns a sentence about how precise a run's lines are. t may be nil, for a run
// without lines.
func LinePrecision(in *analysis.Input, t *lines.Table) string {
	l := &Lines{Grade: gradeNothing, Advice: linesAdvice(in)}
	if t != nil {
		l.setGrade(in, t)
	}
	return l.Precision()
}

// setGrade sets Grade and the fields that explain it.
func (l *Lines) setGrade(in *analysis.Input, t *lines.Table) {
	grade, longer := t.Grade()
	l.Grade, l.Longer = []string{lines.Nothing: gradeNothing, lines.Methods: "methods", lines.Lines: "lines"}[grade], longer
	l.Minutes = math.Ceil(max(longer-1, 0)*in.Trace.Elapsed.Minutes()*10) / 10
	l.Samples, l.LocatedSamples, l.Unsampled, l.Advice = t.Samples, t.LocatedSamples, t.Unsampled, ""
	if grade == lines.Nothing {
		l.Advice = linesAdvice(in)
	}
}

// linesAdvice describes how to record an input with lines.
func linesAdvice(in *analysis.Input) string {
	switch {
	case in.Known.PositionsUnknown():
		return "the recorder stored the first instruction of each interpreted method, not the instruction that ran"
	case in.Known.PositionShare() > 0:
		return "some samples have positions in DEX code; give the APK of the build with --classpath APK to get their lines"
	case in.Trace.Paths:
		return "the recording counts calls and paths, which show how often lines ran but not how much energy they used"
	case in.Trace.Technique == trace.Instrumented:
		return "the recording has calls instead of samples, and calls have no lines: record samples with simpleperf on Android, with Flight Recorder on a JVM, or in the format of pprof"
	case in.Trace.Format == "art":
		return "method traces have no lines: record samples with simpleperf, and give the APK of the build with --classpath"
	case in.Trace.Format == "perfetto":
		return "Perfetto stores positions in files but not where methods begin: record samples with simpleperf, and give perf.data. Native code has lines if the trace has symbols"
	case in.Trace.Format == "perf" && in.Trace.VM == "":
		return "lines come from the debug information of the programs that ran: build them with it, and give their folder with --symfs (/ for this machine)"
	case in.Trace.Format == "simpleperf":
		return "a report of simpleperf does not say where methods begin, so its positions give no lines: read perf.data itself"
	case in.Trace.Format == "perf-script":
		return "perf script prints the lines of programs with debug information: perf script -F +srcline"
	case in.Trace.VM != "":
		return "the code that ran was compiled or its positions were not recorded: lines are known for interpreted code, and for compiled code with debug information (--symfs)"
	}
	return "the format or the recorder's options leave lines out; docs/lines.md lists the formats that have them"
}

// Precision returns a sentence about how precise the lines are, such as how much longer to record.
func (l *Lines) Precision() string {
	switch {
	case l.Reference != nil && (l.Metered != nil || l.MeteredReference != nil):
		return l.bothPrecisions()
	case l.Metered != nil:
		return l.Metered.Precision()
	}
	if l.Samples == 0 && l.Grade != gradeNothing {
		return words.LinesUncounted(units.Share(l.Located, l.Located+l.Unknown+l.Outside))
	}
	located := 0.0
	if l.Samples > 0 {
		located = l.LocatedSamples / l.Samples
	}
	if l.Unsampled > 0 && l.Grade == gradeMethods && l.Longer == 0 {
		return words.LinesUnsampled(located, l.Unsampled)
	}
	return words.LinePrecision(l.Grade, located, l.Longer, l.Minutes, l.Advice)
}

// Unlisted describes the rows that are not listed: their number and energy. It returns "" if there
// are none.
func (l *Lines) Unlisted(scale words.Scale) string {
	hidden := l.Total - len(l.Rows)
	if hidden+l.Filtered == 0 {
		return ""
	}
	rest := l.Subject.Energy
	for _, row := range l.Rows {
		rest -= row.Subject.Own
	}
	return words.TopUnlisted("row", hidden, l.Filtered, scale.Energy(rest))
}

// Find returns the methods whose name matches text, as name.Find does.
func (l *Lines) Find(text string) []name.Method {
	var methods, found []name.Method
	for _, label := range slices.Sorted(maps.Keys(l.maker.owners)) {
		methods = append(methods, l.maker.owners[label].method)
	}
	for _, i := range name.Find(methods, text) {
		found = append(found, methods[i])
	}
	return found
}

// Name returns the display name of a row, such as "Feed.load:42". short is the method's short name.
func (l *Lines) Name(r *LineRow, short string) string {
	switch {
	case r.Line > 0 && r.ReferenceLine > 0:
		return fmt.Sprintf("%s:%d (was :%d)", short, r.Line, r.ReferenceLine)
	case r.Line > 0:
		return fmt.Sprintf("%s:%d", short, r.Line)
	case l.ByMethod || l.Grade == gradeNothing:
		return short
	case r.Lines == 0:
		return short + ", line unknown"
	}
	text := short + ", " + words.Some(r.Lines, "other line")
	if r.unlocated {
		text += " and unknown"
	}
	return text
}

// SortEnergy returns the energy to compare a line by. It includes callees if Sort is "all".
func (l *Lines) SortEnergy(u *LineUse) units.Energy {
	if l.Sort == ByAll && u.All != nil {
		return *u.All
	}
	return u.Own
}

// WithoutRows returns l without its rows.
func (l *Lines) WithoutRows() *Lines {
	out := *l
	out.Rows, out.Total, out.Filtered = nil, 0, 0
	return &out
}

// RowNoun returns what a row is: "line" or "method".
func (l *Lines) RowNoun() string {
	if l.ByMethod || l.Grade == gradeNothing {
		return "method"
	}
	return "line"
}

// NoteInputs adds notes about differences between two inputs, and warnings.
func (l *Lines) NoteInputs(unlike, warnings []trace.Warning) {
	l.Comparability, l.Warnings = comparability(unlike), notes(warnings)
}

// NoteSame adds a note that the two sides are the same recording.
func (l *Lines) NoteSame() {
	l.Comparability = append(l.Comparability, Note{Code: "shared-runs", Message: words.SameLines})
}

// WriteJSON writes the lines as indented JSON, ended by a newline.
func (l *Lines) WriteJSON(w io.Writer) error { return writeJSON(w, l) }
