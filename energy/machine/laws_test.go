package machine

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// laws checks the laws that hold for every sequence of operations on every component.
func laws(t *testing.T, seed uint64, c *model.Component, ops []Operation, end int64) {
	t.Helper()
	var totals [Utilisation + 1]units.Energy
	for p := LastTrigger; p <= Utilisation; p++ {
		exact, moved, total, since := new(big.Int), new(big.Int), units.Energy(0), int64(0)
		m := New(c, p, Options{Emit: func(s *Interval) error {
			if s.Begin < since || s.End < s.Begin || s.State == 0 || s.Energy < 0 {
				t.Errorf("seed %d, %v: %+v after moment %d", seed, p, s, since)
			}
			since = s.End
			total += s.Energy
			if state := c.States[s.State]; s.End > s.Begin && (p != Utilisation || s.Part == trace.Use) {
				exact.Add(exact, new(big.Int).Mul(big.NewInt(int64(state.Power)), big.NewInt(s.End-s.Begin)))
			} else if s.End == s.Begin {
				moved.Add(moved, big.NewInt(int64(s.Energy)))
			}
			before, rest := NoOwner, s.Energy
			for _, share := range s.Shares {
				if share.Owner <= before || share.Energy < 0 {
					t.Errorf("seed %d, %v: shares %v", seed, p, s.Shares)
				}
				before = share.Owner
				rest -= share.Energy
			}
			if rest < 0 || p == SplitTime && rest != s.Energy {
				t.Errorf("seed %d, %v: shares of %d nJ leave %d", seed, p, s.Energy, rest)
			}
			return nil
		}})
		for _, op := range ops {
			if err := m.Do(op); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Finish(end); err != nil {
			t.Fatal(err)
		}
		if exact.Div(exact, big.NewInt(perNanojoule)).Add(exact, moved); exact.Int64() != int64(total) {
			t.Errorf("seed %d, %v: all intervals have %d nJ, power times time is %v", seed, p, total, exact)
		}
		totals[p] = total
	}
	if totals[LastTrigger] != totals[FirstTrigger] || totals[LastTrigger] != totals[SplitTime] {
		t.Errorf("seed %d: the policies have %v nJ in all", seed, totals)
	}
}

// TestLaws uses arbitrary powers: results must be right after rounding, too.
func TestLaws(t *testing.T) {
	const end = 3 * int64(time.Second)
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 6))
		c, ops := anyComponent(r), anyOperations(r, end)
		for i := range c.States[1:] {
			c.States[i+1].Power = units.Power(r.Int64N(1_000_000))
		}
		for i := range c.Work {
			c.Work[i].PerKiB = time.Duration(r.Int64N(int64(time.Second)))
			c.Work[i].EnergyPerKiB = units.Energy(r.Int64N(5000))
		}
		laws(t, seed, c, ops, end)
		if last, advanced := play(t, c, LastTrigger, end, ops...), playAdvancing(t, r, c, end, ops); last.log.String() != advanced {
			t.Fatalf("seed %d: advancing changes\n%s\nto\n%s", seed, last.log.String(), advanced)
		}
	}
}

