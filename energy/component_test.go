package energy

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestWithScalesTheParts gives a component other energies. Its states and spans are in proportion,
// and all sums stay exact.
func TestWithScalesTheParts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		c := Component{Name: "gps", Operations: 7}
		sum := units.Energy(0)
		for range random.IntN(5) {
			e := units.Energy(random.IntN(1000))
			sum += e
			c.States = append(c.States, State{Energy: e, Time: time.Second})
			c.Lane.Spans = append(c.Lane.Spans, Span{Energy: e})
		}
		c.Unknown = units.Energy(random.IntN(100))
		c.Use = units.Energy(random.IntN(int(sum + c.Unknown + 1)))
		c.Tail = units.Energy(random.IntN(int(sum + c.Unknown - c.Use + 1)))
		c.Rest = sum + c.Unknown - c.Use - c.Tail
		before := c.Energy()
		use, tail, rest := units.Energy(random.IntN(900)), units.Energy(random.IntN(900)), units.Energy(random.IntN(900))
		got := c.With(use, tail, rest)
		if got.Use != use || got.Tail != tail || got.Rest != rest || got.Energy() != use+tail+rest || c.Energy() != before {
			t.Fatalf("%+v has the energies of %+v", got, c)
		}
		states := got.Unknown
		for i, s := range got.States {
			states += s.Energy
			if want := float64(c.States[i].Energy) * float64(got.Energy()) / float64(max(before, 1)); before > 0 && (float64(s.Energy) > want+1 || float64(s.Energy) < want-1) {
				t.Errorf("a state of %d of %d has %d of %d", c.States[i].Energy, before, s.Energy, got.Energy())
			}
			if got.Lane.Spans[i].Energy != s.Energy {
				t.Errorf("a span has %d, its state %d", got.Lane.Spans[i].Energy, s.Energy)
			}
		}
		if states != got.Energy() {
			t.Errorf("the states add up to %d of %d", states, got.Energy())
		}
	}
}

// TestMeanOfComponents averages the components of three runs. Energies are sums.
func TestMeanOfComponents(t *testing.T) {
	run := func(k units.Energy, ranged bool) []Component {
		c := Component{Name: "gps", Use: 10 * k, Tail: 5 * k, Rest: 2 * k, Unknown: k, Operations: int64(3 * k), States: []State{{Name: "on", Time: time.Duration(k) * time.Second, Energy: 16 * k}}, Lane: Lane{Spans: []Span{{}}}}
		if ranged {
			c.Range = &Range{Least: 12 * k, Most: 30 * k, Parts: Parts{k, 2 * k}, Cases: []Parts{{3 * k, 4 * k}, {5 * k, 6 * k}}[:1+k%2]}
		}
		return []Component{c, {Name: "other"}}
	}
	runs := [][]Component{run(1, true), run(2, false), run(3, true)}
	mean := Mean(runs...)
	c := mean[0]
	if c.Use != 60 || c.Tail != 30 || c.Rest != 12 || c.Unknown != 6 || c.Operations != 6 || len(c.Lane.Spans) != 0 || c.States[0] != (State{Name: "on", Time: 2 * time.Second, Energy: 96}) {
		t.Errorf("the mean is %+v", c)
	}
	// The second run has no range, so its energy of 34 is both bounds.
	if r := c.Range; r == nil || r.Least != 12+34+36 || r.Most != 30+34+90 || r.Parts != (Parts{4, 8}) || len(r.Cases) != 2 || r.Cases[0] != (Parts{12, 16}) || r.Cases[1] != (Parts{20, 24}) {
		t.Errorf("the range is %+v", r)
	}
	if len(mean) != 2 || mean[1].Range != nil || runs[0][0].Use != 10 || runs[0][0].States[0].Time != time.Second {
		t.Errorf("the mean is %+v of %+v", mean[1], runs[0][0])
	}
}

