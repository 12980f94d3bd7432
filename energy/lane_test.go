package energy

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestLaneJoins merges periods of one state. As long as there is space, it merges nothing else.
func TestLaneJoins(t *testing.T) {
	var l Lane
	for _, s := range []Span{
		{Begin: 10, End: 20, State: 1, Energy: 5},
		{Begin: 20, End: 30, State: 1, Energy: 5}, // Another operation is active, too.
		{Begin: 30, End: 30, State: 1, Energy: 7}, // This is the energy of bytes.
		{Begin: 30, End: 90, State: 2, Part: trace.Tail, Energy: 6},
		{Begin: 200, End: 210, State: 1, Energy: 1},
	} {
		l.add(s)
	}
	want := []Span{{10, 30, 1, trace.Use, 17, 20}, {30, 90, 2, trace.Tail, 6, 60}, {200, 210, 1, trace.Use, 1, 10}}
	if len(l.Spans) != len(want) || l.Resolution != 0 {
		t.Fatalf("%+v at %v", l.Spans, l.Resolution)
	}
	for i := range want {
		if l.Spans[i] != want[i] {
			t.Errorf("%d: %+v, not %+v", i, l.Spans[i], want[i])
		}
	}
}

// TestLaneIsBounded adds random intervals, more than fit, and checks the laws.
func TestLaneIsBounded(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var l Lane
		var sum units.Energy
		var busy int64
		at := int64(r.IntN(1000))
		first := at
		for range 40_000 {
			took := int64(r.ExpFloat64() * 1e6)
			e := units.Energy(r.IntN(1000))
			s := Span{Begin: at, End: at + took, State: 1 + r.IntN(2), Energy: e}
			if s.State == 2 {
				s.Part = trace.Tail
			}
			l.add(s)
			sum, busy = sum+e, busy+took
			if at += took; r.IntN(3) == 0 {
				at += int64(r.ExpFloat64() * 1e7)
			}
		}
		if len(l.Spans) > maxSpans || len(l.Spans) < maxSpans/16 {
			t.Errorf("seed %d: %d spans", seed, len(l.Spans))
		}
		var energy units.Energy
		end := first
		for i, s := range l.Spans {
			if s.Begin < end || s.End < s.Begin {
				t.Fatalf("seed %d: span %d, %+v, begins before %d", seed, i, s, end)
			}
			if s.longest > s.End-s.Begin {
				t.Errorf("seed %d: %+v", seed, s)
			}
			end = s.End
			energy += s.Energy
		}
		if energy != sum {
			t.Errorf("seed %d: spans have %d nJ, intervals %d", seed, energy, sum)
		}
		if l.Spans[0].Begin != first || l.Resolution <= 0 || l.Resolution > 100*time.Millisecond {
			t.Errorf("seed %d: from %d, not %d, at %v", seed, l.Spans[0].Begin, first, l.Resolution)
		}
	}
}
