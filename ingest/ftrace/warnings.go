package ftrace

import (
	"fmt"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// warnings says what is wrong with the recording.
func (m *Machine) warnings() []trace.Warning {
	var all []trace.Warning
	if m.choice.warning != nil {
		all = append(all, *m.choice.warning)
	}
	f := &m.faults
	all = append(all, trace.Counts(
		trace.Count{N: f.backwards, Code: "backward-clock", Text: "%d {event comes|events come} before an earlier one, and {is|are} taken to happen with it"},
		trace.Count{N: f.beyond, Code: "late-events", Text: "%d {event comes|events come} more than 52 days after the first one, and {is|are} taken to happen with the one before"},
		trace.Count{N: f.cores, Code: "unknown-cores", Text: "%d {event is|events are} of cores beyond the 1024th, and {is|are} not read"},
		trace.Count{N: f.deep, Code: "deep-slices", Text: "%d {slice lies|slices lie} more than 4096 deep in others, and {is|are} not read"},
		trace.Count{N: f.again, Code: "numbers-again", Text: "%d {number of a thread that had ended was|numbers of threads that had ended were} given to {another one; the two are|others; those of one number are} taken for one thread, of the process and the name that came last"},
		trace.Count{N: f.missed, Code: "missing-switches", Text: "%d {switch|switches} between threads {is|are} missing; the time up to the next switch is that of the thread that ran before"},
		trace.Count{N: f.flows, Code: "many-hand-overs", Text: "%d {hand-over comes|hand-overs come} while 262144 others wait, and {is|are} not read"},
		trace.Count{N: f.names, Code: "many-names", Text: "%d {slice has a name|slices have names} beyond the first 262144 different ones, and {is|are} called (other)"},
		trace.Count{N: f.open, Code: "open-calls", Text: "%d {slice|slices} had not ended when the recording did; {it ends|they end} with it"},
		trace.Count{N: f.orphans, Code: "orphan-ends", Text: "%d {slice ends|slices end} that did not begin in the recording; nothing says what {it is, so it is|they are, so they are} not read"},
	)...)
	all = append(all, m.calls.warnings()...)
	if ran := time.Duration(f.stray).Round(time.Microsecond); ran > 0 {
		all = append(all, trace.Warning{Code: "unknown-process", Message: fmt.Sprintf(
			"threads whose process the recording does not state ran %v, which is not read; no --process has them", ran)})
	}
	return all
}
