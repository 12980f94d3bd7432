package perfetto

import (
	"math"

	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
)

// Fields of a bundle of kernel events.
const (
	bundleCore    = 1
	bundleEvent   = 2
	bundleLost    = 3
	bundleCompact = 4
	bundleClock   = 5
	bundleHere    = 6 // a time on the bundle's clock
	bundleThere   = 7 // the same moment on Boottime
)

// Clocks of a bundle. The default is Boottime.
const (
	bundleGlobal  = 2
	bundleLocal   = 3
	bundleMonoRaw = 4
)

// Fields of a kernel event, and the numbers of the events that are read.
const (
	eventTime   = 1
	eventThread = 2

	eventPrint        = 3
	eventSwitch       = 4
	eventFrequency    = 11
	eventIdle         = 13
	eventSuspend      = 113
	eventNewTask      = 235
	eventRename       = 236
	eventSysEnter     = 329
	eventSysExit      = 330
	eventGPUFrequency = 332
	eventWakeOn       = 404
	eventWakeOff      = 405
)

// A bundle has the fields that all kernel events in a packet share.
type bundle struct {
	core    int32
	lost    bool
	clock   uint64
	here    int64
	there   int64
	compact []byte
}

// read reads the fields of a bundle. It skips the events.
func (b *bundle) read(data []byte) error {
	*b = bundle{}
	for m := wire.Message(data); len(m) > 0; {
		number, value, bytes, err := m.Next()
		if err != nil {
			return err
		}
		switch number {
		case bundleCore:
			b.core = int32(min(value, maxCores-1))
		case bundleLost:
			b.lost = value != 0
		case bundleCompact:
			b.compact = bytes
		case bundleClock:
			b.clock = value
		case bundleHere:
			b.here = int64(value)
		case bundleThere:
			b.there = int64(value)
		}
	}
	return nil
}

// maxCores limits the number of cores. Cores beyond the limit count as one core.
const maxCores = 1 << 10

// bundleEvents appends the records of a bundle to out, in time order. The function base converts a
// time of the bundle to the trace's clock.
func (d *decoder) bundleEvents(data []byte, b *bundle, base func(int64) (int64, bool), out *list) error {
	from := len(*out)
	for m := wire.Message(data); len(m) > 0; {
		number, _, bytes, err := m.Next()
		if err != nil {
			return err
		}
		if number == bundleEvent && bytes != nil {
			if err := d.event(bytes, b.core, base, out); err != nil {
				return err
			}
		}
	}
	if b.compact == nil {
		return nil
	}
	d.sorted = d.sorted[:0]
	err := compactSwitches(b.compact, &d.columns, func(at, thread int64, _ []byte, ended bool) {
		if t, ok := base(at); ok {
			d.sorted.add(t, record{kind: kindSwitch, core: b.core, thread: thread, last: ended})
		}
	})
	if err != nil {
		return err
	}
	merge(out, from, d.sorted)
	return nil
}

// merge merges out[from:] and more, which are both in time order.
func merge(out *list, from int, more list) {
	a := len(*out) - 1
	b := len(more) - 1
	*out = append(*out, more...)
	l := *out
	for i := len(l) - 1; b >= 0; i-- {
		if a >= from && l[a].Time > more[b].Time {
			l[i] = l[a]
			a--
		} else {
			l[i] = more[b]
			b--
		}
	}
}

// event appends the record of a kernel event. It ignores kinds of events that are not read.
func (d *decoder) event(data []byte, core int32, base func(int64) (int64, bool), out *list) error {
	var at, thread int64
	for m := wire.Message(data); len(m) > 0; {
		number, value, bytes, err := m.Next()
		if err != nil {
			return err
		}
		switch number {
		case eventTime:
			at = int64(value)
			continue
		case eventThread:
			thread = int64(int32(value))
			continue
		}
		if bytes == nil {
			continue
		}
		r, ok, err := d.payload(number, bytes, core)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if r.kind == kindPrint || r.kind == kindSysEnter || r.kind == kindSysExit {
			r.thread = thread
		}
		if t, ok := base(at); ok {
			out.add(t, r)
		}
	}
	return nil
}

// payload reads the fields of a kernel event. It is called for every event, so it uses no closures,
// which would allocate memory.
func (d *decoder) payload(number int, data []byte, core int32) (record, bool, error) {
	switch number {
	case eventPrint:
		text, err := bytesOf(data, 2)
		return record{kind: kindPrint, text: text}, true, err
	case eventSwitch:
		next, err := numberOf(data, 6)
		if err != nil {
			return record{}, false, err
		}
		state, err := numberOf(data, 4)
		return record{kind: kindSwitch, core: core, thread: int64(int32(next)), last: hasEnded(state)}, true, err
	case eventFrequency:
		a, b, err := pairOf(data)
		return record{kind: kindSignal, index: d.series.core(int32(b), trace.Frequency), value: hertz(a, 1e3)}, true, err
	case eventIdle:
		a, b, err := pairOf(data)
		return record{kind: kindSignal, index: d.series.core(int32(b), trace.Idle), value: idleState(a)}, true, err
	case eventGPUFrequency:
		a, b, err := pairOf(data)
		return record{kind: kindSignal, index: d.series.gpu(a), value: hertz(b, 1e3)}, true, err
	case eventSysEnter:
		number, err := numberOf(data, 1)
		return record{kind: kindSysEnter, value: int64(number), text: data}, true, err
	case eventSysExit:
		number, result, err := pairOf(data)
		return record{kind: kindSysExit, index: int32(number), value: int64(result)}, true, err
	case eventSuspend:
		return d.suspend(data)
	case eventWakeOn, eventWakeOff:
		return d.wakeup(number == eventWakeOn, data)
	}
	return record{}, false, nil
}

