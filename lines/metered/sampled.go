package metered

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Charged is a recording whose samples share the energy that a meter measured.
//
// The energy is divided in three steps:
//
//  1. A period is the time between two readings of the meter. The energies of periods, and the sampled times in them, determine the power of the idle device and the additional power while code runs.
//  2. The errors of sampled times make the additional power too small and the idle power too large. Both are corrected by the reliability of the sampled times (Fuller, Measurement Error Models, 1987, Section 1.1), which follows from the distances between samples.
//  3. The samples of a period get its energy beyond the idle device, in proportion to their times. The energy of a line thus follows the power at the moments at which the line was sampled (the estimator of Horvitz and Thompson, 1952, with equal probabilities).
type Charged struct {
	samples, signals trace.Recording
	// Result is the result of the last scan, without rows. It is nil for a recording without
	// measured energy or without samples, and for a recording of calls. If Result.Reason is set,
	// the samples keep their earlier energy. Otherwise the energies of the samples, Idle and Rest
	// add up to Metered.
	Result *Result
	// Deviation is the relative standard deviation of the energy of all samples together. It is due
	// to the error of the idle device's power.
	Deviation float64
}

// Charge returns a recording of samples with the measured energy of signals. The time of a sample
// is its processor time. If the recording has no processor times, the time is proportional to the
// energy that the sample already has.
func Charge(samples, signals trace.Recording) *Charged {
	return &Charged{samples: samples, signals: signals}
}

// Scan implements trace.Recording.
func (c *Charged) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	c.Result, c.Deviation = nil, 0
	energies, err := c.divide(ctx)
	if err != nil {
		return nil, err
	}
	if energies == nil {
		return c.samples.Scan(ctx, sink)
	}
	to := &charging{Sink: sink, energies: energies}
	tr, err := c.samples.Scan(ctx, to)
	if err != nil {
		return nil, err
	}
	out := *tr
	out.Energy = trace.Fitted
	if len(out.Accounts) > 0 {
		out.Accounts = []trace.Account{{Component: out.Accounts[0].Component, Provenance: trace.Fitted}}
	}
	return &out, nil
}

// divide returns the energies of the samples in the order of the recording. It returns nil if the
// samples keep their energies.
func (c *Charged) divide(ctx context.Context) ([]units.Energy, error) {
	signals := &signalReader{}
	tr, err := c.signals.Scan(ctx, signals)
	if err != nil {
		return nil, err
	}
	d := new(Data)
	chosen := d.choose(signals, tr)
	if errors.Is(chosen, ErrNoMeter) {
		return nil, nil
	}
	samples := &sampleReader{ids: make(map[place]int32)}
	if tr, err = c.samples.Scan(ctx, samples); err != nil {
		return nil, err
	}
	if samples.events || tr.Paths || len(samples.all) == 0 {
		return nil, nil
	}
	d.elapsed = int64(tr.Elapsed)
	c.Result = &Result{Tracks: d.Tracks, Undivided: d.Undivided, Elapsed: d.elapsed, Scaled: 1}
	switch {
	case samples.first == samples.latest:
		c.Result.Reason = "untimed"
	case chosen != nil:
		c.Result.Reason = chosen.Error()
	}
	if c.Result.Reason != "" {
		return nil, nil
	}
	d.begin, d.end = max(d.meter[0].time, 0), min(d.meter[len(d.meter)-1].time, max(d.elapsed, samples.latest))
	if d.end <= d.begin || samples.latest < d.begin || samples.first > d.end {
		c.Result.Reason = "the meter and the samples have no time in common: check --align, and the time zone of the meter"
		return nil, nil
	}
	samples.scale()
	return c.share(d, samples), nil
}

// A sampled is a sample with its time, its weight and the place of its innermost frame.
type sampled struct {
	time          int64
	weight        float64 // in ns, after scale
	place, thread int32
}

// A sampleReader stores the samples of a recording.
type sampleReader struct {
	all    []sampled
	places []place
	ids    map[place]int32
	// events is set if the recording has calls. clocked is set if it has processor times.
	events, clocked bool
	first, latest   int64
	// wall is the elapsed time of the samples with energy.
	wall int64
}

