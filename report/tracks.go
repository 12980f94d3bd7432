package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Measured is a measurement taken during a run.
type Measured struct {
	Energy units.Energy `json:"energyNJ"`
	// By names the instrument for people: "16 rails", "meter".
	By string `json:"by"`
	// Accounted is the part of the run's energy that is based on the measurement. It includes
	// scaled and unattributed energy, and is nil if the measurement is not used. Alone is the part
	// that is based only on the power model.
	Accounted *units.Energy `json:"accountedNJ"`
	ModelOnly *units.Energy `json:"aloneNJ"`
	// Parts compares parts of the device that are both measured and modelled.
	Parts []Part `json:"parts"`
}

// A Part compares the measured and the modelled energy of a part of the device.
type Part struct {
	Name   string   `json:"name"`
	Tracks []string `json:"tracks"`
	// Measured is the sum of Charged (the run's calls) and Rest (unattributed). Modelled is the
	// power model's energy in the measured time, and Outside before and after it.
	Measured units.Energy `json:"measuredNJ"`
	Modelled units.Energy `json:"modelledNJ"`
	Charged  units.Energy `json:"chargedNJ"`
	Rest     units.Energy `json:"restNJ"`
	Outside  units.Energy `json:"outsideNJ"`
}

// An AlignedRecording is a second recording, such as a meter's, shifted to the clock of the run.
type AlignedRecording struct {
	Path string `json:"path"`
	// Shift was added to its times. Residual is how wrong the shift may be, or 0 if unknown.
	Shift    int64 `json:"shiftNS"`
	Residual int64 `json:"residualNS"`
	// Drift is the run's clock speed relative to this recording's. Times are multiplied by Drift
	// before Shift is added. It is missing if unknown.
	Drift float64 `json:"drift,omitempty"`
	// By is how the shift was found: "clock", "shift", "bursts" or "activity". Correlation is how
	// well the activities of both recordings agree.
	By          string  `json:"by"`
	Correlation float64 `json:"correlation"`
	// How says in words how the shift was found.
	How string `json:"how"`
}

func newAligned(places []align.Place) []AlignedRecording {
	made := make([]AlignedRecording, len(places))
	for i, p := range places {
		made[i] = AlignedRecording{p.Name, int64(p.Shift), int64(p.Residual), p.Drift, p.By, p.Correlation, words.Place(p)}
	}
	return made
}

// newMeasured describes the measurement of a run. It returns nil if nothing was measured.
func newMeasured(in analysis.Input) *Measured {
	total, by := energy.Total(in.Tracks)
	if len(by) == 0 {
		return nil
	}
	m := &Measured{Energy: total, By: words.Some(len(by), "rail"), Parts: []Part{}}
	if len(by) == 1 {
		m.By = by[0].Name
	}
	if in.Rails != nil {
		m.Accounted, m.ModelOnly = &in.Rails.Accounted, &in.Rails.Alone
		for _, a := range in.Rails.Parts {
			m.Parts = append(m.Parts, Part{a.Name, a.Tracks, a.Measured, a.Modelled, a.Charged, a.Rest, a.Outside})
		}
	}
	return m
}

// A Track sums up the signals of one kind from one part of the device. Fields that its kind does
// not have are nil.
type Track struct {
	Name      string `json:"name"`
	Component string `json:"component"`
	// Kind is "switch", "frequency", "idle", "drain", "gauge", "state", "suspend" or
	// "level".
	Kind    string `json:"kind"`
	Unit    string `json:"unit"`
	Signals int64  `json:"signals"`
	// Span is the time from the first to the last signal.
	Span   int64         `json:"spanNS"`
	Energy *units.Energy `json:"energyNJ"`
	Mean   *float64      `json:"mean"`
	Least  *int64        `json:"least"`
	Most   *int64        `json:"most"`
	// Active is how long the part was active, by Kind: a core busy or idle, a component on, or the
	// device asleep.
	Active *int64 `json:"activeNS"`
}

func newTracks(tracks []energy.Track) []Track {
	made := make([]Track, len(tracks))
	for i, t := range tracks {
		made[i] = Track{Name: t.Name, Component: t.Component, Kind: t.Kind.String(), Unit: t.Unit, Signals: t.Signals, Span: t.End - t.Begin}
		switch t.Kind {
		case trace.Drain:
			made[i].Energy, made[i].Unit = &t.Energy, "nJ"
		case trace.Frequency, trace.Gauge, trace.Level:
			made[i].Mean, made[i].Least, made[i].Most = &t.Mean, &t.Least, &t.Most
			if t.Kind == trace.Frequency {
				made[i].Unit = "Hz"
			}
		default:
			active := int64(t.Active)
			made[i].Active = &active
		}
	}
	return made
}
