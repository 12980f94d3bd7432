package perfetto

import (
	"math"
	"strings"

	"github.com/diffprof/diffprof/ingest/wire"
)

// A source is the kind of a sample: its recorder, and what its value means.
type source uint8

// The sources in order of preference. The last two, perfCount and stackCount, are not times.
const (
	noSource source = iota
	perfTime
	stackTime
	stackWall
	perfCount
	stackCount
	sources
)

// sampleValue describes the values of a sequence's samples.
type sampleValue struct {
	source source
	// each is the default value of a sample. unit is the number of nanoseconds per unit of a stated
	// value.
	each, unit int64
	// event is the name of the counted event.
	event string
}

// perf's numbers of its clock events.
const (
	perfCPUClock  = 1
	perfTaskClock = 3
)

// perfDefaults reads perf's sampling frequency or period.
func (s *sequence) perfDefaults(data []byte) error {
	s.perf = sampleValue{source: perfTime}
	var frequency, period uint64
	counter := uint64(perfCPUClock) // This is the default event.
	err := wire.Each(data, func(number int, _ uint64, data []byte) error {
		if number != 1 {
			return nil
		}
		return wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 1:
				period = value
			case 2:
				frequency = value
			case 3, 5:
				counter = 0
			case 4:
				counter = value
			case 10:
				s.perf.event = string(data)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	const second = 1e9
	clocked := counter == perfCPUClock || counter == perfTaskClock
	switch {
	case !clocked && period > 0:
		s.perf.source, s.perf.each = perfCount, int64(min(period, second*second))
	case clocked && period > 0:
		s.perf.each = int64(min(period, second*second))
	case clocked && frequency > 0:
		s.perf.each = int64(max(second/frequency, 1))
	default:
		s.perf.source, s.perf.each = perfCount, 1
	}
	return nil
}

// perfSample reads a sample of perf.
func (s *sequence) perfSample(p *packet, at int64, out *list) error {
	var pid, tid, stack, lost uint64
	skipped := false
	err := wire.Each(p.data, func(number int, value uint64, _ []byte) error {
		switch number {
		case 2:
			pid = value
		case 3:
			tid = value
		case 4:
			stack = value
		case 17:
			lost = value
		case 18, 19:
			skipped = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.d.countOnce(&s.d.faults.lostSamples, int64(min(lost, math.MaxInt32)))
	if lost > 0 || stack == 0 {
		if skipped {
			s.d.countOnce(&s.d.faults.skippedSamples, 1)
		}
		return nil
	}
	w := s.perf
	if w.source == noSource {
		w = sampleValue{source: perfCount, each: 1}
	}
	index, err := s.stackOf(stack)
	s.d.sampleOf(int64(int32(pid)), int64(int32(tid)), w)
	out.add(at, record{kind: kindSample, thread: int64(int32(tid)), value: w.each, index: index, core: int32(w.source)})
	return err
}

// unitNanoseconds means that the values of stack samples are nanoseconds. Values in other units are
// not read as times.
const unitNanoseconds = 1

// stackDefaults reads the description of stack samples' values.
func (s *sequence) stackDefaults(data []byte) error {
	return wire.Each(data, func(number int, _ uint64, data []byte) (err error) {
		if number == 2 {
			s.stack, err = readSampleValue(data)
		}
		return err
	})
}

// readSampleValue reads the descriptor of a stack sample's counter.
func readSampleValue(data []byte) (sampleValue, error) {
	w := sampleValue{source: stackCount, each: 1, unit: 1}
	err := wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 2:
			w.event = string(data)
		case 3:
			if value == unitNanoseconds {
				w.source = stackTime
			}
		case 5:
			w.unit = int64(min(max(value, 1), math.MaxInt32))
		}
		return nil
	})
	if w.source == stackTime && strings.Contains(strings.ToLower(w.event), "wall") {
		w.source = stackWall
	}
	return w, err
}

// A task is the thread of a stack sample.
type task struct{ process, thread int64 }

// read reads a task.
func (t *task) read(data []byte) error {
	return wire.Each(data, func(number int, value uint64, _ []byte) error {
		switch number {
		case 2:
			t.process = int64(int32(value))
		case 3:
			t.thread = int64(int32(value))
		}
		return nil
	})
}

// stackSample reads a sample of the stack sampler. A sample without a thread belongs to the main
// thread of its process.
func (s *sequence) stackSample(p *packet, at int64, out *list) error {
	w, value, known := s.stack, uint64(0), false
	var t task
	stack, seen := int32(noStack), false
	err := wire.Each(p.data, func(number int, v uint64, data []byte) (err error) {
		switch number {
		case 1:
			err = t.read(data)
		case 2:
			t = s.tasks[v]
		case 5:
			seen = true
			stack, err = s.inlineStack(data)
		case 6:
			seen = true
			stack, err = s.stackOf(v)
		case 9:
			w, err = readSampleValue(data)
		case 10:
			w = s.worths[v]
		case 11:
			value, known = v, true
		}
		return err
	})
	if err != nil || !seen {
		return err
	}
	if w.source == noSource {
		w = sampleValue{source: stackCount, each: 1, unit: 1}
	}
	worth := w.each
	if known {
		const most = math.MaxInt64 / 4
		worth = int64(min(value, most/uint64(w.unit))) * w.unit
	}
	if t.thread == 0 {
		t.thread = t.process
	}
	s.d.sampleOf(t.process, t.thread, w)
	out.add(at, record{kind: kindSample, thread: t.thread, value: worth, index: stack, core: int32(w.source)})
	return nil
}
