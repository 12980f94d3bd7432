package jfr

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Sampling intervals for recordings that do not state one. They are the default of async-profiler,
// and the JVM's settings in profile.jfc and default.jfc.
const (
	asyncInterval   = 10_000_000
	asyncWall       = 50_000_000
	profileInterval = 10_000_000
	jvmInterval     = 20_000_000
)

// choose decides which events are read as samples, and the time of each sample. It prefers
// processor time.
func (d *decoder) choose() error {
	cpu, wall := d.sources()
	switch d.opts.SampleType {
	case "cpu":
		d.event = cpu
	case "wall":
		d.event, d.elapsed = wall, true
	case "":
		if d.event = cpu; cpu == "" {
			d.event, d.elapsed = wall, true
		}
	default:
		return located(-1, fmt.Errorf("unknown sample type %q; the sample types are cpu and wall", d.opts.SampleType))
	}
	if d.event == "" {
		return located(-1, errors.New("the recording has no samples of this kind; record with profile.jfc, or with async-profiler"))
	}
	if d.trace.Clock = trace.ThreadCPU; d.elapsed {
		d.trace.Clock = trace.WallClock
	}
	guessed := false
	switch s := &d.settings; {
	case d.event == datadogSample:
		d.interval = cmp.Or(s.datadog, asyncInterval)
	case d.elapsed && s.wall > 0:
		d.interval = s.wall
	case s.interval > 0 && (!d.elapsed || s.event == "wall" || d.event == executionSample):
		d.interval = s.interval
	case s.event == "wall" || d.event == wallClockSample:
		d.interval = asyncWall
	case s.event != "":
		d.interval = asyncInterval
	case s.period > 0:
		d.interval = s.period
	case d.event == cpuTimeSample:
		d.interval = jvmInterval
	default:
		d.interval, d.doubtful, guessed = d.gaps.interval(d.cpu), true, true
	}
	if n := d.counts[datadogSample]; n > 0 && d.event == executionSample {
		d.trace.Warnings = append(d.trace.Warnings, trace.Warning{
			Code:    "two-samplers",
			Message: trace.Counted("%d {sample|samples} of Datadog's sampler {is|are} not counted, since the JVM's sampler recorded the same time", n),
		})
	}
	if guessed {
		d.trace.Warnings = append(d.trace.Warnings, trace.Warning{
			Code:    "interval-unknown",
			Message: fmt.Sprintf("the recording does not state its sampling interval. Judging by the times between samples of a thread, each sample counts as %s at most, and any part of this time may be work", units.FormatTime(d.interval)),
		})
	}
	if d.event == executionSample && !d.elapsed && d.settings.interval > 0 {
		if tick := d.gaps.coarse(d.cpu, d.interval); tick > 0 {
			d.warn("coarse-timer", "the recorder was asked for a sample every %s of processor time, but most samples of a thread are %s apart: the system's timer is coarser, "+
				"so the times may be up to %.1f times too low; record with a longer interval, or with event=cpu",
				units.FormatTime(d.interval), units.FormatTime(tick), float64(tick)/float64(d.interval))
		}
	}
	if d.event != cpuTimeSample {
		d.trace.Interval = time.Duration(d.interval)
	}
	d.calibrate()
	return nil
}

// sources returns the names of the events that are samples of processor time and of elapsed time. A
// name is "" if there are no such events. Some recorders use one event for both times, and mark the
// samples of processor time.
func (d *decoder) sources() (cpu, wall string) {
	d.cpu = running
	both := d.states[processor] > 0
	if both {
		d.cpu = processor
	}
	switch onlyWall := d.settings.event == "wall" && !both; {
	case d.counts[cpuTimeSample] > 0:
		cpu = cpuTimeSample
	case d.states[d.cpu] > 0 && (!onlyWall || d.opts.SampleType == "cpu"):
		cpu = executionSample
	case d.counts[datadogSample] > 0:
		cpu = datadogSample
	}
	switch {
	case d.counts[wallClockSample] > 0:
		wall = wallClockSample
	case d.counts[executionSample] > d.states[processor]:
		wall = executionSample
	}
	return cpu, wall
}

// charged reports whether a sample is one of the chosen events.
func (d *decoder) charged(s *sample, in state) bool {
	switch {
	case s.failed:
		return false
	case d.event != executionSample:
		return true
	case d.elapsed:
		return in != processor
	}
	return in == d.cpu
}