// playAdvancing is play with calls of Advance between the operations.
func playAdvancing(t *testing.T, r *rand.Rand, c *model.Component, end int64, ops []Operation) string {
	log := &result{}
	m := log.machine(c, LastTrigger)
	for i, op := range ops {
		from := int64(0)
		if i > 0 {
			from = ops[i-1].Begin
		}
		for range 3 {
			if err := m.Advance(from + r.Int64N(op.Begin-from+1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Do(op); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Finish(end); err != nil {
		t.Fatal(err)
	}
	return log.log.String()
}

// TestMoreWorkUsesMore checks the utilisation policy with one productive power: an additional
// operation never reduces the energy.
func TestMoreWorkUsesMore(t *testing.T) {
	c := disk()
	c.Work = []model.Work{{On: []trace.Verb{trace.OpWrite}, Fixed: 3 * time.Millisecond, PerKiB: time.Millisecond}}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		ops := anyOperations(r, second)
		for i := range ops {
			ops[i].Verb = []trace.Verb{trace.OpRead, trace.OpWrite}[r.IntN(2)]
		}
		before := units.Energy(0)
		for n := range len(ops) + 1 {
			total := play(t, c, Utilisation, second, ops[:n]...).total
			if total < before {
				t.Fatalf("seed %d: %d operations drain %d nJ, one fewer %d", seed, n, total, before)
			}
			before = total
		}
	}
}

// TestLevel uses a screen whose power grows with its brightness.
func TestLevel(t *testing.T) {
	c := lock()
	c.States[1].PerLevel = 2 * units.Milliwatt
	var got []units.Energy
	m := New(c, LastTrigger, Options{Emit: func(s *Interval) error { got = append(got, s.Energy/units.Millijoule); return nil }})
	for _, err := range []error{
		m.Level(0, 50),
		m.Do(Operation{Begin: second, End: -1, Verb: trace.OpAcquire}),
		m.Level(3*second, 100),
		m.Finish(4 * second),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 2 || got[0] != 380 || got[1] != 290 {
		t.Errorf("intervals have %v mJ, want 2 s of 190 mW, and 1 s of 290 mW", got)
	}
}

// stream returns the i-th operation of an infinite sequence.
func stream(i int) Operation {
	begin := int64(i) * 40 * ms
	op := Operation{Begin: begin, End: begin + 60*ms, Verb: trace.OpSend, Bytes: int64(i%5) << 9, Owner: Owner(i % 64)}
	if i%3 == 0 {
		op.Verb = trace.OpReceive
	}
	if i%100 == 0 {
		op.Verb, op.Handle = trace.OpOpen, int64(i)
	}
	return op
}

// TestMemory checks that the memory for a year of operations depends only on the number of
// concurrently open operations.
func TestMemory(t *testing.T) {
	m := New(radio(), LastTrigger, Options{})
	l := New(lock(), LastTrigger, Options{})
	for i := range 500_000 {
		at := int64(i) * 63 * second
		op := stream(i)
		op.Begin, op.End = at, at+60*ms
		held := Operation{Begin: at, End: -1, Verb: trace.OpAcquire, Handle: int64(i), Owner: Owner(i % 64)}
		if i%2 == 1 {
			held.Verb, held.Handle = trace.OpRelease, int64(i-1)
		}
		if m.Do(op) != nil || l.Do(held) != nil {
			t.Fatal("an operation is an error")
		}
	}
	if n := cap(m.waiting) + cap(m.holds.slots) + cap(m.timed) + cap(m.jobs.active) + cap(m.jobs.line) + cap(m.active.groups); n > 64 {
		t.Errorf("the machine keeps %d operations, of which 2 are open", n)
	}
	if n := cap(l.holds.slots) + len(l.holds.top); n > 8 {
		t.Errorf("the machine keeps %d holds, of which 1 is open", n)
	}
}

// TestAllocations checks that a machine stops allocating memory once its buffers have grown.
func TestAllocations(t *testing.T) {
	m := New(radio(), LastTrigger, Options{Emit: func(*Interval) error { return nil }})
	i := 0
	if n := testing.AllocsPerRun(1000, func() {
		if err := m.Do(stream(i)); err != nil {
			t.Fatal(err)
		}
		i++
	}); n >= 1 {
		t.Errorf("an operation allocates %v times", n)
	}
}

func BenchmarkRadio(b *testing.B) { benchmark(b, radio(), stream) }
func BenchmarkDisk(b *testing.B) {
	benchmark(b, disk(), func(i int) Operation {
		begin := int64(i) * 7 * ms
		return Operation{Begin: begin, End: begin + int64(i%4)*5*ms, Verb: trace.OpRead, Bytes: 4096, Owner: Owner(i % 64)}
	})
}
func BenchmarkWakelock(b *testing.B) {
	benchmark(b, lock(), func(i int) Operation {
		op := Operation{Begin: int64(i) * ms, End: -1, Verb: trace.OpAcquire, Handle: int64(i / 6 * 3), Owner: Owner(i % 64)}
		if op.Handle += int64(i % 3); i%6 >= 3 {
			op.Verb = trace.OpRelease
		}
		return op
	})
}

// benchmark runs one operation per iteration, with a receiver of intervals.
func benchmark(b *testing.B, c *model.Component, op func(i int) Operation) {
	b.ReportAllocs()
	var total units.Energy
	m := New(c, LastTrigger, Options{Emit: func(s *Interval) error {
		for i := range s.Shares {
			total += s.Shares[i].Energy
		}
		return nil
	}})
	i := 0
	for b.Loop() {
		if err := m.Do(op(i)); err != nil {
			b.Fatal(err)
		}
		i++
	}
	if m.Tally().Operations == 0 {
		b.Fatal("the component noticed nothing")
	}
}
