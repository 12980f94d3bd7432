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

// Rails are what the signals of a recording measured of the parts of a device, and what the
// device's model says of the processor in the same time. They belong to one recording, and
// are for one goroutine at a time.
type Rails struct {
	device *model.Device
	// clusters are the rails of the processor's clusters, nil where nothing measures one.
	// The others are by the names of components.
	clusters   []*rail
	components map[string]*rail
	// all is what feeds all that nothing else measures, nil if nothing does.
	all *rail
	// others are what was measured of parts that nothing is modelled of.
	others []Unmodelled
	// clocked says that the recording has switches and frequencies, and events, first are the frequencies
	// that clusters begin with.
	clocked  bool
	first    []units.Frequency
	warnings []trace.Warning
	// processed is what the processor was charged for in the latest scan.
	processed units.Energy
	// learning is set for the scan in which components are modelled before they are scaled.
	learning bool
}

// Unmodelled is what was measured of a part of the device that nothing is modelled of.
type Unmodelled struct {
	Component string
	Energy    units.Energy
}

// An Agreement says how what is charged of a part of the device agrees with what was
// measured of it.
type Agreement struct {
	// Name is a component, a cluster of the processor, or the device. Tracks measured it.
	Name   string
	Tracks []string
	// Measured lies between the first and the last reading. Modelled is what the model says
	// of the same time. Charged of what was measured is scaled, Rest is nobody's.
	Measured, Modelled, Charged, Rest units.Energy
	// Outside is what is modelled of the time before and behind the readings.
	Outside units.Energy
}

// Agreements returns the agreements of the latest scan: clusters, then components in the
// order of their model, then the device.
func (r *Rails) Agreements() []Agreement {
	var all []Agreement
	for _, of := range r.rails() {
		rest, modelled := of.rest(), of.modelled()
		if of == r.components[processor] || of == r.all {
			// The processor is charged by its time, and not scaled.
			rest, modelled = max(0, rest-r.processed), modelled+r.processed
		}
		all = append(all, Agreement{
			Name: of.name, Tracks: of.tracks, Measured: of.measured(), Modelled: modelled, Charged: of.measured() - rest, Rest: rest, Outside: of.outside.goal,
		})
	}
	return all
}

// Unmodelled returns what was measured of parts that nothing is modelled of.
func (r *Rails) Unmodelled() []Unmodelled { return r.others }

// Accounted is what the accounts of a run have of what was measured, where of says what an
// account has, and what beside it rests on the model alone: of parts that nothing measures,
// and of the time before and behind the readings.
func (r *Rails) Accounted(accounts []trace.Account, of func(trace.AccountID) units.Energy) (measured, alone units.Energy) {
	for i, a := range accounts {
		e := of(trace.AccountID(i))
		byTime := a.Component == processor && r.components[processor] != nil
		if r.all != nil || byTime || a.Provenance == trace.Scaled || a.Provenance == trace.Measured {
			measured += e
		} else {
			alone += e
		}
	}
	for _, rail := range r.rails() {
		measured -= rail.outside.given
		alone += rail.outside.given
	}
	for _, rail := range r.clusters {
		if rail != nil { // what is nobody's of a cluster has the rest of it
			measured -= rail.outside.goal - rail.outside.given
			alone += rail.outside.goal - rail.outside.given
		}
	}
	limit := units.Energy(0)
	for _, rail := range r.rails() {
		limit += rail.measured()
	}
	for _, u := range r.others {
		limit += u.Energy
	}
	// A processor that is charged by its time may drain more than was measured.
	if over := measured - limit; over > 0 {
		measured, alone = limit, alone+over
	}
	return measured, alone
}

// scales says whether anything measures components of the model, or all of them.
func (r *Rails) scales() bool { return r != nil && (len(r.components) > 0 || r.all != nil) }

// learn makes the rails ready for the scan in which components are modelled, and settled for
// the one in which they are scaled.
func (r *Rails) learn(on bool) {
	r.learning = on
	for _, of := range r.rails() {
		of.begin()
		switch {
		case slices.Contains(r.clusters, of): // modelled when the rails were read
		case on:
			of.forget()
		default:
			of.settle()
		}
	}
}

// left is what was measured beyond what is charged, where all that the processor's calls
// drained is so much.
func (r *Rails) left(processed units.Energy) []Unmodelled {
	r.processed = processed
	out := slices.Clone(r.others)
	r.warnings = slices.DeleteFunc(r.warnings, func(w trace.Warning) bool { return w.Code == beyondMeter })
	for _, of := range []*rail{r.components[processor], r.all} {
		if of == nil {
			continue
		}
		rest := of.rest() - processed
		out = append(out, Unmodelled{Component: of.name, Energy: max(0, rest)})
		if rest < 0 {
			r.warnings = append(r.warnings, trace.Warning{Code: beyondMeter, Message: fmt.Sprintf(
				"the processor's %s are %s more than %s measured beside the other parts; the power of its cores is another one's, or the readings do not cover the run",
				amount(processed), amount(-rest), strings.Join(of.tracks, ", "))})
		}
	}
	return out
}

// beyondMeter is the code of the warning that a model says more than was measured.
const beyondMeter = "beyond-the-meter"

// rails lists the rails.
func (r *Rails) rails() []*rail {
	var all []*rail
	for _, of := range r.clusters {
		if of != nil {
			all = append(all, of)
		}
	}
	if of := r.components[processor]; of != nil {
		all = append(all, of)
	}
	for i := range r.device.Components {
		if of := r.components[r.device.Components[i].Name]; of != nil {
			all = append(all, of)
		}
	}
	if r.all != nil {
		all = append(all, r.all)
	}
	return all
}

// processor is the component that threads run on.
const processor = "cpu"

// of returns what measures a component, nil if nothing does. It may be asked of nil.
func (r *Rails) of(component string) *rail {
	if r == nil {
		return nil
	}
	if of := r.components[component]; of != nil {
		return of
	}
	return r.all
}

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
		if s.first[at.cluster] == 0 {
			s.first[at.cluster] = units.Frequency(x.Value)
		}
	}
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
