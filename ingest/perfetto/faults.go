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
	for _, w := range []struct {
		n          int64
		code, text string
	}{
		{f.lost, "lost-packets", "packets were lost before %d {packet|packets}; what they held is missing"},
		{f.lostEvents, "lost-events", "the kernel lost events before %d of its bundles"},
		{f.needy, "incomplete-packets", "%d {packet needs|packets need} what a lost packet held, and {is|are} not read"},
		{f.untimed, "untimed-packets", "%d {packet or event has|packets or events have} no time that a snapshot of clocks leads to, and {is|are} not read"},
		{f.clockless, "core-clocks", "%d {bundle of the kernel's events has|bundles of the kernel's events have} times by a clock that nothing explains, and {is|are} not read"},
		{f.machines, "other-machines", "%d {packet is|packets are} of other machines, and {is|are} not read"},
		{int64(r.clocks.Backwards), "backward-clock", "%d {reading of a clock comes|readings of clocks come} before an earlier one of the same clock, and {is|are} not used"},
		{f.late, "late-events", "%d {event lies|events lie} far behind later ones in the file, and {is|are} taken to happen with them"},
		{f.falls, "falling-meter", "%d {reading of energy is|readings of energy are} less than the one before, and {is|are} not read"},
		{f.async, "async-events", "%d track events are of no thread, and say what was waited for; they are not read"},
		{f.lostSamples, "lost-samples", "the recorder lost %d {sample|samples}"},
		{f.skippedSamples, "skipped-samples", "%d {sample has|samples have} no stack, and {is|are} not read"},
		{f.strays, "stray-samples", "%d {sample is|samples are} of no thread, and {is|are} not read"},
		{f.otherSamples, "other-samples", "%d {sample counts|samples count} something else, and {is|are} not read; --sample-type chooses"},
		{r.series.full, "many-signals", "%d {signal is|signals are} of tracks beyond the first 65536, and {is|are} not read"},
	} {
		if w.n > 0 {
			all = append(all, trace.Warning{Code: w.code, Message: trace.Counted(w.text, w.n)})
		}
	}
	if r.source == perfCount || r.source == stackCount {
		all = append(all, trace.Warning{Code: "other-unit", Message: fmt.Sprintf(
			"the values count %s, which is neither energy nor time", cmp.Or(r.decoder.events[r.source], "samples of an event that the trace does not name"))})
	}
	if r.source == noSource && r.switches == 0 && r.slices > 0 && !r.given {
		all = append(all, trace.Warning{Code: "no-switches", Message: "no thread is switched, so that there is no processor time; record with ftrace's sched/sched_switch"})
	}
	return all
}
