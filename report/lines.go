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

// A Lines divides the energy of a run by source line, or compares two runs line by line. Package lines
// describes the laws of the figures.
type Lines struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Subject       Input `json:"subject"`
	// Reference is nil if there is only one run.
	Reference *Input `json:"reference"`
	// Grade is "lines" if the lines whose interval is within ±50 % have half of the energy of
	// samples, "methods" if they have less, and "nothing" if no sample has a line. Longer is the
	// factor by which the run would have to be longer for the next grade. It is 0 if that does not
	// help. Minutes is the additional time, 0 if it is unknown.
	Grade   string  `json:"grade"`
	Longer  float64 `json:"longer"`
	Minutes float64 `json:"moreMinutes"`
	// Unsampled is the share of the energy that was measured and not sampled. The lines share it.
	Unsampled float64 `json:"unsampled,omitempty"`
	// Located, Unknown and Outside add up to the run's energy. Located is the own energy of samples
	// whose line is known. Unknown is the own energy of the other samples. Outside is the energy
	// outside of methods.
	Located units.Energy `json:"locatedNJ"`
	Unknown units.Energy `json:"unknownNJ"`
	Outside units.Energy `json:"outsideNJ"`
	// Samples counts the samples. LocatedSamples counts the samples whose line is known.
	Samples        float64 `json:"samples"`
	LocatedSamples float64 `json:"locatedSamples"`
	// Advice describes how to record lines. It is empty if samples have lines.
	Advice string `json:"advice,omitempty"`
	// Sort is the energy by which rows are sorted, "self" or "all". Two runs are also compared by
	// this energy.
	Sort string `json:"sort"`
	// ByMethod is set if the rows of two runs are methods, because the sources of both builds are not
	// known.
	ByMethod bool `json:"byMethod"`
	// Total is the number of rows that pass the filters. Filtered is the number of the other rows.
	Total    int       `json:"total"`
	Filtered int       `json:"filtered"`
	Rows     []LineRow `json:"rows"`
	// Source is the listing of a method that the user named. It is missing without one.
	Source *Listing `json:"source,omitempty"`
	// Meter and MeterReference describe the measured energies that are divided among the samples of
	// the runs. They are missing without a meter, and for counted paths, which Metered describes.
	Meter          *LineMeter `json:"meter,omitempty"`
	MeterReference *LineMeter `json:"meterReference,omitempty"`
	// Executions states how often lines were executed. It is missing without paths.
	Executions *Executions `json:"executions,omitempty"`
	// Metered divides the measured energy by line. It is missing without paths or without measured energy.
	Metered *Metered `json:"metered,omitempty"`
	// MeteredReference divides the measured energy of the reference. MeteredPairs compares
	// Metered and MeteredReference. It is missing unless both runs have figures.
	MeteredReference *Metered      `json:"meteredReference,omitempty"`
	MeteredPairs     *MeteredPairs `json:"meteredPairs,omitempty"`

	Comparability []Note  `json:"comparability"`
	Warnings      []Note  `json:"warnings"`
	Methods       Methods `json:"methods"`

	maker *lineMaker
}

// A LineRow is a line, or the other lines of a method together.
type LineRow struct {
	// Method is the method's label.
	Method string `json:"method"`
	// File is the source file's name without folders. It may be empty. Line is 0 for the rest of a
	// method: lines with too few samples for a figure, and samples with an unknown line.
	File string `json:"file"`
	Line int    `json:"line"`
	// Lines is the number of lines in a row for several lines. It is 0 if all of them are unknown.
	Lines int `json:"lines,omitempty"`
	// unlocated is set if the row also has samples whose line is unknown.
	unlocated bool
	// Owner, Own and Library have the same meaning as in a TopRow.
	Owner   string  `json:"owner"`
	Own     bool    `json:"own"`
	Library string  `json:"library"`
	Subject LineUse `json:"subject"`
	// Reference, Saving and Verdict are nil or empty if there is only one run. Saving is the subject's
	// energy minus the reference's: without callees, or with them if Sort is "all". Verdict is "more", "less" or "unclear". From and To are the
	// interval of the saving.
	Reference *LineUse      `json:"reference,omitempty"`
	Saving    *units.Energy `json:"savingNJ,omitempty"`
	From      *units.Energy `json:"savingFromNJ,omitempty"`
	To        *units.Energy `json:"savingToNJ,omitempty"`
	Verdict   string        `json:"verdict,omitempty"`
	// Was is the line in the reference if the line has moved.
	Was int `json:"referenceLine,omitempty"`
}

