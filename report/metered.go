package report

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Metered is the measured energy of a run by line, computed from the paths that ran: see package
// lines/metered. Lines, Unlined, Probes, Events, Idle and Rest add up to Metered.
type Metered struct {
	// Provenance is always "fitted".
	Provenance string `json:"provenance"`
	// Grade is how precise the figures are. It is "lines" if at least half of the executed lines
	// are known within ±50 %. Otherwise it is "methods" if methods are, and "nothing" if not.
	Grade string `json:"grade"`
	// Reason explains why the grade is "nothing". It may be empty.
	Reason string `json:"reason,omitempty"`
	// Longer is how many times as long the run would have to be for the grade "lines". Minutes is
	// the additional time. Both are 0 if a longer run does not help.
	Longer  float64 `json:"longer"`
	Minutes float64 `json:"moreMinutes"`
	// Way is the method of computation: "joined", "times" or "printed".
	Way string `json:"way"`
	// Shift is by how much later the meter's readings would have to begin to fit best.
	Shift   int64    `json:"shiftNS"`
	Window  int64    `json:"windowNS"`
	Elapsed int64    `json:"elapsedNS"`
	Period  int64    `json:"periodNS"`
	Periods int      `json:"periods"`
	Tracks  []string `json:"tracks"`
	// Undivided has the energy of other parts of the device, which is not divided by line.
	Undivided []UndividedPart `json:"apart"`

	Metered units.Energy `json:"meteredNJ"`
	Lined   units.Energy `json:"linesNJ"`
	Unlined units.Energy `json:"unlinedNJ"`
	Probes  units.Energy `json:"probesNJ"`
	Events  units.Energy `json:"eventsNJ"`
	// CallEnergy is the energy of framework calls with known times, such as input and output. Calls
	// lists them by method.
	CallEnergy units.Energy `json:"callsNJ"`
	Idle       units.Energy `json:"idleNJ"`
	Rest       units.Energy `json:"restNJ"`

	IdlePower int64 `json:"idleUW"`
	BusyPower int64 `json:"busyUW"`
	IdleKnown bool  `json:"idleKnown"`

	Opcodes    int          `json:"opcodes"`
	Spread     float64      `json:"spread"`
	R2         float64      `json:"r2"`
	AEE        float64      `json:"aee"`
	OffJoined  float64      `json:"offJoined"`
	OffOpcodes float64      `json:"offOpcodes"`
	OffTimes   float64      `json:"offTimes"`
	Halves     float64      `json:"halvesDiffer"`
	PowersVary float64      `json:"powersVary"`
	Scaled     float64      `json:"scaled"`
	Unjudged   int          `json:"unjudgedPaths"`
	LeastEvent units.Energy `json:"leastEventNJ"`

	// Total counts the lines known within ±50 % that pass the filters. Rows lists the first of
	// them. Others counts the other executed lines, and OthersEnergy is their energy.
	Total        int            `json:"total"`
	Rows         []MeteredRow   `json:"rows"`
	Others       int            `json:"otherLines"`
	OthersEnergy units.Energy   `json:"otherLinesNJ"`
	ByMethod     []MeteredRow   `json:"byMethod"`
	MethodsTotal int            `json:"methodsTotal"`
	Outliers     []MeteredEvent `json:"events"`
	Calls        []MeteredEvent `json:"calls"`
}

// A UndividedPart is the energy of a part of the device that is not divided by line.
type UndividedPart struct {
	Name   string       `json:"name"`
	Energy units.Energy `json:"energyNJ"`
}

// A MeteredRow is a line or a method.
type MeteredRow struct {
	Method string       `json:"method"`
	File   string       `json:"file"`
	Line   int          `json:"line"`
	Own    bool         `json:"own"`
	Energy units.Energy `json:"energyNJ"`
	Least  units.Energy `json:"leastNJ"`
	Most   units.Energy `json:"mostNJ"`
	// Share is Energy as a fraction of the measured energy.
	Share      float64 `json:"share"`
	Executions int64   `json:"executions"`
	// Each is the energy of one execution, in nJ.
	Each float64 `json:"eachNJ"`
}

