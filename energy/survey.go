package energy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// ReadRails scans rec for what its signals measured of a device's parts, and models what
// its processor drew.
func ReadRails(ctx context.Context, rec trace.Recording, d *model.Device) (*Rails, error) {
	s := &surveying{device: d, series: make(map[trace.TrackID]*series)}
	if d.CPU != nil {
		s.first = make([]units.Frequency, len(d.CPU.Clusters))
		s.modelled = make([]series, len(d.CPU.Clusters))
		s.drained = make([]spent, len(d.CPU.Clusters))
		s.cores = newCores(d.CPU, nil, func(p piece) {
			if p.cluster >= 0 {
				s.drained[p.cluster].add(p.power, p.end-p.begin)
			}
		})
	}
	t, err := rec.Scan(ctx, s)
	if err != nil {
		return nil, err
	}
	return s.rails(int64(t.Elapsed)), nil
}

// surveying is the sink of the scan that reads rails.
type surveying struct {
	device *model.Device
	tracks []trace.Track
	series map[trace.TrackID]*series
	order  []*series
	cores  *cores
	// switches, frequencies and sampled say that there are any; first are the first ones.
	switches, frequencies bool
	sampled               bool
	first                 []units.Frequency
	// changes counts those of frequencies, strange those to one that the model lacks.
	changes, strange int64
	// drained is what each cluster drained so far, modelled that at each reading of a meter.
	drained  []spent
	modelled []series
}

// Events implements trace.Sink.
func (s *surveying) Events([]trace.Event) error { return nil }

// Samples implements trace.Sink.
func (s *surveying) Samples([]trace.Sample) error { s.sampled = true; return nil }

// TakeSignals implements trace.SignalTaker.
func (s *surveying) TakeSignals() trace.SignalSink { return s }

// Operations implements trace.SignalSink.
func (s *surveying) Operations([]trace.Operation) error { return nil }

// Until implements trace.SignalSink.
func (s *surveying) Until(int64) error { return nil }

// Track implements trace.SignalSink.
func (s *surveying) Track(t trace.Track) error {
	s.tracks = append(s.tracks, t)
	if s.cores != nil {
		s.cores.track(t)
	}
	return nil
}

// Signals implements trace.SignalSink.
func (s *surveying) Signals(batch []trace.Signal) error {
	for i := range batch {
		x := &batch[i]
		switch x.Kind {
		case trace.Drain:
			s.reading(x)
			continue
		case trace.Switch:
			s.switches = true
		case trace.Frequency:
			s.frequency(x)
		}
		if s.cores != nil {
			s.cores.signal(x)
		}
	}
	return nil
}

// frequency notes what frequency a cluster begins with.
func (s *surveying) frequency(x *trace.Signal) {
	if s.cores == nil {
		return
	}
	if at, ok := s.cores.core[s.tracks[x.Track].Core]; ok {
		s.frequencies = true
		s.changes++
		if !hasPoint(&s.device.CPU.Clusters[at.cluster], units.Frequency(x.Value)) {
			s.strange++
		}
		if s.first[at.cluster] == 0 {
			s.first[at.cluster] = units.Frequency(x.Value)
		}
	}
}

// hasPoint says whether a cluster has an operating point within a hundredth of a frequency.
func hasPoint(c *model.Cluster, f units.Frequency) bool {
	return slices.ContainsFunc(c.Points, func(p model.Point) bool { return max(p.Frequency-f, f-p.Frequency) <= f/100 })
}

// reading notes what a meter read.
func (s *surveying) reading(x *trace.Signal) {
	of := s.series[x.Track]
	if of == nil {
		of = &series{Track: s.tracks[x.Track]}
		s.series[x.Track] = of
		s.order = append(s.order, of)
	}
	of.add(reading{x.Time, x.Value})
	if s.cores != nil {
		s.model(x.Time)
	}
}

// model notes what the clusters drained up to a moment.
func (s *surveying) model(moment int64) {
	s.cores.finish(moment)
	for i := range s.modelled {
		s.modelled[i].add(reading{moment, int64(s.drained[i].whole)})
	}
}

// rails makes rails of what was read, of a run with its end at a moment.
func (s *surveying) rails(end int64) *Rails {
	r := &Rails{device: s.device, components: make(map[string]*rail), first: s.first, clocked: s.switches && s.frequencies && !s.sampled}
	for _, of := range s.order {
		of.finish()
	}
	free := s.pick(r)
	if s.cores == nil {
		s.clusters(r, free)
		return r
	}
	s.model(max(end, s.cores.now))
	for i := range s.modelled {
		s.modelled[i].finish()
	}
	s.clusters(r, free)
	s.warn(r)
	return r
}