// bytesOf returns the bytes in a field of a message, or nil if the field is missing.
func bytesOf(data []byte, field int) ([]byte, error) {
	var found []byte
	for m := wire.Message(data); len(m) > 0; {
		number, _, bytes, err := m.Next()
		if err != nil {
			return nil, err
		}
		if number == field {
			found = bytes
		}
	}
	return found, nil
}

// numberOf returns the number in a field of a message, or 0 if the field is missing.
func numberOf(data []byte, field int) (uint64, error) {
	found := uint64(0)
	for m := wire.Message(data); len(m) > 0; {
		number, value, _, err := m.Next()
		if err != nil {
			return 0, err
		}
		if number == field {
			found = value
		}
	}
	return found, nil
}

// pairOf returns the numbers in fields 1 and 2 of a message.
func pairOf(data []byte) (first, second uint64, err error) {
	if first, err = numberOf(data, 1); err == nil {
		second, err = numberOf(data, 2)
	}
	return first, second, err
}

// idleState converts the kernel's number of an idle state to the value of a trace.Idle signal. The
// kernel's value 2³²−1 means that the core leaves idle.
func idleState(state uint64) int64 {
	if uint32(state) == math.MaxUint32 {
		return -1
	}
	return int64(uint32(state))
}

// hertz returns a frequency in hertz. An implausible frequency becomes the largest one.
func hertz(value, unit uint64) int64 {
	const most = 1 << 60
	return int64(min(value, most/unit) * unit)
}

// suspend reads a suspend_resume event of the kernel. Only the step timekeeping_freeze, which stops
// the clocks, becomes a signal. The other steps are ignored.
func (d *decoder) suspend(data []byte) (record, bool, error) {
	r := record{kind: kindSignal}
	freezes := false
	err := wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			freezes = string(data) == "timekeeping_freeze"
		case 3:
			r.value = int64(min(value, 1))
		}
		return nil
	})
	if freezes {
		r.index = d.series.suspend()
	}
	return r, freezes, err
}

// wakeup reads an event of a kernel wakeup source. The event does not belong to its thread, because
// it may occur in an interrupt of any thread.
func (d *decoder) wakeup(on bool, data []byte) (record, bool, error) {
	r := record{kind: kindOperation, index: componentWakelock, verb: trace.OpRelease, thread: noUID}
	if on {
		r.verb = trace.OpAcquire
	}
	err := wire.Each(data, func(number int, _ uint64, data []byte) error {
		if number == 1 {
			r.text = data
		}
		return nil
	})
	return r, true, err
}

// columns has the context switches of a bundle in their compact form, with one list per field.
type columns struct {
	times, states, threads, names []uint64
	texts                         [][]byte
}

// hasEnded reports whether a thread in this state has ended.
func hasEnded(state uint64) bool {
	const dead, zombie = 0x10, 0x20
	return state&(dead|zombie) != 0
}

// compactSwitches calls f for the context switches in the compact form of a bundle. f receives the
// time, the next thread and its name, and whether the previous thread has ended.
func compactSwitches(data []byte, c *columns, f func(at, thread int64, name []byte, ended bool)) error {
	c.states = c.states[:0]
	c.times, c.threads, c.names, c.texts = c.times[:0], c.threads[:0], c.names[:0], c.texts[:0]
	for m := wire.Message(data); len(m) > 0; {
		number, value, bytes, err := m.Next()
		if err != nil {
			return err
		}
		switch number {
		case 1:
			c.times, err = wire.Numbers(c.times, value, bytes)
		case 2:
			c.states, err = wire.Numbers(c.states, value, bytes)
		case 3:
			c.threads, err = wire.Numbers(c.threads, value, bytes)
		case 5:
			c.texts = append(c.texts, bytes)
		case 6:
			c.names, err = wire.Numbers(c.names, value, bytes)
		}
		if err != nil {
			return err
		}
	}
	if len(c.threads) < len(c.times) {
		return errColumns
	}
	at := int64(0)
	for i, step := range c.times {
		at += int64(step)
		var name []byte
		if i < len(c.names) && c.names[i] < uint64(len(c.texts)) {
			name = c.texts[c.names[i]]
		}
		f(at, int64(int32(c.threads[i])), name, i < len(c.states) && hasEnded(c.states[i]))
	}
	return nil
}
