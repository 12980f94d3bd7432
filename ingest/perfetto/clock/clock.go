// Package clock converts the clock readings in a Perfetto trace to one timeline.
//
// A packet states its time by a clock of the machine, or by a clock that its sequence of packets
// defines. A snapshot states the readings of several clocks at one moment. A time is converted with
// the last snapshot before it. If that snapshot does not have the trace's clock, several snapshots
// are combined. Clocks drift apart, and monotonic clocks stop while the device sleeps.
//
// A conversion uses only snapshots that precede the packet in the file. It therefore gives the same
// result in both passes.
package clock

import (
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/diffprof/diffprof/ingest/wire"
)

// These are clocks of the machine, with their numbers in traces.
const (
	Realtime     = 1
	Monotonic    = 3
	MonotonicRaw = 5
	Boottime     = 6
)

// Clocks that sequences define have numbers from firstOwn to lastOwn.
const (
	firstOwn = 64
	lastOwn  = 127
)

// These are the bounds of the stored snapshots, and of one snapshot.
const (
	maxReadings = 4 << 20
	maxClocks   = 64
	// maxHops bounds the number of snapshots that a conversion combines.
	maxHops = 4
)

var errReadings = errors.New("the trace has more than four million readings of clocks")

// A key is the number of a clock, and the sequence of packets that defines the clock. The sequence
// is 0 for clocks of the machine.
type key struct{ number, sequence uint32 }

// A Clock is a clock of the trace.
type Clock struct {
	// Unit is the length of a tick in nanoseconds.
	Unit int64
	// Incremental is set if packets state the time since the previous packet.
	Incremental bool

	key   key
	links []*link
	by    map[*Clock]*link
	// seen is the number of the latest search that reached the clock. It reached the clock through
	// a snapshot of from.
	seen int
	from *link
}

// Number returns the number of the clock in the trace.
func (c *Clock) Number() uint32 { return c.key.number }

// A link has the snapshots that two clocks have in common.
type link struct {
	from, to *Clock
	// read is the number of the table's snapshots that are already in pairs.
	read  int
	pairs []pair
	// first is the offset of the first such snapshot in the file.
	first int64
}

// A pair has the readings of two clocks at one moment. It is from the snapshot at offset at of the
// file. Pairs are sorted by at and from.
type pair struct{ at, from, to int64 }

// A snapshot is the readings of clocks at one moment.
type snapshot struct {
	at       int64
	readings []reading
}

type reading struct {
	clock *Clock
	value int64
}

// A Table has the snapshots of a trace. The zero Table has no snapshots, and its times are
// Boottime. It must not be used concurrently.
type Table struct {
	clocks    map[key]*Clock
	snapshots []snapshot
	readings  int
	// told is the trace's clock. It is nil for Boottime. primary is the number of the trace's
	// clock.
	told    *Clock
	primary uint32
	// Backwards counts the readings that are less than an earlier reading of the same clock. Such
	// readings are ignored.
	Backwards int
	searches  int
	queue     []*Clock
}

// Clock returns a clock by its number and the sequence of the packet that uses it.
func (t *Table) Clock(number, sequence uint32) *Clock {
	k := key{number: number}
	if number >= firstOwn && number <= lastOwn {
		k.sequence = sequence
	}
	c := t.clocks[k]
	if c == nil {
		if t.clocks == nil {
			t.clocks = make(map[key]*Clock)
		}
		c = &Clock{Unit: 1, key: k, by: make(map[*Clock]*link)}
		t.clocks[k] = c
	}
	return c
}

// Primary returns the trace's clock.
func (t *Table) Primary() *Clock {
	if t.told == nil {
		t.told = t.Clock(Boottime, 0)
	}
	return t.told
}

// Tell sets the trace's clock to a clock of the machine. The first snapshot that names such a clock
// also sets it.
func (t *Table) Tell(number uint32) {
	t.primary, t.told = number, t.Clock(number, 0)
}

