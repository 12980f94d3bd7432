package metered

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A run is one run through a path.
type run struct {
	path        int32
	enter, exit int64
}

// Data has the paths of a run and the readings of its meter.
type Data struct {
	methods []name.Method
	paths   []trace.Path
	runs    []run
	// called has the kinds of the last paths. These paths represent calls, not code.
	called []kind
	cost   trace.PathCost
	// bursts are times in which the recorder itself kept the device busy.
	bursts []trace.Burst
	meter  meter
	// Tracks are the names of the tracks (measured signals, such as the processor's power rail)
	// whose energy is divided by line. Undivided has the other tracks.
	Tracks    []string
	Undivided []UndividedPart
	// begin and end bound the window. This is the time in which both the paths and the energy are
	// known.
	begin, end int64
	elapsed    int64
}

// An UndividedPart is the energy of a part of the device that is not divided by line.
type UndividedPart struct {
	Name   string
	Energy units.Energy
}

// ErrNoMeter is the error for a run without measured energy.
var ErrNoMeter = errors.New("the run has no measured energy")

// maxRuns bounds the number of runs through paths, and so their memory.
const maxRuns = 1 << 26

// Read reads the paths of a recording, and the measured energy of signals. source returns the
// method and the line in the source. It may be nil. Read returns ErrNoMeter if no signal is a
// measured energy.
func Read(ctx context.Context, paths, signals trace.Recording, source func(m name.Method, line int32) (name.Method, int)) (*Data, error) {
	s := &signalReader{}
	tr, err := signals.Scan(ctx, s)
	if err != nil {
		return nil, err
	}
	d := new(Data)
	if err := d.choose(s, tr); err != nil {
		return nil, err
	}
	p := &pathReader{}
	if tr, err = paths.Scan(ctx, p); err != nil {
		return nil, err
	}
	d.methods, d.paths, d.runs, d.cost, d.elapsed = slices.Clone(tr.Methods), p.paths, p.runs, p.cost, int64(tr.Elapsed)
	d.bursts = slices.Clone(tr.Bursts)
	for _, at := range d.runs {
		if int(at.path) >= len(d.paths) {
			return nil, fmt.Errorf("a time belongs to path %d, but the recording has only %d", at.path, len(d.paths))
		}
	}
	if len(d.runs) == 0 {
		return nil, errors.New("the recording has no times of paths: record with diffprof instrument --paths")
	}
	if source != nil {
		d.translate(source)
	}
	if err := d.addCalls(p.calls); err != nil {
		return nil, err
	}
	d.setWindow()
	if d.end <= d.begin {
		return nil, errors.New("the meter and the paths have no time in common: check --align, and the time zone of the meter")
	}
	return d, nil
}

// A kind is what a path represents: code, a call or a wait.
type kind uint8

const (
	ofCode kind = iota
	ofCall      // a call of a method whose energy is measured separately, because it does not depend on the lines of the caller
	ofWait      // a call in which the thread only waits
)

// kind returns the kind of a path.
func (d *Data) kind(path int32) kind {
	if i := int(path) - len(d.paths) + len(d.called); i >= 0 {
		return d.called[i]
	}
	return ofCode
}

// addCalls adds a run for each call. It lies inside the run of the path that made the call (vLens,
// Section 3.2.1). The time
// and the energy of a call then do not count for its caller. All calls of a method by a thread are
// one path without lines.
func (d *Data) addCalls(all []trace.Invocation) error {
	type callee struct {
		thread trace.ThreadID
		method trace.MethodID
		kind   kind
	}
	paths := make(map[callee]int32)
	for _, c := range all {
		switch {
		case c.Exit < c.Enter:
			return fmt.Errorf("a call ends at %s, before it begins at %s", units.FormatTime(c.Exit), units.FormatTime(c.Enter))
		case int(c.Method) >= len(d.methods):
			return fmt.Errorf("a call at %s refers to unknown method %d", units.FormatTime(c.Enter), c.Method)
		}
		key := callee{c.Thread, c.Method, ofCall}
		if c.Waits {
			key.kind = ofWait
		}
		p, known := paths[key]
		if !known {
			p = int32(len(d.paths))
			paths[key] = p
			d.paths = append(d.paths, trace.Path{Thread: c.Thread, Method: c.Method, End: trace.PathOther})
			d.called = append(d.called, key.kind)
		}
		d.runs = append(d.runs, run{p, c.Enter, c.Exit})
	}
	return nil
}

// setWindow sets the window. If the recorder had no room for all times, the window ends with the
// last recorded time.
func (d *Data) setWindow() {
	first, last := int64(1<<63-1), int64(0)
	for _, r := range d.runs {
		first, last = min(first, r.enter), max(last, r.exit)
	}
	d.begin, d.end = max(d.meter[0].time, min(0, first)), max(d.elapsed, last)
	if d.cost.Dropped > 0 {
		d.end = last
	}
	d.end = min(d.end, d.meter[len(d.meter)-1].time)
}

// translate replaces methods and lines by the methods and lines of the source. A line of inlined
// code gets the inlined method, so the lines of a path may belong to several methods.
func (d *Data) translate(source func(m name.Method, line int32) (name.Method, int)) {
	ids := make(map[name.Method]trace.MethodID)
	for i, m := range d.methods {
		ids[m] = trace.MethodID(i)
	}
	for i := range d.paths {
		p := &d.paths[i]
		method := d.methods[p.Method]
		for k, line := range p.Lines {
			m, n := source(method, line)
			p.Lines[k] = int32(max(n, 0))
			if k == 0 {
				id, known := ids[m]
				if !known {
					id = trace.MethodID(len(d.methods))
					ids[m] = id
					d.methods = append(d.methods, m)
				}
				p.Method = id
			} else if m != d.methods[p.Method] {
				p.Lines = p.Lines[:0] // The path has lines of several methods.
				break
			}
		}
	}
}

