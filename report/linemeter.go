package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A LineMeter describes how a meter's energy is divided among the stack samples of a run. Samples,
// Idle and Rest add up to Metered.
type LineMeter struct {
	// Reason is why the meter is not used, so that lines have modelled energy. It may be empty.
	Reason string `json:"reason,omitempty"`
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
	Samples units.Energy `json:"samplesNJ"`
	Idle    units.Energy `json:"idleNJ"`
	Rest    units.Energy `json:"restNJ"`

	IdlePower int64 `json:"idleUW"`
	BusyPower int64 `json:"busyUW"`
	IdleKnown bool  `json:"idleKnown"`
	// PowersVary is how much the power differs between lines, as a relative standard deviation.
	PowersVary float64 `json:"powersVary"`
	Scaled     float64 `json:"scaled"`
}

// newLineMeter describes the meter of a run, or returns nil if there is none.
func newLineMeter(in *analysis.Input) *LineMeter {
	r := in.Meter
	if r == nil {
		return nil
	}
	return &LineMeter{
		Reason: r.Reason, Shift: r.Shift, Window: r.Window, Elapsed: r.Elapsed, Period: r.Period, Periods: r.Periods, Tracks: r.Tracks, Undivided: newUndivided(r),
		Metered: r.Metered, Samples: r.Lined, Idle: r.Idle, Rest: r.Rest, IdlePower: r.IdlePower, BusyPower: r.BusyPower, IdleKnown: r.IdleKnown,
		PowersVary: r.Powers, Scaled: r.Scaled,
	}
}

// newUndivided lists the measured parts of the device that are not divided by line.
func newUndivided(r *metered.Result) []UndividedPart {
	out := []UndividedPart{}
	for _, a := range r.Undivided {
		out = append(out, UndividedPart(a))
	}
	return out
}

// figures reports whether the measured energy is used.
func (m *LineMeter) figures() bool { return m != nil && m.Reason == "" }

// Source describes the measurement and the powers, or states why the measurement is not used.
func (m *LineMeter) Source() string {
	source := words.MeterSource(m.Tracks, m.Window, m.Elapsed, m.Period, m.Periods)
	if m.Reason != "" {
		return words.MeterUnused(source, m.Reason, m.Shift)
	}
	return source + "; " + words.MeterPowers(m.IdlePower, m.BusyPower, m.IdleKnown, m.PowersVary)
}

// Parts names the parts of the measured energy, which add up to it.
func (m *LineMeter) Parts() []words.MeteredPart {
	return []words.MeteredPart{{Name: "samples", Energy: m.Samples}, {Name: "idle device", Energy: m.Idle}, {Name: "not attributed", Energy: m.Rest}, {Name: "measured", Energy: m.Metered}}
}
