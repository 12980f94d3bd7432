// Package clock converts the clock readings in a Perfetto trace to one timeline.
//
// A packet states its time on a clock of the machine, or on a clock that its sequence of packets
// defines. A snapshot states the readings of several clocks at one moment. A time is converted with
// the last snapshot before it. If that snapshot lacks the trace's clock, several snapshots are
// combined. The last snapshot is used because clocks drift apart, and because monotonic clocks stop
// while the device sleeps.
//
// The caller limits a conversion to the snapshots that precede the packet in the file. Both passes
// over the file then give the same result.
package clock

import (
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/diffprof/diffprof/ingest/wire"
)

// Clocks of the machine, with their numbers in traces.
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

// Limits of the number of readings in all snapshots, and in one snapshot.
const (
	maxReadings = 4 << 20
	maxClocks   = 64
	// maxHops limits the number of snapshots that a conversion combines.
	maxHops = 4
)

var errReadings = errors.New("the trace has more than four million readings of clocks")

// A key identifies a clock by its number and by the sequence of packets that defines it. The
// sequence is 0 for clocks of the machine.
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
	// seen is the latest search that reached the clock, by number. from is the link by which it
	// reached the clock.
	seen int
	from *link
}

// Number returns the number of the clock in the trace.
func (c *Clock) Number() uint32 { return c.key.number }

// A link converts readings of one clock to readings of another clock.
type link struct {
	from, to *Clock
	// read counts the snapshots of the table that were added to pairs.
	read  int
	pairs []pair
	// first is the offset in the file of the first snapshot that has both clocks.
	first int64
}

// A pair has the readings of a link's two clocks in one snapshot, and the snapshot's offset in the
// file. Pairs are sorted by their offsets, and so are the readings of the first clock.
type pair struct{ at, from, to int64 }

// A snapshot has the readings of clocks at one moment. at is its offset in the file.
type snapshot struct {
	at       int64
	readings []reading
}

type reading struct {
	clock *Clock
	value int64
}

// A Table has the snapshots of a trace. The zero Table has no snapshots, and its clock is Boottime.
// It must not be used concurrently.
type Table struct {
	clocks    map[key]*Clock
	snapshots []snapshot
	readings  int
	// told is the trace's clock, or nil for Boottime. primary is its number in the trace.
	told    *Clock
	primary uint32
	// Backwards counts the readings that are less than an earlier reading of the same clock. Such
	// readings are ignored.
	Backwards int
	searches  int
	queue     []*Clock
}

// Clock returns the clock with a number. sequence is the sequence of the packet that refers to it.
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

// SetPrimary makes a clock of the machine the trace's clock. The first snapshot that names a trace
// clock has the same effect.
func (t *Table) SetPrimary(number uint32) {
	t.primary, t.told = number, t.Clock(number, 0)
}

// Add adds the snapshot in data. at is the offset of its packet in the file, and sequence is the
// packet's sequence. Snapshots must be added in file order.
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
				t.SetPrimary(uint32(value))
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
		return nil // The links exist already, because most snapshots have the same clocks as the previous one.
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

// Reset calls f for the incremental clocks in a snapshot, with their new base times.
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

// read reads one clock reading of a snapshot, in nanoseconds.
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

// Nanoseconds converts ticks to nanoseconds. An implausibly large number becomes the largest valid
// time.
func Nanoseconds(ticks uint64, unit int64) int64 {
	const most = math.MaxInt64 / 4
	if ticks > most/uint64(unit) {
		return most
	}
	return int64(ticks) * unit
}

// Time converts a reading of a clock to the trace's clock. It uses only snapshots at file offsets
// below the parameter before. It returns false if these snapshots do not connect the two clocks.
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

// along converts a reading through other clocks. It uses the shortest chain of links.
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

// convert converts a reading with the last pair that is not later, or else with the first pair.
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

// add adds a pair from a snapshot that has both clocks. If the clock l.from ran backwards, it adds
// nothing and returns false.
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

// A Reading is a reading of a clock of the machine.
type Reading struct {
	Clock uint32
	// Time is the time on the trace's clock. Time and Value are in nanoseconds.
	Time, Value int64
}

// Readings returns readings of the machine's clocks from at most `most` snapshots, evenly spread
// over the trace.
func (t *Table) Readings(limit int) []Reading {
	var out []Reading
	primary := t.Primary()
	step := (len(t.snapshots) + limit - 1) / max(limit, 1)
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