// A MeteredUse is the measured energy of a line. Energy and Each (per execution) are nil if they
// are not known within ±50 %. Least and Most are nil without an interval.
type MeteredUse struct {
	Energy     *units.Energy `json:"energyNJ"`
	Least      *units.Energy `json:"leastNJ"`
	Most       *units.Energy `json:"mostNJ"`
	Each       *float64      `json:"eachNJ"`
	Executions int64         `json:"executions"`
}

// A MeteredEvent is a line or call that used far more energy than usual. Method is empty if only
// the time is known.
type MeteredEvent struct {
	Method string       `json:"method"`
	File   string       `json:"file"`
	Line   int          `json:"line"`
	Count  int64        `json:"count"`
	Energy units.Energy `json:"energyNJ"`
}

// printedWay is the Way of the formulas as the vLens paper prints them. They give no intervals.
const printedWay = "printed"

// gradeMethods is the grade if methods are known, but not lines.
const gradeMethods = "methods"

// newMetered describes the measured energy by line, or returns nil if r is nil.
func (l *Lines) newMetered(r *metered.Result, o LinesOptions) *Metered {
	if r == nil {
		return nil
	}
	m := &Metered{
		Provenance: trace.Fitted.String(), Reason: r.Reason, Longer: r.Longer, Way: r.Method, Shift: r.Shift, Window: r.Window, Elapsed: r.Elapsed,
		Period: r.Period, Periods: r.Periods, Tracks: r.Tracks, Undivided: newUndivided(r), Metered: r.Metered, Lined: r.Lined,
		Unlined: r.Unlined, Probes: r.Probes, Events: r.EventEnergy, CallEnergy: r.CallEnergy, Idle: r.Idle, Rest: r.Rest, IdlePower: r.IdlePower,
		BusyPower: r.BusyPower, IdleKnown: r.IdleKnown, Opcodes: r.Opcodes, Spread: r.Spread, R2: r.R2, AEE: r.AEE,
		OffJoined: r.OffJoined, OffOpcodes: r.OffOpcodes, OffTimes: r.OffTimes, Halves: r.Halves, PowersVary: r.Powers, Scaled: r.Scaled,
		Unjudged: r.Unjudged, LeastEvent: r.LeastEvent, Rows: []MeteredRow{}, ByMethod: []MeteredRow{}, Outliers: []MeteredEvent{}, Calls: []MeteredEvent{},
	}
	m.Grade = []string{metered.Nothing: gradeNothing, metered.Methods: gradeMethods, metered.Lines: "lines"}[r.Grade]
	if r.Longer > 1 {
		m.Minutes = math.Ceil((r.Longer-1)*float64(r.Window)/6e9) / 10
	}
	row := func(r *metered.Row) (MeteredRow, bool) {
		own := l.maker.owners[r.Method.Label()].own
		out := MeteredRow{
			Method: r.Method.Label(), File: r.Method.File, Line: r.Line, Own: own, Energy: r.Energy, Least: r.Least, Most: r.Most,
			Share: units.Share(r.Energy, m.Metered), Executions: r.Executions, Each: r.Each(float64(r.Energy)),
		}
		return out, o.Keep == nil || o.Keep(LineOwner{r.Method, own})
	}
	add := func(to *[]MeteredRow, total *int, line metered.Row) {
		out, keep := row(&line)
		if !keep {
			return
		}
		if *total++; o.Rows == 0 || len(*to) < o.Rows {
			l.Methods.add(line.Method)
			*to = append(*to, out)
		}
	}
	for _, line := range r.Rows {
		if r.Shown(&line) {
			add(&m.Rows, &m.Total, line)
		} else {
			m.Others++
			m.OthersEnergy += line.Energy
		}
	}
	for _, line := range r.Methods {
		if line.Close && r.Grade != metered.Nothing {
			add(&m.ByMethod, &m.MethodsTotal, line)
		}
	}
	for _, e := range r.Events {
		out := MeteredEvent{Line: e.Line, Count: e.Count, Energy: e.Energy}
		if e.Method != (name.Method{}) {
			l.Methods.add(e.Method)
			out.Method, out.File = e.Method.Label(), e.Method.File
		}
		m.Outliers = append(m.Outliers, out)
	}
	for _, c := range r.Calls {
		l.Methods.add(c.Method)
		m.Calls = append(m.Calls, MeteredEvent{Method: c.Method.Label(), File: c.Method.File, Count: c.Count, Energy: c.Energy})
	}
	return m
}