// pick returns the tracks that count: those of the battery and of meters of the whole device
// only where no others are.
func (s *surveying) pick(r *Rails) []*series {
	var parts, meters, batteries []*series
	for _, of := range s.order {
		switch {
		case len(of.readings) < 2: // one reading says nothing
		case of.Component == battery:
			batteries = append(batteries, of)
		case of.Component == device:
			meters = append(meters, of)
		default:
			parts = append(parts, of)
		}
	}
	var left []*series
	switch {
	case len(parts) > 0:
		left = slices.Concat(meters, batteries)
	case len(meters) > 0:
		left = slices.Concat(meters[1:], batteries)
		r.all = newRail(device, false, meters[:1])
	case len(batteries) > 0:
		left = batteries[1:]
		r.all = newRail(device, false, batteries[:1])
	}
	for _, of := range left {
		r.warnings = append(r.warnings, trace.Warning{
			Code:    "overlapping-meters",
			Message: fmt.Sprintf("%s measured %s, of what others measured, too; it does not count", of.Name, amount(of.energy())),
		})
	}
	return parts
}

// The components of tracks that measure all others.
const (
	battery = "battery"
	device  = "device"
)

// clusters gives each part of the device the tracks that measure it, and keeps the others.
func (s *surveying) clusters(r *Rails, free []*series) {
	take := func(patterns []string) (by []*series) {
		free = slices.DeleteFunc(free, func(of *series) bool {
			ok := matches(patterns, of.Name)
			if ok {
				by = append(by, of)
			}
			return ok
		})
		return by
	}
	if cpu := s.device.CPU; cpu != nil {
		var all []*series
		r.clusters = make([]*rail, len(cpu.Clusters))
		for i := range cpu.Clusters {
			by := take(cpu.Clusters[i].Rails)
			all = append(all, by...)
			if len(by) == 0 || !r.clocked {
				continue
			}
			of := newRail(cpu.Clusters[i].Name, true, by)
			for j := range of.spans {
				at := &of.spans[j]
				at.modelled = uint64(s.modelled[i].drained(at.end) - s.modelled[i].drained(at.begin))
			}
			of.outside.modelled = s.drained[i].whole
			for j := range of.spans {
				of.outside.modelled -= of.spans[j].modelled
			}
			of.settle()
			r.clusters[i] = of
		}
		if len(all) > 0 && !r.clocked {
			r.components[processor] = newRail(processor, false, all)
		}
	} else if by := s.processors(take); len(by) > 0 {
		r.components[processor] = newRail(processor, false, by)
	}
	for i := range s.device.Components {
		c := &s.device.Components[i]
		if by := take(c.Rails); len(by) > 0 {
			r.components[c.Name] = newRail(c.Name, false, by)
		}
	}
	for _, of := range free {
		component := of.Component
		if component == "" {
			component = of.Name
		}
		i := slices.IndexFunc(r.others, func(u Unmodelled) bool { return u.Component == component })
		if i < 0 {
			i = len(r.others)
			r.others = append(r.others, Unmodelled{Component: component})
		}
		r.others[i].Energy += of.energy()
	}
}

// processorRails are what phones call the rails of their processors' clusters.
var processorRails = []string{"*CPUCL*", "*VDD_CPU*", "*cpu.little", "*cpu.mid", "*cpu.big"}

// processors takes the tracks that measure the processor, for a model without operating
// points: there they bound what is charged by processor time.
func (s *surveying) processors(take func([]string) []*series) []*series {
	patterns := slices.Clone(processorRails)
	for _, of := range s.order {
		if of.Component == processor {
			patterns = append(patterns, literal.Replace(of.Name))
		}
	}
	return take(patterns)
}

// literal makes a pattern of a name, which matches that alone.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// warn says what the model of the processor does not tell.
func (s *surveying) warn(r *Rails) {
	warn := func(code, format string, a ...any) {
		r.warnings = append(r.warnings, trace.Warning{Code: code, Message: fmt.Sprintf(format, a...)})
	}
	if !r.clocked {
		return
	}
	if n := s.cores.unknown; n > 0 {
		warn("unmodelled-cores", "%s of cores that the power model %s lacks; what they run is charged to nobody", count(n, "signal is", "signals are"), s.device.Name)
	}
	if s.strange > s.changes/10 {
		warn("other-frequencies", "%d of %d changes are to frequencies that the power model %s lacks, so that the nearest ones stand for them; the model may be of another device",
			s.strange, s.changes, s.device.Name)
	}
	for i := range s.cores.clusters {
		if cl := &s.cores.clusters[i]; s.first[i] == 0 && cl.untold > 0 {
			warn("unknown-frequency", "cluster %s ran for %v, and the recording does not say how fast; that is charged to nobody",
				cl.Name, time.Duration(cl.untold).Round(time.Microsecond))
		}
	}
	for i, of := range r.clusters {
		if of == nil {
			continue
		}
		if of.capped > 0 {
			warn("rail-beyond-model", "in %s, %s measured more than %d times what the model says of cluster %s; the rest is nobody's",
				count(of.capped, "interval", "intervals"), strings.Join(of.tracks, ", "), most, s.device.CPU.Clusters[i].Name)
		}
	}
}