// Add adds the snapshot in a packet. at is the offset of the packet in the file. sequence is its
// sequence. Snapshots must be added in the order of the file.
func (t *Table) Add(at int64, sequence uint32, data []byte) error {
	s := snapshot{at: at}
	err := wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			c, value, err := t.read(sequence, data)
			if err != nil || len(s.readings) == maxClocks {
				return err
			}
			s.readings = append(s.readings, reading{c, value})
		case 2:
			if t.primary == 0 && value > 0 && value < firstOwn {
				t.Tell(uint32(value))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if t.readings += len(s.readings); t.readings > maxReadings {
		return errReadings
	}
	t.snapshots = append(t.snapshots, s)
	if n := len(t.snapshots); n > 1 && slices.EqualFunc(s.readings, t.snapshots[n-2].readings, func(a, b reading) bool { return a.clock == b.clock }) {
		return nil // The clocks are usually the same as in the previous snapshot.
	}
	for _, a := range s.readings {
		for _, b := range s.readings {
			if a.clock != b.clock && a.clock.by[b.clock] == nil {
				l := &link{from: a.clock, to: b.clock, first: at, read: len(t.snapshots) - 1}
				a.clock.by[b.clock] = l
				a.clock.links = append(a.clock.links, l)
			}
		}
	}
	return nil
}

// Reset calls f with those readings in a snapshot to which later packets of the sequence are
// relative.
func (t *Table) Reset(sequence uint32, data []byte, f func(c *Clock, value int64)) error {
	return wire.Each(data, func(number int, _ uint64, data []byte) error {
		if number != 1 {
			return nil
		}
		c, value, err := t.read(sequence, data)
		if err == nil && c.Incremental {
			f(c, value)
		}
		return err
	})
}

// read reads a reading of a clock, in nanoseconds.
func (t *Table) read(sequence uint32, data []byte) (*Clock, int64, error) {
	var number, ticks, incremental, unit uint64
	if err := wire.Fill(data, &number, &ticks, &incremental, &unit); err != nil {
		return nil, 0, err
	}
	c := t.Clock(uint32(number), sequence)
	c.Incremental = incremental != 0
	if c.Unit = 1; unit > 0 && unit <= math.MaxInt32 {
		c.Unit = int64(unit)
	}
	return c, Nanoseconds(ticks, c.Unit), nil
}

// Nanoseconds converts ticks of a clock to nanoseconds. An implausible number becomes the
// largest int64.
func Nanoseconds(ticks uint64, unit int64) int64 {
	const most = math.MaxInt64 / 4
	if ticks > most/uint64(unit) {
		return most
	}
	return int64(ticks) * unit
}

// Time converts a reading of a clock to the trace's clock. It uses the snapshots before an offset
// of the file, and reports whether they connect the clocks.
func (t *Table) Time(c *Clock, value, before int64) (int64, bool) {
	to := t.Primary()
	if c == to {
		return value, true
	}
	if l := c.by[to]; l != nil && l.first < before {
		return t.convert(l, value, before), true
	}
	return t.along(c, to, value, before)
}

// along converts a reading through several snapshots. It uses as few snapshots as possible.
func (t *Table) along(c, to *Clock, value, before int64) (int64, bool) {
	t.searches++
	c.seen, c.from = t.searches, nil
	t.queue = append(t.queue[:0], c)
	for i := 0; i < len(t.queue) && to.seen != t.searches; i++ {
		for _, l := range t.queue[i].links {
			if l.to.seen != t.searches && l.first < before {
				l.to.seen, l.to.from = t.searches, l
				t.queue = append(t.queue, l.to)
			}
		}
	}
	if to.seen != t.searches {
		return 0, false
	}
	var hops [maxHops]*link
	n := 0
	for at := to; at != c; at = at.from.from {
		if n == maxHops {
			return 0, false
		}
		hops[n] = at.from
		n++
	}
	for n--; n >= 0; n-- {
		value = t.convert(hops[n], value, before)
	}
	return value, true
}

// convert uses the last pair that is not later than the value, or else the first pair.
func (t *Table) convert(l *link, value, before int64) int64 {
	for ; l.read < len(t.snapshots); l.read++ {
		if !l.add(t.snapshots[l.read]) {
			t.Backwards++
		}
	}
	pairs := l.pairs
	if n := len(pairs); pairs[n-1].at >= before {
		pairs = pairs[:sort.Search(n, func(i int) bool { return pairs[i].at >= before })]
	}
	i := len(pairs) - 1
	if pairs[i].from > value {
		i = max(sort.Search(len(pairs), func(i int) bool { return pairs[i].from > value })-1, 0)
	}
	return value - pairs[i].from + pairs[i].to
}

// add adds the pair of readings in a snapshot, if the snapshot has both. It does not add the pair
// if a clock ran backwards.
func (l *link) add(s snapshot) bool {
	p := pair{at: s.at}
	has := 0
	for _, r := range s.readings {
		switch r.clock {
		case l.from:
			p.from = r.value
			has |= 1
		case l.to:
			p.to = r.value
			has |= 2
		}
	}
	if has != 3 {
		return true
	}
	if n := len(l.pairs); n > 0 && p.from < l.pairs[n-1].from {
		return false
	}
	l.pairs = append(l.pairs, p)
	return true
}

// A Reading is the reading of a clock of the machine at a moment.
type Reading struct {
	Clock uint32
	// Time is a moment by the trace's clock. Time and Value are in nanoseconds.
	Time, Value int64
}

// Readings returns readings of the machine's clocks. most limits their number. They are evenly
// spread over the snapshots.
func (t *Table) Readings(most int) []Reading {
	var out []Reading
	primary := t.Primary()
	step := (len(t.snapshots) + most - 1) / max(most, 1)
	for i := 0; i < len(t.snapshots); i += max(step, 1) {
		s := t.snapshots[i]
		for _, at := range s.readings {
			if at.clock != primary {
				continue
			}
			for _, r := range s.readings {
				if r.clock.key.sequence == 0 {
					out = append(out, Reading{Clock: r.clock.key.number, Time: at.value, Value: r.value})
				}
			}
		}
	}
	return out
}
