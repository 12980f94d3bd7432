package perfetto

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// maxSeries limits the number of series in a trace.
const maxSeries = 1 << 16

// A series has the signals of one kind on one track. All series of a core are on the same track.
type series struct {
	track trace.Track
	kind  trace.SignalKind
	// core is set for a core's frequency or idle state. ftrace.Machine then defines the track.
	core bool
	// id is the id of the track. It is valid after the track was defined.
	id      trace.TrackID
	defined bool
	// drained is the latest value of an energy series, which never decreases.
	drained int64
}

// A seriesKey identifies a series.
type seriesKey struct {
	what   string
	number int64
	sub    int64
}

// allSeries are the series of a trace, in the order of their first use.
type allSeries struct {
	all []series
	ids map[seriesKey]int32
	// cores has the indices of the series of cores, by core and kind. Each index is one too large,
	// so that 0 means none.
	cores [][3]int32
	full  int64
}

// get returns the index of the series with a key. If there is none, it adds the result of made.
func (s *allSeries) get(key seriesKey, made func() series) int32 {
	if i, ok := s.ids[key]; ok {
		return i
	}
	if len(s.all) >= maxSeries {
		s.full++
		return noSeries
	}
	if s.ids == nil {
		s.ids = make(map[seriesKey]int32)
	}
	i := int32(len(s.all))
	s.all = append(s.all, made())
	s.ids[key] = i
	return i
}

// noSeries represents a signal that is dropped, because there are maxSeries series already.
const noSeries = -1

// core returns the series of a core's frequency or idle state.
func (s *allSeries) core(number int32, kind trace.SignalKind) int32 {
	number = min(max(number, 0), maxCores-1)
	for len(s.cores) <= int(number) {
		s.cores = append(s.cores, [3]int32{})
	}
	at := &s.cores[number][kind]
	if *at == 0 {
		s.all = append(s.all, series{kind: kind, core: true, track: trace.Track{Core: int(number), UID: -1}})
		*at = int32(len(s.all))
	}
	return *at - 1
}

// gauge returns a series of readings in a unit.
func (s *allSeries) gauge(key seriesKey, name, component, unit string) int32 {
	return s.get(key, func() series {
		return series{kind: trace.Gauge, track: trace.Track{Name: name, Component: component, Unit: unit, Core: -1, UID: -1}}
	})
}

// gpu returns the series of a GPU's frequency.
func (s *allSeries) gpu(number uint64) int32 {
	return s.get(seriesKey{what: "gpu", number: int64(number)}, func() series {
		return series{kind: trace.Frequency, track: trace.Track{Name: fmt.Sprintf("gpu%d", number), Component: "gpu", Unit: "Hz", Core: -1, UID: -1}}
	})
}

// suspend returns the series of the device's sleep.
func (s *allSeries) suspend() int32 {
	return s.get(seriesKey{what: "suspend"}, func() series {
		return series{kind: trace.Suspend, track: trace.Track{Name: "suspend", Core: -1, UID: -1}}
	})
}

// counter returns the series of a counter of track events.
func (s *allSeries) counter(t *track) int32 {
	if t.series < 0 {
		t.series = s.gauge(seriesKey{what: "counter", number: int64(t.index)}, t.name, "", t.unitName)
	}
	return t.series
}

// component returns the component in a recorded name, as trace.Account names it. For example, it
// returns cpu for CPU(BIG).
func component(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), "(")
	switch name {
	case "cpu_cluster":
		return "cpu"
	case "mobile_radio", "modem":
		return "cellular"
	}
	return name
}