// A LineUse is the energy of a line in one run.
type LineUse struct {
	Own      units.Energy `json:"ownNJ"`
	OwnShare float64      `json:"ownShare"`
	// Least and Most are the interval of Own. They are nil if the line has too few samples.
	Least *units.Energy `json:"leastNJ"`
	Most  *units.Energy `json:"mostNJ"`
	// All is the energy including callees. It is nil for several lines, and if the lines of callers
	// are unknown.
	All      *units.Energy `json:"allNJ"`
	AllShare float64       `json:"allShare"`
	// AllLeast and AllMost are the interval of All. They are nil without All, and if the line and its callees have
	// too few samples.
	AllLeast *units.Energy `json:"allLeastNJ"`
	AllMost  *units.Energy `json:"allMostNJ"`
	Samples  float64       `json:"samples"`

	// row is the source of AllLeast and AllMost. It is nil without All.
	row *lines.Row
}

// withoutCallees drops the energy with callees.
func (u *LineUse) withoutCallees() {
	u.All, u.AllShare, u.row = nil, 0, nil
}

// bound sets the interval of All.
func (u *LineUse) bound(t *lines.Table) {
	if u == nil || u.row == nil {
		return
	}
	if i, ok := t.All(u.row); ok {
		u.AllLeast, u.AllMost = &i.Least, &i.Most
	}
}

// Sorted returns the energy by which the rows of one run are sorted, "self" or "all", with its interval and share, and
// the other energy. Energies are nil if they are unknown.
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
	// Moved returns the line of the subject for a line of the reference, 0 if the line is gone. It may
	// be nil.
	Moved func(m name.Method, line int) int
	// Executions has the executions of a single run. It is nil for a run without paths.
	Executions *lines.Executions
	// Metered and MeteredReference are the measured energies of the runs. They are nil without paths or measured energy.
	Metered, MeteredReference *metered.Result
}

// NewLines makes the lines of one run or of two. Each input was read with analysis.Options.Lines.
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
		// The intervals take time to compute, so they are set only for the listed rows.
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

// Carry describes how finely a run can be divided by line, from its table. A nil table is a run without lines.
func Carry(in *analysis.Input, t *lines.Table) string {
	l := &Lines{Grade: gradeNothing, Advice: linesAdvice(in)}
	if t != nil {
		l.setGrade(in, t)
	}
	return l.Carry()
}

// setGrade sets how finely the run can be divided by line.
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
	case in.Known.Lies():
		return "the recorder stored the first instruction of each interpreted method, not the instruction that ran"
	case in.Known.Places() > 0:
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

// Carry describes how finely the run can be divided by line.
func (l *Lines) Carry() string {
	switch {
	case l.Reference != nil && (l.Metered != nil || l.MeteredReference != nil):
		return l.carryBoth()
	case l.Metered != nil:
		return l.Metered.Carry()
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
	return words.LinesCarry(l.Grade, located, l.Longer, l.Minutes, l.Advice)
}

// Unlisted formats the number of rows that are not in Rows, and their energy. It returns "" if
// there are none.
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

// Find returns the methods of l that a user's text matches: see name.Find.
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

// Name returns the text for a row. short is the name of its method.
func (l *Lines) Name(r *LineRow, short string) string {
	switch {
	case r.Line > 0 && r.Was > 0:
		return fmt.Sprintf("%s:%d (was :%d)", short, r.Line, r.Was)
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

// Compared returns the energy of a line by which two runs are compared. It includes callees if Sort
// is "all".
func (l *Lines) Compared(u *LineUse) units.Energy {
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

// What returns the word for a row: "line" or "method".
func (l *Lines) What() string {
	if l.ByMethod || l.Grade == gradeNothing {
		return "method"
	}
	return "line"
}

// NoteInputs adds notes about differences between two inputs, and warnings.
func (l *Lines) NoteInputs(unlike, warnings []trace.Warning) {
	l.Comparability, l.Warnings = comparability(unlike), notes(warnings)
}

// NoteSame notes that both sides are one recording.
func (l *Lines) NoteSame() {
	l.Comparability = append(l.Comparability, Note{Code: "shared-runs", Message: words.SameLines})
}

// WriteJSON writes the lines as indented JSON, ended by a newline.
func (l *Lines) WriteJSON(w io.Writer) error { return writeJSON(w, l) }
