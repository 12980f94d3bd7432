package ftrace

import (
	"fmt"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// warnings returns the warnings about the recording.
func (m *Machine) warnings() []trace.Warning {
	var all []trace.Warning
	if m.choice.warning != nil {
		all = append(all, *m.choice.warning)
	}
	f := &m.faults
	all = append(all, trace.Counts(
		trace.Count{N: f.backwards, Code: "backward-clock", Text: "%d {event is|events are} out of order, and {gets|get} the time of the event before"},
		trace.Count{N: f.outside, Code: "outside-span", Text: "%d {event is|events are} far outside of the recording, because {its clock is|their clocks are} damaged, and {gets|get} the time of the event before"},
		trace.Count{N: f.beyond, Code: "late-events", Text: "%d {event is|events are} more than 52 days after the first one, and {gets|get} the time of the event before"},
		trace.Count{N: f.cores, Code: "unknown-cores", Text: "%d {event is|events are} of cores beyond the 1024th, and {is|are} not read"},
		trace.Count{N: f.deep, Code: "deep-slices", Text: "%d {slice is|slices are} nested more than 4096 deep, and {is|are} not read"},
		trace.Count{N: f.again, Code: "numbers-again", Text: "%d {number of an ended thread was|numbers of ended threads were} reused; threads with the same number count as one thread, with the latest process and name"},
		trace.Count{N: f.missed, Code: "missing-switches", Text: "%d {switch|switches} between threads {is|are} missing; the time up to the next switch counts for the earlier thread"},
		trace.Count{N: f.flows, Code: "many-hand-overs", Text: "%d {hand-over exceeds|hand-overs exceed} the limit of 262144 waiting hand-overs, and {is|are} not read"},
		trace.Count{N: f.names, Code: "many-names", Text: "%d {slice exceeds|slices exceed} the limit of 262144 different names, and {is|are} called (other)"},
		trace.Count{N: f.exchanges, Code: "async-slices", Text: "%d asynchronous {slice counts|slices each count} as one packet at the start and one at the end, because the trace does not show how much data {it moves|they move}"},
		trace.Count{N: f.open, Code: "open-calls", Text: "%d {slice was|slices were} still running when recording stopped; {it is|they are} cut there"},
		trace.Count{N: f.orphans, Code: "orphan-ends", Text: "%d {slice|slices} began before the recording; {its name is|their names are} unknown, and {it is|they are} not read"},
	)...)
	all = append(all, m.calls.warnings()...)
	if ran := time.Duration(f.stray).Round(time.Microsecond); ran > 0 {
		all = append(all, trace.Warning{Code: "unknown-process", Message: fmt.Sprintf(
			"threads with an unknown process ran %v, which is not read", ran)})
	}
	return all
}
