package perfetto

import (
	"cmp"
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// faults count what a trace lacks.
type faults struct {
	// cut is set where the file is.
	cut bool
	// lost counts gaps in sequences, lostEvents bundles before which events of a core are
	// missing, clockless those by a clock that nothing explains, machines packets of other
	// machines.
	lost, lostEvents, clockless, machines int64
	// needy packets need what a lost one had, untimed ones have no time.
	needy, untimed              int64
	lostSamples, skippedSamples int64
	// async counts events of no thread, strays samples of none, otherSamples those of another
	// source, falls drains that fell, late events that come long after later ones.
	async, strays, otherSamples, falls, late int64
}

// once counts what both passes see, in the first one.
func (d *decoder) once(counter *int64, n int64) {
	if d.surveying {
		*counter += n
	}
}

// warnings says what is wrong with the trace.
func (r *run) warnings() []trace.Warning {
	var all []trace.Warning
	f := &r.faults
	if f.cut {
		all = append(all, trace.Warning{Code: "truncated", Message: "the trace ends in the middle of a packet, which is left out"})
	}
	all = append(all, trace.Counts(
		trace.Count{N: f.lost, Code: "lost-packets", Text: "packets were lost before %d {packet|packets}; what they held is missing"},
		trace.Count{N: f.lostEvents, Code: "lost-events", Text: "the kernel lost events before %d of its bundles"},
		trace.Count{N: f.needy, Code: "incomplete-packets", Text: "%d {packet needs|packets need} what a lost packet held, and {is|are} not read"},
		trace.Count{N: f.untimed, Code: "untimed-packets", Text: "%d {packet or event has|packets or events have} no time that a snapshot of clocks leads to, and {is|are} not read"},
		trace.Count{N: f.clockless, Code: "core-clocks", Text: "%d {bundle of the kernel's events has|bundles of the kernel's events have} times by a clock that nothing explains, and {is|are} not read"},
		trace.Count{N: f.machines, Code: "other-machines", Text: "%d {packet is|packets are} of other machines, and {is|are} not read"},
		trace.Count{N: int64(r.clocks.Backwards), Code: "backward-clock", Text: "%d {reading of a clock comes|readings of clocks come} before an earlier one of the same clock, and {is|are} not used"},
		trace.Count{N: f.late, Code: "late-events", Text: "%d {event lies|events lie} far behind later ones in the file, and {is|are} taken to happen with them"},
		trace.Count{N: f.falls, Code: "falling-meter", Text: "%d {reading of energy is|readings of energy are} less than the one before, and {is|are} not read"},
		trace.Count{N: f.async, Code: "async-events", Text: "%d track events are of no thread, and say what was waited for; they are not read"},
		trace.Count{N: f.lostSamples, Code: "lost-samples", Text: "the recorder lost %d {sample|samples}"},
		trace.Count{N: f.skippedSamples, Code: "skipped-samples", Text: "%d {sample has|samples have} no stack, and {is|are} not read"},
		trace.Count{N: f.strays, Code: "stray-samples", Text: "%d {sample is|samples are} of no thread, and {is|are} not read"},
		trace.Count{N: f.otherSamples, Code: "other-samples", Text: "%d {sample counts|samples count} something else, and {is|are} not read; --sample-type chooses"},
		trace.Count{N: r.series.full, Code: "many-signals", Text: "%d {signal is|signals are} of tracks beyond the first 65536, and {is|are} not read"},
	)...)
	if r.source == perfCount || r.source == stackCount {
		all = append(all, trace.Warning{Code: "other-unit", Message: fmt.Sprintf(
			"the values count %s, which is neither energy nor time", cmp.Or(r.decoder.events[r.source], "samples of an event that the trace does not name"))})
	}
	if r.source == noSource && r.switches == 0 && r.slices > 0 && !r.given {
		all = append(all, trace.Warning{Code: "no-switches", Message: "no thread is switched, so that there is no processor time; record with ftrace's sched/sched_switch"})
	}
	return all
}
