package clock_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/ingest/perfetto/clock"
)

// number encodes a field that is a number, and message a field that is a message.
func number(field int, value uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), value)
}

func message(field int, data []byte) []byte {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3|2), uint64(len(data))), data...)
}

// A reading is the reading of a clock in a snapshot.
type reading struct {
	clock uint32
	value int64
}

// snapshot writes a snapshot.
func snapshot(readings ...reading) []byte {
	var b []byte
	for _, r := range readings {
		b = append(b, message(1, append(number(1, uint64(r.clock)), number(2, uint64(r.value))...))...)
	}
	return b
}

// TestTime compares conversions between two clocks with a linear search over their snapshots.
func TestTime(t *testing.T) {
	type pair struct{ at, from, to int64 }
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var table clock.Table
		var pairs []pair
		at, from, to := int64(0), int64(1000), int64(5000)
		for range 1 + random.IntN(8) {
			at += 1 + random.Int64N(5)
			from += random.Int64N(100) - 10
			to += random.Int64N(100)
			if err := table.Add(at, 1, snapshot(reading{clock.Monotonic, from}, reading{clock.Boottime, to})); err != nil {
				t.Fatal(err)
			}
			if n := len(pairs); n == 0 || from >= pairs[n-1].from {
				pairs = append(pairs, pair{at, from, to})
			}
		}
		c := table.Clock(clock.Monotonic, 7)
		for range 50 {
			value, before := 900+random.Int64N(900), random.Int64N(at+3)
			// The oracle uses the last pair before this offset of the file whose reading is not
			// later. If there is none, it uses the first pair.
			want, ok := int64(0), false
			for _, p := range pairs {
				if p.at < before && (!ok || p.from <= value) {
					want, ok = value-p.from+p.to, true
				}
			}
			if got, known := table.Time(c, value, before); known != ok || got != want {
				t.Fatalf("%d before %d is %d, %v; want %d, %v of %v", value, before, got, known, want, ok, pairs)
			}
		}
	}
}

// TestHops checks that the clock of a sequence is converted to the trace's clock through the
// monotonic clock, and that it does not exist in other sequences.
func TestHops(t *testing.T) {
	var table clock.Table
	add := func(at int64, sequence uint32, data []byte) {
		t.Helper()
		if err := table.Add(at, sequence, data); err != nil {
			t.Fatal(err)
		}
	}
	own := append(number(1, 64), number(2, 3)...)
	own = append(own, append(number(3, 1), number(4, 1000)...)...)
	add(1, 5, append(message(1, own), snapshot(reading{clock.Monotonic, 700})...))
	add(2, 6, snapshot(reading{clock.Monotonic, 1000}, reading{clock.Boottime, 90000}))
	c := table.Clock(64, 5)
	if c.Unit != 1000 || !c.Incremental {
		t.Errorf("the clock is %+v", c)
	}
	if got, ok := table.Time(c, 3500, 10); !ok || got != 3500-3000+700-1000+90000 {
		t.Errorf("3500 is %d, %v", got, ok)
	}
	if _, ok := table.Time(c, 3500, 2); ok {
		t.Error("a later snapshot is used")
	}
	if _, ok := table.Time(table.Clock(64, 6), 3500, 10); ok {
		t.Error("the clock of another sequence is used")
	}
	if got, ok := table.Time(table.Clock(clock.Boottime, 0), 5, 0); !ok || got != 5 {
		t.Errorf("the trace's own clock is converted to %d, %v", got, ok)
	}
	var counted []int64
	if err := table.Reset(5, append(message(1, own), snapshot(reading{clock.Monotonic, 700})...), func(_ *clock.Clock, v int64) { counted = append(counted, v) }); err != nil || len(counted) != 1 || counted[0] != 3000 {
		t.Errorf("counts on from %v, %v", counted, err)
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		ticks uint64
		unit  int64
		want  int64
	}{{5, 1000, 5000}, {math.MaxUint64, 1, math.MaxInt64 / 4}, {math.MaxInt64, math.MaxInt32, math.MaxInt64 / 4}} {
		if got := clock.Nanoseconds(c.ticks, c.unit); got != c.want {
			t.Errorf("%d ticks of %d ns are %d", c.ticks, c.unit, got)
		}
	}
	var table clock.Table
	if err := table.Add(1, 1, []byte{0x0a, 0x05, 1}); err == nil {
		t.Error("a snapshot that is cut is no error")
	}
	many := make([]reading, 64)
	for i := range many {
		many[i] = reading{uint32(i), int64(i)}
	}
	data := snapshot(many...)
	var err error
	for i := int64(0); i < 1<<17 && err == nil; i++ {
		err = table.Add(i, 1, data)
	}
	if err == nil {
		t.Error("readings of clocks have no end")
	}
}

// TestReadings reads ten snapshots with limits. Each snapshot has the trace's clock, another clock
// of the machine, and a clock of a sequence.
func TestReadings(t *testing.T) {
	var table clock.Table
	if got := table.Readings(5); len(got) != 0 {
		t.Errorf("no snapshots have %d readings", len(got))
	}
	for i := range int64(10) {
		if err := table.Add(i, 1, snapshot(reading{clock.Monotonic, 100 + i}, reading{clock.Boottime, 1000 + 10*i}, reading{70, 5 + i})); err != nil {
			t.Fatal(err)
		}
	}
	for limit, snapshots := range map[int][]int64{1: {0}, 2: {0, 5}, 3: {0, 4, 8}, 5: {0, 2, 4, 6, 8}, 10: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 1000: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		var want []clock.Reading
		for _, i := range snapshots {
			want = append(want, clock.Reading{Clock: clock.Monotonic, Time: 1000 + 10*i, Value: 100 + i}, clock.Reading{Clock: clock.Boottime, Time: 1000 + 10*i, Value: 1000 + 10*i})
		}
		if got := table.Readings(limit); !slices.Equal(got, want) {
			t.Errorf("at most %d snapshots: %v, want %v", limit, got, want)
		}
	}
}
