package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/ingest/beside"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Measured is what was measured beside a run.
type Measured struct {
	Energy units.Energy `json:"energyNJ"`
	// By says for people what measured it: "16 rails", "meter".
	By string `json:"by"`
}

// A Beside is a recording that was given with another one, and how it lies.
type Beside struct {
	Path string `json:"path"`
	// Shift is added to its moments. Residual is how far off that may be, 0 if nobody knows.
	Shift    int64 `json:"shiftNS"`
	Residual int64 `json:"residualNS"`
	// By is "clock", "shift" or "activity". Correlation is that of the activities.
	By          string  `json:"by"`
	Correlation float64 `json:"correlation"`
	// How says the same to people.
	How string `json:"how"`
}

func newBeside(places []beside.Place) []Beside {
	made := make([]Beside, len(places))
	for i, p := range places {
		made[i] = Beside{p.Name, int64(p.Shift), int64(p.Residual), p.By, p.Correlation, words.Place(p)}
	}
	return made
}

// newMeasured is nil where nothing was measured.
func newMeasured(in analysis.Input) *Measured {
	total, by := energy.Total(in.Tracks)
	switch {
	case len(by) == 0:
		return nil
	case len(by) == 1:
		return &Measured{total, by[0].Name}
	}
	return &Measured{total, words.Some(len(by), "rail")}
}

// A Track is what all signals of one kind say of one part of the device. What is not of
// the kind is nil.
type Track struct {
	Name      string `json:"name"`
	Component string `json:"component"`
	// Kind is "switch", "frequency", "idle", "drain", "gauge", "state" or "suspend".
	Kind    string `json:"kind"`
	Unit    string `json:"unit"`
	Signals int64  `json:"signals"`
	// Span is the time between the first signal and the last one.
	Span   int64         `json:"spanNS"`
	Energy *units.Energy `json:"energyNJ"`
	Mean   *float64      `json:"mean"`
	Least  *int64        `json:"least"`
	Most   *int64        `json:"most"`
	// Active is how long a core was busy, or idle, or a component on, or the device asleep.
	Active *int64 `json:"activeNS"`
}

func newTracks(tracks []energy.Track) []Track {
	made := make([]Track, len(tracks))
	for i, t := range tracks {
		made[i] = Track{Name: t.Name, Component: t.Component, Kind: t.Kind.String(), Unit: t.Unit, Signals: t.Signals, Span: t.End - t.Begin}
		switch t.Kind {
		case trace.Drain:
			made[i].Energy, made[i].Unit = &t.Energy, "nJ"
		case trace.Frequency, trace.Gauge:
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