// Events implements trace.Sink.
func (s *sampleReader) Events(batch []trace.Event) error {
	for i := range batch {
		s.events = s.events || batch[i].Kind == trace.Enter
	}
	return nil
}

// Samples implements trace.Sink.
func (s *sampleReader) Samples(batch []trace.Sample) error {
	if len(s.all)+len(batch) > maxRuns {
		return fmt.Errorf("the recording has more than %d samples: a shorter part of it can be divided by a meter", maxRuns)
	}
	for i := range batch {
		at := &batch[i]
		if at.CPU > 0 && !s.clocked {
			s.clocked = true
			for k := range s.all {
				s.all[k].weight = 0 // The earlier samples have no processor time.
			}
		}
		one := sampled{time: at.Time, weight: float64(at.Energy), thread: int32(at.Thread)}
		if s.clocked {
			one.weight = float64(at.CPU)
		}
		if at.Energy > 0 {
			s.wall += at.Wall
		}
		if at.Account != 0 || len(at.Stack) == 0 {
			one.weight = 0
		} else {
			own := place{method: at.Stack[len(at.Stack)-1]}
			if len(at.Lines) == len(at.Stack) {
				own.line = at.Lines[len(at.Lines)-1]
			}
			id, known := s.ids[own]
			if !known {
				id = int32(len(s.places))
				s.ids[own] = id
				s.places = append(s.places, own)
			}
			one.place = id
		}
		if len(s.all) == 0 {
			s.first = at.Time
		}
		s.first, s.latest = min(s.first, at.Time), max(s.latest, at.Time)
		s.all = append(s.all, one)
	}
	return nil
}

// scale converts the weights to times. Before, the weights of samples without processor times are
// energies.
func (s *sampleReader) scale() {
	sum := 0.0
	for i := range s.all {
		sum += s.all[i].weight
	}
	if s.clocked || s.wall == 0 || sum == 0 {
		return
	}
	for i := range s.all {
		s.all[i].weight *= float64(s.wall) / sum
	}
}

// A rhythm describes when a recorder takes samples.
type rhythm struct {
	// distance is the median time between successive samples of a thread.
	distance int64
	// jitter is the relative standard deviation of these distances. It is 0 for a clock and 1 for
	// random moments.
	jitter float64
	// gaps reports, for each sample, whether the thread did not run before it.
	gaps []bool
	// each is the mean time of a sample.
	each float64
}

// rhythm computes the rhythm of the recorder from the samples.
func (s *sampleReader) rhythm() *rhythm {
	r := &rhythm{gaps: make([]bool, len(s.all))}
	latest := make(map[int32]int64)
	var distances []int64
	away := make([]int64, len(s.all))
	for i := range s.all {
		at := &s.all[i]
		before, known := latest[at.thread]
		if latest[at.thread] = at.time; known && at.time > before {
			away[i] = at.time - before
			distances = append(distances, away[i])
		}
		r.each += at.weight / float64(len(s.all))
	}
	slices.Sort(distances)
	n := len(distances)
	if r.distance = 1; n > 0 {
		r.distance = distances[n/2]
		// The lower quartile is used, because threads that sleep make the upper half of the
		// distances long.
		const exponential = 0.5849625 // (median - lower quartile) / median of an exponential distribution
		r.jitter = math.Min(float64(r.distance-distances[n/4])/float64(r.distance)/exponential, 1)
	}
	for i, d := range away {
		r.gaps[i] = d == 0 || 2*d > 3*r.distance
	}
	return r
}

const (
	// For estimates of powers, periods have at least the length of baseSamples distances between
	// samples. If there are then too few periods, they have at least the length of minBaseSamples
	// distances.
	baseSamples, minBaseSamples = 50, 20
	// minBasePeriods is the smallest number of periods with which baseSamples is used.
	minBasePeriods = 100
	// For dividing the energy, periods have at least the length of shareSamples distances between
	// samples.
	shareSamples = 10
	// minReliable is the smallest reliability of sampled times with which powers are estimated.
	minReliable = 0.5
)

