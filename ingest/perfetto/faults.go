package perfetto

import (
	"cmp"
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// faults counts the defects of a trace.
type faults struct {
	// cut is set if the file is truncated.
	cut bool
	// lost counts gaps in sequences. lostEvents counts gaps in the kernel events of a core.
	// clockless counts bundles with an unknown clock. machines counts packets of other machines.
	lost, lostEvents, clockless, machines int64
	// stateless counts packets that refer to a lost packet. untimed counts packets without a usable
	// time.
	stateless, untimed          int64
	lostSamples, skippedSamples int64
	// async counts events without a thread, and strays counts samples without a thread.
	// otherSamples counts samples of events that were not chosen. falls counts energy readings that
	// are less than the reading before. late counts events that are far older than the events
	// before them.
	async, strays, otherSamples, falls, late int64
	// outside counts events with damaged times, far outside of the recording.
	outside int64
}

// countOnce adds n to a counter in the first pass only. It is for defects that both passes find.
func (d *decoder) countOnce(counter *int64, n int64) {
	if d.surveying {
		*counter += n
	}
}

// warnings returns the warnings about the trace.
func (r *run) warnings() []trace.Warning {
	var all []trace.Warning
	f := &r.faults
	if f.cut {
		all = append(all, trace.Warning{Code: "truncated", Message: "the trace ends in the middle of a packet, which was left out"})
	}
	all = append(all, trace.Counts(
		trace.Count{N: f.lost, Code: "lost-packets", Text: "packets are missing before %d {packet|packets}; the content of the missing packets is lost"},
		trace.Count{N: f.lostEvents, Code: "lost-events", Text: "the kernel lost events before %d of its bundles of events"},
		trace.Count{N: f.stateless, Code: "incomplete-packets", Text: "%d {packet refers|packets refer} to a lost packet, and {is|are} not read"},
		trace.Count{N: f.untimed, Code: "untimed-packets", Text: "%d {packet or event has|packets or events have} a time by an unknown clock, and {is|are} not read"},
		trace.Count{N: f.clockless, Code: "core-clocks", Text: "%d {bundle of the kernel's events has|bundles of the kernel's events have} times by an unknown clock, and {is|are} not read"},
		trace.Count{N: f.machines, Code: "other-machines", Text: "%d {packet comes|packets come} from other machines, and {is|are} not read"},
		trace.Count{N: int64(r.clocks.Backwards), Code: "backward-clock", Text: "%d {reading of a clock is|readings of clocks are} less than the one before, and {is|are} not used"},
		trace.Count{N: f.late, Code: "late-events", Text: "%d {event is|events are} far behind later events in the file, and {gets|get} the time of the event before"},
		trace.Count{N: f.outside, Code: "outside-span", Text: "%d {event is|events are} far outside of the recording, because {its clock is|their clocks are} damaged, and {gets|get} the time of the event before"},
		trace.Count{N: f.falls, Code: "falling-meter", Text: "%d {reading of energy is|readings of energy are} less than the one before, and {is|are} not read"},
		trace.Count{N: f.async, Code: "async-events", Text: "%d track events of asynchronous work have no thread, and are not read"},
		trace.Count{N: f.lostSamples, Code: "lost-samples", Text: "the recorder lost %d {sample|samples}"},
		trace.Count{N: f.skippedSamples, Code: "skipped-samples", Text: "%d {sample has|samples have} no stack, and {is|are} not read"},
		trace.Count{N: f.strays, Code: "stray-samples", Text: "%d {sample has|samples have} no thread, and {is|are} not read"},
		trace.Count{N: f.otherSamples, Code: "other-samples", Text: "%d {sample counts|samples count} another event, and {is|are} not read; --sample-type chooses the event"},
		trace.Count{N: r.series.full, Code: "many-signals", Text: "%d {signal exceeds|signals exceed} the limit of 65536 tracks, and {is|are} not read"},
	)...)
	if r.source == perfCount || r.source == stackCount {
		all = append(all, trace.Warning{Code: "other-unit", Message: fmt.Sprintf(
			"the values count %s, which is neither energy nor time", cmp.Or(r.decoder.events[r.source], "samples of an unknown event"))})
	}
	if r.source == noSource && r.switches == 0 && r.slices > 0 && !r.given {
		all = append(all, trace.Warning{Code: "no-switches", Message: "the trace has no thread switches, and so no processor time: the time of threads outside of slices is not recorded, and belongs to no method; record with ftrace's sched/sched_switch"})
	}
	return all
}