// choose chooses the tracks to divide: the tracks of the processor, or else of the device, or else
// of the battery.
func (d *Data) choose(s *signalReader, tr *trace.Trace) error {
	var parts [3][]int
	for i, t := range s.tracks {
		if len(s.readings[i]) == 0 {
			continue
		}
		switch {
		case isProcessor(&t):
			parts[0] = append(parts[0], i)
		case t.Component == "device":
			parts[1] = append(parts[1], i)
		case t.Component == "battery":
			parts[2] = append(parts[2], i)
		default:
			d.Undivided = append(d.Undivided, UndividedPart{t.Name, s.used(i)})
		}
	}
	chosen := slices.IndexFunc(parts[:], func(list []int) bool { return len(list) > 0 })
	if chosen < 0 {
		if len(d.Undivided) > 0 {
			return errors.New("the run has rails of other parts of the device, and none of the processor: lines need the processor's rails, a meter or the battery")
		}
		return ErrNoMeter
	}
	if chosen > 0 && len(parts[chosen]) > 1 {
		var names []string
		for _, i := range parts[chosen] {
			names = append(names, s.tracks[i].Name)
		}
		return fmt.Errorf("%d meters measure the same device (%s): give one of them, so that no energy counts twice", len(names), strings.Join(names, ", "))
	}
	for _, list := range parts[chosen+1:] {
		for _, i := range list {
			d.Undivided = append(d.Undivided, UndividedPart{s.tracks[i].Name, s.used(i)})
		}
	}
	var all []meter
	for _, i := range parts[chosen] {
		m, err := newMeter(s.readings[i])
		if errors.Is(err, errStill) && len(parts[chosen]) > 1 {
			continue // The readings do not rise, because this part of the processor slept.
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.tracks[i].Name, err)
		}
		all = append(all, m)
		d.Tracks = append(d.Tracks, s.tracks[i].Name)
	}
	if len(all) == 0 {
		return errStill
	}
	slices.SortFunc(d.Undivided, func(a, b UndividedPart) int {
		return cmp.Or(cmp.Compare(b.Energy, a.Energy), cmp.Compare(a.Name, b.Name))
	})
	var err error
	d.meter, err = sum(all)
	return err
}

// isProcessor reports whether a track measures the processor.
func isProcessor(t *trace.Track) bool {
	return strings.HasPrefix(strings.ToLower(t.Component), "cpu") || strings.Contains(strings.ToUpper(t.Name), "_CPU")
}

// A signalReader stores the readings of energy counters.
type signalReader struct {
	tracks   []trace.Track
	readings [][]reading
}

func (s *signalReader) Events([]trace.Event) error         { return nil }
func (s *signalReader) Samples([]trace.Sample) error       { return nil }
func (s *signalReader) TakeSignals() trace.SignalSink      { return s }
func (s *signalReader) Operations([]trace.Operation) error { return nil }
func (s *signalReader) Until(int64) error                  { return nil }

// Track implements trace.SignalSink.
func (s *signalReader) Track(t trace.Track) error {
	s.tracks, s.readings = append(s.tracks, t), append(s.readings, nil)
	return nil
}

// Signals implements trace.SignalSink.
func (s *signalReader) Signals(batch []trace.Signal) error {
	for _, at := range batch {
		if at.Kind == trace.Drain {
			s.readings[at.Track] = append(s.readings[at.Track], reading{at.Time, at.Value})
		}
	}
	return nil
}

// used returns the energy between the first and the last reading of a track.
func (s *signalReader) used(i int) units.Energy {
	list := s.readings[i]
	return units.Energy(list[len(list)-1].value - list[0].value)
}

// A pathReader keeps paths and their times.
type pathReader struct {
	paths []trace.Path
	runs  []run
	calls []trace.Invocation
	cost  trace.PathCost
}

func (p *pathReader) Events([]trace.Event) error   { return nil }
func (p *pathReader) Samples([]trace.Sample) error { return nil }
func (p *pathReader) TakePaths() trace.PathSink    { return p }

// Paths implements trace.PathSink.
func (p *pathReader) Paths(batch []trace.Path) error {
	for _, at := range batch {
		at.Lines, at.Opcodes = slices.Clone(at.Lines), slices.Clone(at.Opcodes)
		p.paths = append(p.paths, at)
	}
	return nil
}

// PathTimes implements trace.PathSink.
func (p *pathReader) PathTimes(batch []trace.PathTime) error {
	if len(p.runs)+len(batch) > maxRuns {
		return fmt.Errorf("the recording has more than %d times of paths", maxRuns)
	}
	for _, at := range batch {
		if at.Exit < at.Enter || at.Path < 0 {
			return fmt.Errorf("a path ends at %s, before its begin at %s", units.FormatTime(at.Exit), units.FormatTime(at.Enter))
		}
		p.runs = append(p.runs, run{int32(at.Path), at.Enter, at.Exit})
	}
	return nil
}

// Invocations implements trace.PathSink.
func (p *pathReader) Invocations(batch []trace.Invocation) error {
	if len(p.calls)+len(batch) > maxRuns {
		return fmt.Errorf("the recording has more than %d times of calls", maxRuns)
	}
	p.calls = append(p.calls, batch...)
	return nil
}

// PathCost implements trace.PathSink.
func (p *pathReader) PathCost(cost trace.PathCost) error {
	p.cost = cost
	return nil
}