// share divides the energy among the samples. It returns nil, and sets Result.Reason, if this is
// impossible.
func (c *Charged) share(d *Data, samples *sampleReader) []units.Energy {
	rhythm := samples.rhythm()
	s := d.sampledSheet(samples, rhythm, baseSamples*rhythm.distance)
	if len(s.periods) < minBasePeriods {
		s = d.sampledSheet(samples, rhythm, minBaseSamples*rhythm.distance)
	}
	r := d.newResult(s.periods)
	c.Result, r.Period = r, int64(s.usual)
	b := s.prepare(r)
	if b == nil {
		return nil
	}
	if !b.works() {
		r.Reason = errNoPower.Error()
		return nil
	}
	reliable := 1.0
	if b.idleKnown {
		if reliable = s.reliability(); reliable < minReliable {
			r.Reason = "sparse"
			return nil
		}
		s.correct(b, reliable)
	}
	c.Deviation = math.Hypot(b.deviation, (1-reliable)/2)
	r.Method, r.Powers, r.IdleKnown = "samples", s.powers, b.idleKnown
	r.IdlePower, r.BusyPower = int64(b.idle*1e6+0.5), int64(b.busy*1e6+0.5)
	fine := d.sampledSheet(samples, rhythm, shareSamples*rhythm.distance)
	fine.powers = s.powers
	fine.markLost(b)
	// The sampled time of a period may be wrong by the time of one sample.
	noise := *b
	noise.noise = math.Hypot(b.noise*math.Sqrt(ratio(fine.usual, s.usual)), b.busy*rhythm.each)
	power, _ := fine.shares(&noise, joined)
	energies := make([]units.Energy, len(samples.all))
	for i := range samples.all {
		if k := fine.at(samples.all[i].time); k >= 0 && !fine.periods[k].lost {
			energies[i] = whole(math.Max(power[k], 0) * samples.all[i].weight)
			r.Lined += energies[i]
		}
	}
	for i := range fine.periods {
		if p := &fine.periods[i]; !p.lost {
			r.Idle += whole(math.Min(b.idle*p.length(), p.energy))
		}
	}
	if sum := r.Lined + r.Idle; sum > r.Metered {
		r.Scaled = float64(r.Metered) / float64(sum)
		r.Lined = 0
		for i := range energies {
			energies[i] = units.Energy(units.MulDiv(int64(energies[i]), int64(r.Metered), int64(sum)))
			r.Lined += energies[i]
		}
		r.Idle = units.Energy(units.MulDiv(int64(r.Idle), int64(r.Metered), int64(sum)))
	}
	r.Rest = r.Metered - r.Lined - r.Idle
	return energies
}

// at returns the index of the period that contains a moment, or -1.
func (s *sheet) at(moment int64) int {
	i, found := slices.BinarySearchFunc(s.periods, moment, func(p period, t int64) int {
		switch {
		case p.end <= t:
			return -1
		case p.begin > t:
			return 1
		}
		return 0
	})
	if !found {
		return -1
	}
	return i
}

// sampledSheet divides the window into periods of at least the length least, in ns. The sheet has
// one run per line and period.
func (d *Data) sampledSheet(samples *sampleReader, rhythm *rhythm, least int64) *sheet {
	s := &sheet{Data: &Data{methods: d.methods, meter: d.meter, begin: d.begin, end: d.end}, powers: minPowers, lines: samples.places}
	s.periods = d.longPeriods(least)
	s.usual = usualLength(s.periods)
	times := s.sampledTimes(samples, rhythm)
	s.paths, s.uses = make([]trace.Path, len(samples.places)), make([][]use, len(samples.places))
	for l := range samples.places {
		s.uses[l] = []use{{line: int32(l), entries: 1, opcodes: []opcode{{0, 1}}}}
	}
	total := 0.0
	for k := range s.periods {
		p := &s.periods[k]
		s.time.at, s.time.busy = append(s.time.at, p.begin), append(s.time.busy, total)
		total += p.busy
		for _, l := range slices.Sorted(maps.Keys(times[k])) {
			s.parts = append(s.parts, part{int32(len(s.runs)), int32(k), times[k][l].all})
			s.runs = append(s.runs, run{path: l})
			s.halves = append(s.halves, times[k][l].half)
		}
	}
	s.time.at, s.time.busy = append(s.time.at, d.end), append(s.time.busy, total)
	s.first = make([]int32, len(s.runs)+1)
	for i := range s.first {
		s.first[i] = int32(i)
	}
	return s
}

