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
	// Accounted is the part of the run's energy that comes from the measurement, including scaled
	// and unattributed energy. It is nil if the run does not use the measurement. Alone is the part
	// that comes only from the power model.
	Accounted *units.Energy `json:"accountedNJ"`
	Alone     *units.Energy `json:"aloneNJ"`
	// Parts are the parts of the device with both a measurement and a model.
	Parts []Part `json:"parts"`
}

// A Part compares the measured and the modelled energy of a part of the device.
type Part struct {
	Name   string   `json:"name"`
	Tracks []string `json:"tracks"`
	// Measured is the sum of Charged and Rest. Charged is the energy of the run's calls. Rest is
	// unattributed. Modelled is the model's energy for the measured time. Outside is the model's
	// energy for the time before and after.
	Measured units.Energy `json:"measuredNJ"`
	Modelled units.Energy `json:"modelledNJ"`
	Charged  units.Energy `json:"chargedNJ"`
	Rest     units.Energy `json:"restNJ"`
	Outside  units.Energy `json:"outsideNJ"`
}

// An AlignedRecording is a recording of signals that was given with another recording, with its alignment in
// time.
type AlignedRecording struct {
	Path string `json:"path"`
	// Shift is the time added to the times of this recording. Residual is the possible
	// error, 0 if unknown.
	Shift    int64 `json:"shiftNS"`
	Residual int64 `json:"residualNS"`
	// Drift is the relative speed of the run's clock. The times of this recording are multiplied by
	// Drift before Shift is added. Drift is missing if unknown.
	Drift float64 `json:"drift,omitempty"`
	// By is the method of alignment: "clock", "shift", "bursts" or "activity". Correlation is the correlation
	// of the activities.
	By          string  `json:"by"`
	Correlation float64 `json:"correlation"`
	// How describes the alignment in words.
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
		m.Accounted, m.Alone = &in.Rails.Accounted, &in.Rails.Alone
		for _, a := range in.Rails.Parts {
			m.Parts = append(m.Parts, Part{a.Name, a.Tracks, a.Measured, a.Modelled, a.Charged, a.Rest, a.Outside})
		}
	}
	return m
}

// A Track sums up all signals of one kind for one part of the device. Fields of other kinds are
// nil.
type Track struct {
	Name      string `json:"name"`
	Component string `json:"component"`
	// Kind is "switch", "frequency", "idle", "drain", "gauge", "state", "suspend" or
	// "level".
	Kind    string `json:"kind"`
	Unit    string `json:"unit"`
	Signals int64  `json:"signals"`
	// Span is the time between the first signal and the last one.
	Span   int64         `json:"spanNS"`
	Energy *units.Energy `json:"energyNJ"`
	Mean   *float64      `json:"mean"`
	Least  *int64        `json:"least"`
	Most   *int64        `json:"most"`
	// Active is the time that a core was busy or idle, that a component was on, or that the device
	// was asleep.
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
