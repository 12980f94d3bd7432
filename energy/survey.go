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

// ReadRails scans rec for the measured energies of the parts of a device. It also computes what the
// model predicts for the processor from its core frequencies.
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

// surveying is the sink of the scan that finds the rails.
type surveying struct {
	device *model.Device
	tracks []trace.Track
	series map[trace.TrackID]*series
	order  []*series
	cores  *cores
	// switches, frequencies and sampled report what the recording has. first has the initial
	// frequencies.
	switches, frequencies bool
	sampled               bool
	first                 []units.Frequency
	// changes counts changes of frequency. strange counts changes to a frequency that is not in the
	// model.
	changes, unknown int64
	// drained is the modelled energy of each cluster so far. modelled records it at each reading of
	// a meter.
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

// frequency records the initial frequency of a cluster.
func (s *surveying) frequency(x *trace.Signal) {
	if s.cores == nil {
		return
	}
	if at, ok := s.cores.core[s.tracks[x.Track].Core]; ok {
		s.frequencies = true
		s.changes++
		if !hasPoint(&s.device.CPU.Clusters[at.cluster], units.Frequency(x.Value)) {
			s.unknown++
		}
		if s.first[at.cluster] == 0 {
			s.first[at.cluster] = units.Frequency(x.Value)
		}
	}
}

// hasPoint reports whether a cluster has an operating point within one percent of f.
func hasPoint(c *model.Cluster, f units.Frequency) bool {
	return slices.ContainsFunc(c.Points, func(p model.Point) bool { return max(p.Frequency-f, f-p.Frequency) <= f/100 })
}

// reading records a reading of a meter.
func (s *surveying) reading(x *trace.Signal) {
	track := s.series[x.Track]
	if track == nil {
		track = &series{Track: s.tracks[x.Track]}
		s.series[x.Track] = track
		s.order = append(s.order, track)
	}
	track.add(reading{x.Time, x.Value})
	if s.cores != nil {
		s.model(x.Time)
	}
}

// model records the modelled energy of the clusters up to moment.
func (s *surveying) model(moment int64) {
	s.cores.finish(moment)
	for i := range s.modelled {
		s.modelled[i].add(reading{moment, int64(s.drained[i].whole)})
	}
}

// rails returns the power rails that were measured in a run. end is the end of the run.
func (s *surveying) rails(end int64) *Rails {
	r := &Rails{device: s.device, components: make(map[string]*rail), first: s.first, clocked: s.switches && s.frequencies && !s.sampled}
	for _, track := range s.order {
		track.finish()
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

// pick returns the tracks to use. Meters of the whole device, and the battery, count only if there
// are no other meters.
func (s *surveying) pick(r *Rails) []*series {
	var parts, meters, batteries []*series
	for _, track := range s.order {
		switch {
		case len(track.readings) < 2: // A single reading contains no energy.
		case track.Component == battery:
			batteries = append(batteries, track)
		case track.Component == device:
			meters = append(meters, track)
		default:
			parts = append(parts, track)
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
	for _, track := range left {
		r.warnings = append(r.warnings, trace.Warning{
			Code:    "overlapping-meters",
			Message: fmt.Sprintf("%s measured %s, which overlaps with other meters; it does not count", track.Name, amount(track.energy())),
		})
	}
	return parts
}

// These are components of tracks that measure the whole device.
const (
	battery = "battery"
	device  = "device"
)

// clusters assigns tracks to the parts of the device that they measure. Other tracks become
// unmodelled parts.
func (s *surveying) clusters(r *Rails, free []*series) {
	take := func(patterns []string) (by []*series) {
		free = slices.DeleteFunc(free, func(track *series) bool {
			ok := matches(patterns, track.Name)
			if ok {
				by = append(by, track)
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
			rail := newRail(cpu.Clusters[i].Name, true, by)
			for j := range rail.spans {
				at := &rail.spans[j]
				at.modelled = uint64(s.modelled[i].drained(at.end) - s.modelled[i].drained(at.begin))
			}
			rail.outside.modelled = s.drained[i].whole
			for j := range rail.spans {
				rail.outside.modelled -= rail.spans[j].modelled
			}
			rail.settle()
			r.clusters[i] = rail
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
	for _, track := range free {
		component := track.Component
		if component == "" {
			component = track.Name
		}
		i := slices.IndexFunc(r.others, func(u Unmodelled) bool { return u.Component == component })
		if i < 0 {
			i = len(r.others)
			r.others = append(r.others, Unmodelled{Component: component})
		}
		r.others[i].Energy += track.energy()
	}
}

// processorRails are the names that phones use for the rails of processor clusters.
var processorRails = []string{"*CPUCL*", "*VDD_CPU*", "*cpu.little", "*cpu.mid", "*cpu.big"}

// processors returns the tracks that measure the processor if the model has no operating points.
// Their energy is an upper bound for the processor energy that is charged.
func (s *surveying) processors(take func([]string) []*series) []*series {
	patterns := slices.Clone(processorRails)
	for _, track := range s.order {
		if track.Component == processor {
			patterns = append(patterns, escapePattern.Replace(track.Name))
		}
	}
	return take(patterns)
}

// escapePattern escapes a name, so that the pattern matches only that name.
var escapePattern = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// warn adds warnings about the limits of the processor model.
func (s *surveying) warn(r *Rails) {
	warn := func(code, format string, a ...any) {
		r.warnings = append(r.warnings, trace.Warning{Code: code, Message: fmt.Sprintf(format, a...)})
	}
	if !r.clocked {
		return
	}
	if n := s.cores.unknown; n > 0 {
		warn("unmodelled-cores", "%s from cores that the power model %s lacks; the energy of these cores is unattributed", count(n, "signal is", "signals are"), s.device.Name)
	}
	if s.unknown > s.changes/10 {
		warn("other-frequencies", "%d of %d changes are to frequencies that the power model %s lacks, so the nearest ones are used; the model may be for another device",
			s.unknown, s.changes, s.device.Name)
	}
	for i := range s.cores.clusters {
		if cl := &s.cores.clusters[i]; s.first[i] == 0 && cl.unknownTime > 0 {
			warn("unknown-frequency", "cluster %s ran for %v at an unknown frequency; that energy is unattributed",
				cl.Name, time.Duration(cl.unknownTime).Round(time.Microsecond))
		}
	}
	for i, rail := range r.clusters {
		if rail == nil {
			continue
		}
		if rail.capped > 0 {
			warn("rail-beyond-model", "in %s, %s measured more than %d times the modelled energy of cluster %s; the excess is unattributed",
				count(rail.capped, "interval", "intervals"), strings.Join(rail.tracks, ", "), maxScale, s.device.CPU.Clusters[i].Name)
		}
	}
}