// longPeriods divides the window into periods of at least the length least. A period is the time
// from a reading to a later reading.
func (d *Data) longPeriods(least int64) (periods []period) {
	last := d.begin
	add := func(end int64) {
		periods = append(periods, period{begin: last, end: end, energy: float64(d.meter.energy(last, end))})
		last = end
	}
	for _, m := range d.meter {
		if m.time-last >= least && d.end-m.time >= least {
			add(m.time)
		}
	}
	if last < d.end {
		add(d.end)
	}
	return periods
}

// A sampledTime is the time of a line in a period: by all samples, and by every second sample.
type sampledTime struct{ all, half float64 }

// sampledTimes adds up the samples of each period. It returns the times of lines by period. It also
// sets the busy times of periods, and doubts.
func (s *sheet) sampledTimes(samples *sampleReader, rhythm *rhythm) []map[int32]sampledTime {
	s.doubts = make([]float64, len(s.periods))
	times := make([]map[int32]sampledTime, len(s.periods))
	gaps, counts := make([]float64, len(s.periods)), make([]float64, len(s.periods))
	for i := range samples.all {
		one := &samples.all[i]
		k := s.at(one.time)
		if k < 0 || one.weight == 0 {
			continue
		}
		s.periods[k].busy += one.weight
		s.doubts[k] += rhythm.jitter * rhythm.jitter * rhythm.each * rhythm.each
		if rhythm.gaps[i] {
			gaps[k]++
		}
		counts[k]++
		if times[k] == nil {
			times[k] = make(map[int32]sampledTime)
		}
		t := times[k][one.place]
		t.all += one.weight
		if i%2 == 0 {
			t.half += one.weight
		}
		times[k][one.place] = t
	}
	for k, n := range gaps {
		if n > 0 {
			// The sampled time of long work may be wrong at its two ends, which are between
			// samples. Short work may have no sample at all.
			s.doubts[k] += n * rhythm.each * rhythm.each * (1 + 5*n*n/(counts[k]*counts[k])) / 6
		}
	}
	return times
}

// reliability returns the reliability of the periods' sampled times, from 0 to 1: the part of their
// variance that is not an error of sampling.
func (s *sheet) reliability() float64 {
	n, sum := 0.0, 0.0
	for i := range s.periods {
		if p := &s.periods[i]; !p.lost {
			n, sum = n+1, sum+p.busy/p.length()
		}
	}
	all, off := 0.0, 0.0
	for i := range s.periods {
		if p := &s.periods[i]; !p.lost {
			x := p.busy/p.length() - sum/n
			all, off = all+x*x, off+s.doubts[i]/p.length()/p.length()
		}
	}
	return math.Max(1-ratio(off, all), 0)
}

// correct corrects the two powers for the errors of sampled times. It does not change the mean
// energy.
func (s *sheet) correct(b *base, reliable float64) {
	length, busy := 0.0, 0.0
	for i := range s.periods {
		if p := &s.periods[i]; !p.lost {
			length, busy = length+p.length(), busy+p.busy
		}
	}
	more := b.busy/reliable - b.busy
	more = math.Min(more, ratio(b.idle*length, busy)) // The idle power must not become negative.
	b.busy, b.idle = b.busy+more, b.idle-ratio(more*busy, length)
}

// A charging is a sink that sets the energies of samples and passes the samples on.
type charging struct {
	trace.Sink
	energies []units.Energy
	next     int
}

// Start implements trace.StartSink.
func (c *charging) Start(clock trace.Clock, _ trace.Provenance) {
	trace.Start(c.Sink, clock, trace.Fitted)
}

// Events implements trace.Sink. It removes the energy of component events.
func (c *charging) Events(batch []trace.Event) error {
	for i := range batch {
		batch[i].Energy = 0
	}
	return c.Sink.Events(batch)
}

// Samples implements trace.Sink.
func (c *charging) Samples(batch []trace.Sample) error {
	for i := range batch {
		batch[i].Energy, batch[i].Account = c.energies[c.next], 0
		c.next++
	}
	return c.Sink.Samples(batch)
}