// maxCalls limits the calls in reports for people.
const maxCalls = 10

// ListedCalls returns the calls with the most energy, for reports that people read.
func (m *Metered) ListedCalls() []MeteredEvent { return m.Calls[:min(len(m.Calls), maxCalls)] }

// OtherCalls describes the calls that are not listed. It returns "" if there are none.
func (m *Metered) OtherCalls(scale words.Scale) string {
	others := m.Calls[len(m.ListedCalls()):]
	if len(others) == 0 {
		return ""
	}
	energy, count := units.Energy(0), int64(0)
	for _, c := range others {
		energy, count = energy+c.Energy, count+c.Count
	}
	return scale.Energy(energy) + "  " + words.MeteredOtherCalls(len(others), count)
}

// measuredIn returns the measured energy of each line of a class and its nested classes, in one
// run. moved maps a line of the run to the listed line, and may be nil.
func (m *lineMaker) measuredIn(run int, class string, moved func(m name.Method, line int) int) map[int]*MeteredUse {
	if !m.Measures() {
		return nil
	}
	result := m.measured[run]
	uses := make(map[int]*MeteredUse)
	for line, r := range metered.Gather(result, func(r *metered.Row) (int, bool) {
		line := r.Line
		if moved != nil {
			line = moved(r.Method, line)
		}
		return line, line > 0 && analysis.TopLevel(r.Method) == class
	}) {
		u := meteredUse(result, r)
		uses[line] = &u
	}
	return uses
}

// MeteredPrecision returns a sentence about how precise the measured lines of a run are.
func MeteredPrecision(r *metered.Result) string {
	l := &Lines{Methods: Methods{}, maker: &lineMaker{}}
	return l.newMetered(r, LinesOptions{Rows: 1}).Precision()
}

// Precision returns a sentence about how precise the measured lines are.
func (m *Metered) Precision() string {
	if m.Way == printedWay && m.Reason == "" {
		return words.MeteredPrinted(m.Total)
	}
	return words.MeteredPrecision(m.Grade, m.Reason, m.Shift, m.Total, m.Others, m.MethodsTotal, m.Minutes)
}

// replaces reports whether reports show the measured energy instead of the modelled energy.
func (m *Metered) replaces() bool { return m != nil && m.Reason == "" }

// Measures reports whether lines show measured instead of modelled energy. For two runs, both must
// have it.
func (l *Lines) Measures() bool {
	if l.Reference != nil {
		return l.MeteredPairs != nil
	}
	return l.Metered.replaces()
}

// Heading returns the subject to show above its lines. If the lines show measured energy, so does
// the heading.
func (l *Lines) Heading() Input { return l.heading(l.Subject, l.Metered, l.Meter) }

// ReferenceHeading is like Heading, for the reference.
func (l *Lines) ReferenceHeading() Input {
	return l.heading(*l.Reference, l.MeteredReference, l.MeterReference)
}

func (l *Lines) heading(in Input, m *Metered, by *LineMeter) Input {
	if l.Measures() {
		in.Energy, in.Least, in.EnergyFrom = m.Metered, nil, words.MeteredBy(m.Tracks)
		in.PowerSource, in.Measured = "", nil
	}
	if by.figures() {
		in.Measured = nil // LineMeter has it.
	}
	return in
}

// Doubts returns the warnings to show for the lines.
func (l *Lines) Doubts() []Note {
	if !l.Measures() {
		return l.Warnings
	}
	return slices.DeleteFunc(slices.Clone(l.Warnings), func(n Note) bool { return n.Code == energy.Unclocked })
}