// TestSlotsConserve spreads energy over time slots and takes it for random threads. The sum over
// threads and what is left is the energy. A long run has longer slots.
func TestSlotsConserve(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, length := range []int64{20 * minSlot, 5 * maxSlots * minSlot} {
		s := newSlots(2)
		type turn struct{ until, ns int64 }
		var turns []turn
		ran := int64(0)
		for range 300 {
			until := 1 + random.Int64N(length)
			next := turn{until, random.Int64N(min(until, 7*minSlot) + 5)}
			turns = append(turns, next)
			s.run(next.until, next.ns)
			ran += min(next.ns, next.until)
		}
		want := make([]units.Energy, 4)
		for range 300 {
			component, part := random.IntN(2), trace.Part(random.IntN(2))
			begin := random.Int64N(length) - minSlot
			i := machine.Interval{Begin: begin, End: max(begin, 0) + random.Int64N(9*minSlot) + 1, Part: part}
			e := units.Energy(random.IntN(100000))
			s.drain(component, &i, e)
			want[2*component+int(part)] += e
		}
		total := int64(0)
		for _, ns := range s.ran {
			total += ns
		}
		if total != ran || len(s.ran) > maxSlots {
			t.Errorf("threads ran for %d ns, the %d slots have %d", ran, len(s.ran), total)
		}
		got := make([]units.Energy, 4)
		for _, next := range turns {
			s.take(next.until, next.ns, func(list int, e units.Energy) { got[list] += e })
		}
		for i := range want {
			if got[i] == 0 && length < maxSlots*minSlot {
				t.Errorf("list %d gives nothing", i)
			}
			for slot, left := range s.drained[i] {
				got[i] += left
				if slot < len(s.ran) && s.ran[slot] != 0 {
					t.Errorf("%d ns of slot %d are left", s.ran[slot], slot)
				}
			}
			if got[i] != want[i] {
				t.Errorf("list %d has %d of %d", i, got[i], want[i])
			}
		}
	}
	s := newSlots(1)
	s.drain(0, &machine.Interval{Begin: 3 * minSlot, End: 3 * minSlot}, 7)
	s.drain(0, &machine.Interval{Begin: 0, End: 4 * minSlot}, 40)
	if list := s.drained[0]; len(list) != 4 || list[0] != 10 || list[1] != 10 || list[3] != 17 {
		t.Errorf("the slots have %d", list)
	}
	s.run(2*minSlot, minSlot+minSlot/2)
	s.run(2*minSlot, minSlot/2)
	var given []units.Energy
	s.take(2*minSlot, minSlot/2, func(_ int, e units.Energy) { given = append(given, e) })
	if len(given) != 1 || given[0] != 3 || s.drained[0][1] != 7 {
		t.Errorf("a third of a slot gives %d", given)
	}
}

// TestPairsOfHolds checks which hold an operation without a handle ends.
func TestPairsOfHolds(t *testing.T) {
	type step struct {
		verb   trace.Verb
		class  int32
		thread trace.ThreadID
		// of is the number of the step whose handle the operation gets. The number of the step itself
		// means a new handle, and -1 none.
		of int
	}
	for name, c := range map[string]struct {
		steps                []step
		again, guessed, lost int64
	}{
		"the latest of a class":         {[]step{{trace.OpAcquire, 1, 0, 0}, {trace.OpAcquire, 1, 0, 1}, {trace.OpRelease, 1, 0, 1}, {trace.OpRelease, 1, 0, 0}}, 0, 1, 0},
		"the class before the thread":   {[]step{{trace.OpAcquire, 1, 0, 0}, {trace.OpAcquire, 2, 5, 1}, {trace.OpRelease, 1, 5, 0}}, 0, 0, 0},
		"the thread of another class":   {[]step{{trace.OpAcquire, 1, 5, 0}, {trace.OpAcquire, 2, 6, 1}, {trace.OpRelease, 3, 5, 0}}, 0, 1, 0},
		"any":                           {[]step{{trace.OpAcquire, 1, 5, 0}, {trace.OpRelease, 3, 6, 0}}, 0, 0, 0},
		"nothing to release":            {[]step{{trace.OpRelease, 1, 5, -1}, {trace.OpStop, 1, 5, -1}, {trace.OpClose, 1, 5, -1}}, 0, 0, 1},
		"a second start":                {[]step{{trace.OpStart, 1, 5, 0}, {trace.OpStart, 1, 6, 0}, {trace.OpOpen, 2, 5, 2}, {trace.OpStop, 1, 5, 0}}, 1, 0, 0},
		"unknown classes of a thread":   {[]step{{trace.OpStart, 0, 5, 0}, {trace.OpStart, 0, 6, 1}, {trace.OpStart, 0, 5, 0}, {trace.OpStop, 0, 6, 1}}, 1, 1, 0},
		"other verbs have no handle":    {[]step{{trace.OpSend, 1, 5, -1}}, 0, 0, 0},
		"the same class in two threads": {[]step{{trace.OpAcquire, 1, 5, 0}, {trace.OpAcquire, 1, 6, 1}, {trace.OpRelease, 1, 5, 1}}, 0, 1, 0},
	} {
		p := pairs{keeps: true}
		handles := make([]int64, len(c.steps))
		for i, s := range c.steps {
			o := operation{verb: s.verb, class: s.class, thread: s.thread}
			p.pair(&o)
			handles[i] = o.handle
			want := int64(0)
			if s.of >= 0 {
				want = handles[s.of]
			}
			if o.handle != want || (o.handle != 0) != (s.of >= 0) {
				t.Errorf("%s: step %d has the handle %d, want that of step %d", name, i, o.handle, s.of)
			}
		}
		if p.again != c.again || p.guessed != c.guessed || p.lost != c.lost {
			t.Errorf("%s: again %d, guessed %d, lost %d", name, p.again, p.guessed, p.lost)
		}
	}
	stated := operation{verb: trace.OpAcquire, handle: 9}
	(&pairs{keeps: true}).pair(&stated)
	plain := operation{verb: trace.OpAcquire}
	(&pairs{}).pair(&plain)
	if stated.handle != 9 || plain.handle != 0 {
		t.Errorf("the handles are %d and %d", stated.handle, plain.handle)
	}
}
