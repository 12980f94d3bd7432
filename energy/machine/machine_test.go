package machine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

const (
	ms     = int64(time.Millisecond)
	second = int64(time.Second)
)

// disk is the memory card of eprof's Figure 4: any operation takes it to a high state, and it
// returns to its base state after a tail of three seconds.
func disk() *model.Component {
	files := []trace.Verb{trace.OpRead, trace.OpWrite}
	return &model.Component{
		Name: "disk",
		States: []model.State{
			{Name: "base"},
			{Name: "high", Kind: model.Productive, Power: 600 * units.Milliwatt},
			{Name: "tail", Kind: model.Tail, Power: 200 * units.Milliwatt},
		},
		Transitions: []model.Transition{
			{From: 0, To: 1, On: files},
			{From: 1, To: 2, Idle: true},
			{From: 2, To: 1, On: files},
			{From: 2, To: 0, After: 3 * time.Second},
		},
	}
}

// radio ramps up for two seconds, has a high state for large transfers, a low state for small
// ones, and two tails. It estimates the work of sends and receives.
func radio() *model.Component {
	transfer := []trace.Verb{trace.OpSend, trace.OpReceive}
	all := append([]trace.Verb{trace.OpOpen}, transfer...)
	return &model.Component{
		Name: "radio",
		States: []model.State{
			{Name: "base"},
			{Name: "ramp", Kind: model.Ramp, Power: 300 * units.Milliwatt},
			{Name: "low", Kind: model.Productive, Power: 400 * units.Milliwatt},
			{Name: "high", Kind: model.Productive, Power: 800 * units.Milliwatt},
			{Name: "tail", Kind: model.Tail, Power: 250 * units.Milliwatt},
			{Name: "doze", Kind: model.Tail, Power: 100 * units.Milliwatt},
		},
		Transitions: []model.Transition{
			{From: 0, To: 1, On: all},
			{From: 1, To: 2, After: 2 * time.Second},
			{From: 2, To: 3, On: transfer, MinBytes: 1024},
			{From: 2, To: 4, Idle: true},
			{From: 3, To: 2, After: 500 * time.Millisecond},
			{From: 4, To: 3, On: transfer, MinBytes: 1024},
			{From: 4, To: 2, On: all},
			{From: 4, To: 5, After: 4 * time.Second},
			{From: 5, To: 1, On: all},
			{From: 5, To: 0, After: time.Second},
		},
		Work: []model.Work{{On: transfer, Fixed: 10 * time.Millisecond, PerKiB: 5 * time.Millisecond, EnergyPerKiB: 10 * units.Microjoule}},
	}
}

// lock is a wakelock with a short tail.
func lock() *model.Component {
	return &model.Component{
		Name: "wakelock",
		States: []model.State{
			{Name: "base"},
			{Name: "held", Kind: model.On, Power: 90 * units.Milliwatt},
			{Name: "tail", Kind: model.Tail, Power: 30 * units.Milliwatt},
		},
		Transitions: []model.Transition{
			{From: 0, To: 1, On: []trace.Verb{trace.OpAcquire, trace.OpStart}},
			{From: 2, To: 1, On: []trace.Verb{trace.OpAcquire, trace.OpStart}},
			{From: 1, To: 2, Idle: true},
			{From: 2, To: 0, After: time.Second},
		},
	}
}

// A result is the output of a machine, as text and as sums.
type result struct {
	log    strings.Builder
	total  units.Energy
	use    map[Owner]units.Energy
	tail   map[Owner]units.Energy
	nobody units.Energy
	tally  Tally
}

// machine returns a machine that reports to r.
func (r *result) machine(c *model.Component, p Policy) *Machine {
	r.use, r.tail = map[Owner]units.Energy{}, map[Owner]units.Energy{}
	return New(c, p, Options{
		Emit: func(s *Interval) error {
			fmt.Fprintf(&r.log, "%s %v-%v %s %d nJ", c.States[s.State].Name, time.Duration(s.Begin), time.Duration(s.End), s.Part, s.Energy)
			r.total += s.Energy
			r.nobody += s.Energy
			for _, share := range s.Shares {
				fmt.Fprintf(&r.log, " %d:%d", share.Owner, share.Energy)
				r.nobody -= share.Energy
				if s.Part == trace.Tail {
					r.tail[share.Owner] += share.Energy
				} else {
					r.use[share.Owner] += share.Energy
				}
			}
			r.log.WriteByte('\n')
			return nil
		},
		Held: func(h Hold) error {
			fmt.Fprintf(&r.log, "held by %d %v-%v, released %v by %d\n", h.Owner, time.Duration(h.Begin), time.Duration(h.Until), h.Released, h.By)
			return nil
		},
		Forget: func(o Owner) { fmt.Fprintf(&r.log, "forget %d\n", o) },
	})
}

// play runs operations through a machine.
func play(t testing.TB, c *model.Component, p Policy, end int64, ops ...Operation) *result {
	t.Helper()
	r := &result{}
	m := r.machine(c, p)
	for _, op := range ops {
		if err := m.Do(op); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Finish(end); err != nil {
		t.Fatal(err)
	}
	r.tally = m.Tally()
	return r
}

// owes checks the energy of each owner, as "use, tail" in millijoules.
func (r *result) owes(t *testing.T, want map[Owner]string) {
	t.Helper()
	got := map[Owner]string{}
	owners := map[Owner]bool{}
	for o := range r.use {
		owners[o] = true
	}
	for o := range r.tail {
		owners[o] = true
	}
	for o := range owners {
		got[o] = fmt.Sprintf("%g, %g", float64(r.use[o])/1e6, float64(r.tail[o])/1e6)
	}
	if !maps.Equal(got, want) {
		t.Errorf("owners have %v, want %v\n%s", got, want, r.log.String())
	}
	var sum units.Energy
	for o := range owners {
		sum += r.use[o] + r.tail[o]
	}
	if sum+r.nobody != r.total {
		t.Errorf("owners have %d nJ, nobody %d, all %d", sum, r.nobody, r.total)
	}
}

// TestFigure5 is eprof's Figure 5: f1 reads, and reads again in the tail. Then f2 writes.
func TestFigure5(t *testing.T) {
	const u1, n1, u2, u3, n2 = 600 * 200, 200 * 1000, 600 * 100, 600 * 300, 200 * 3000 // in µJ
	ops := []Operation{
		{Begin: 0, End: 200 * ms, Verb: trace.OpRead, Owner: 1},
		{Begin: 1200 * ms, End: 1300 * ms, Verb: trace.OpRead, Owner: 2},
		{Begin: 1300 * ms, End: 1600 * ms, Verb: trace.OpWrite, Owner: 3},
	}
	tuple := func(u, n int) string { return fmt.Sprintf("%g, %g", float64(u)/1e3, float64(n)/1e3) }
	play(t, disk(), LastTrigger, 2*second, ops...).owes(t, map[Owner]string{1: tuple(u1, n1), 2: tuple(u2, 0), 3: tuple(u3, n2)})
	play(t, disk(), FirstTrigger, 2*second, ops...).owes(t, map[Owner]string{1: tuple(u1, n1+n2), 2: tuple(u2, 0), 3: tuple(u3, 0)})
	play(t, disk(), Utilisation, 2*second, ops...).owes(t, map[Owner]string{1: tuple(u1, 0), 2: tuple(u2, 0), 3: tuple(u3, 0)})
	split := play(t, disk(), SplitTime, 2*second, ops...)
	split.owes(t, map[Owner]string{})
	if got := split.nobody / units.Microjoule; got != u1+n1+u2+u3+n2 {
		t.Errorf("split-time leaves %d µJ to whoever runs, want all", got)
	}
}

// TestFigure6 is eprof's Figure 6: three threads use the memory card at the same time. The model
// estimates a millisecond of work per KiB.
//
//	diskread1  starts at 0 ms, 40 KiB
//	diskwrite  starts at 10 ms, 60 KiB
//	diskread2  starts at 30 ms, 10 KiB
//
// From 0 to 10 ms, diskread1 does 10 of its 40 ms alone. From 10 to 30 ms, two operations share the
// card, and each does 10 ms. Then 20 ms are left of diskread1, 50 ms of diskwrite, and 10 ms of
// diskread2. All three share the card from 30 ms until diskread2 is done at 60 ms. Now 10 ms are
// left of diskread1, and 40 ms of diskwrite. They share the card until diskread1 is done at 80 ms.
// The remaining 30 ms of diskwrite end at 110 ms, which is the sum of all work. At 600 mW:
//
//	diskread1  10·600 + 20·300 + 30·200 + 20·300          = 24 mJ
//	diskwrite           20·300 + 30·200 + 20·300 + 30·600 = 36 mJ
//	diskread2                    30·200                   =  6 mJ
//
// The tail, 3 s at 200 mW, belongs to diskwrite, which ended last.
func TestFigure6(t *testing.T) {
	c := disk()
	c.Work = []model.Work{{On: []trace.Verb{trace.OpRead, trace.OpWrite}, PerKiB: time.Millisecond}}
	ops := []Operation{
		{Begin: 0, End: -1, Verb: trace.OpRead, Bytes: 40 << 10, Owner: 1},
		{Begin: 10 * ms, End: -1, Verb: trace.OpWrite, Bytes: 60 << 10, Owner: 2},
		{Begin: 30 * ms, End: -1, Verb: trace.OpRead, Bytes: 10 << 10, Owner: 3},
	}
	r := play(t, c, LastTrigger, 120*ms, ops...)
	r.owes(t, map[Owner]string{1: "24, 0", 2: "36, 600", 3: "6, 0"})
	if n := strings.Count(r.log.String(), "high "); n != 5 {
		t.Errorf("the high state is in %d intervals, want 5:\n%s", n, r.log.String())
	}
	play(t, c, FirstTrigger, 120*ms, ops...).owes(t, map[Owner]string{1: "24, 600", 2: "36, 0", 3: "6, 0"})
}

// TestAnswerInRamp sends for owner 1, which makes the radio ramp up for two seconds. According to
// the model, the send works after the ramp. A receive of owner 2 shows that the send was done
// earlier.
func TestAnswerInRamp(t *testing.T) {
	send := func(at int64, o Owner) Operation {
		return Operation{Begin: at * ms, End: at*ms + 1, Verb: trace.OpSend, Bytes: 2048, Owner: o}
	}
	receive := func(at, end int64) Operation {
		return Operation{Begin: at * ms, End: end * ms, Verb: trace.OpReceive, Bytes: 2048, Owner: 2}
	}
	for _, c := range []struct {
		name string
		ops  []Operation
		tail Owner
	}{
		{"an answer in the ramp", []Operation{send(0, 1), receive(1, 500)}, 2},
		{"it was waited for before", []Operation{receive(0, 500), send(1, 1)}, 2},
		{"another send follows in the ramp", []Operation{send(0, 1), receive(1, 500), send(600, 3)}, 3},
		{"an answer after all work", []Operation{send(0, 1), receive(1, 5000)}, 2},
		{"an answer while the send is at work", []Operation{send(0, 1), receive(1, 2001)}, 1},
	} {
		tail := NoOwner
		m := New(radio(), LastTrigger, Options{Emit: func(s *Interval) error {
			if s.Part == trace.Tail {
				tail = s.Shares[0].Owner
			}
			return nil
		}})
		for _, op := range c.ops {
			if err := m.Do(op); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Finish(6 * second); err != nil {
			t.Fatal(err)
		}
		if tail != c.tail {
			t.Errorf("%s: the tail is of owner %d, want %d", c.name, tail, c.tail)
		}
	}
}

// TestHolds uses wakelocks: 90 mW while held, and 30 mJ after the last release.
func TestHolds(t *testing.T) {
	acquire := func(at, handle int64, o Owner) Operation {
		return Operation{Begin: at * ms, End: at*ms + 1000, Verb: trace.OpAcquire, Handle: handle, Owner: o}
	}
	release := func(at, handle int64, o Owner) Operation {
		return Operation{Begin: at * ms, End: at*ms + 1000, Verb: trace.OpRelease, Handle: handle, Owner: o}
	}
	for _, c := range []struct {
		name                  string
		ops                   []Operation
		want                  map[Owner]string
		unheld, never, beyond int64
	}{
		{name: "released by another", ops: []Operation{acquire(0, 7, 1), release(2000, 7, 2)}, want: map[Owner]string{1: "180, 30"}},
		{name: "held to the end", ops: []Operation{acquire(0, 7, 1)}, want: map[Owner]string{1: "900, 0"}, never: 1},
		{name: "nested", ops: []Operation{acquire(0, 7, 1), acquire(1000, 7, 2), release(2000, 7, 2), release(3000, 7, 1)},
			want: map[Owner]string{1: "225, 30", 2: "45, 0"}},
		{name: "two locks", ops: []Operation{acquire(0, 7, 1), acquire(1000, 8, 2), release(2000, 7, 2), release(3000, 8, 1)},
			want: map[Owner]string{1: "135, 0", 2: "135, 30"}},
		{name: "of one owner twice", ops: []Operation{acquire(0, 7, 1), acquire(1000, 8, 1), acquire(1000, 9, 2), release(2000, 7, 2), release(2000, 8, 2), release(2000, 9, 2)},
			want: map[Owner]string{1: "150, 0", 2: "30, 30"}},
		{name: "released without acquire", ops: []Operation{release(0, 7, 1), acquire(1000, 8, 1), release(1500, 7, 1), release(2000, 8, 1)},
			want: map[Owner]string{1: "90, 30"}, unheld: 2},
		{name: "acquired again in the tail", ops: []Operation{acquire(0, 7, 1), release(1000, 7, 1), acquire(1500, 7, 2), release(2500, 7, 2)},
			want: map[Owner]string{1: "90, 15", 2: "90, 30"}},
		{name: "without handles", ops: []Operation{acquire(0, 0, 1), acquire(1000, 0, 2), release(2000, 0, 1), release(3000, 0, 1)},
			want: map[Owner]string{1: "225, 30", 2: "45, 0"}},
		{name: "nobody's", ops: []Operation{acquire(0, 7, NoOwner), acquire(0, 8, 1), release(1000, 7, NoOwner), release(1000, 8, NoOwner)},
			want: map[Owner]string{1: "45, 30"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := play(t, lock(), LastTrigger, 10*second, c.ops...)
			r.owes(t, c.want)
			if r.tally.Unheld != c.unheld || r.tally.Unreleased != c.never || int64(r.tally.Beyond/units.Millijoule) != c.beyond {
				t.Errorf("tally is %+v", r.tally)
			}
		})
	}
	// A single stop ends a receiver that was started twice.
	start := func(at int64, o Owner) Operation {
		return Operation{Begin: at * ms, End: -1, Verb: trace.OpStart, Handle: 7, Owner: o}
	}
	stop := Operation{Begin: 2000 * ms, End: -1, Verb: trace.OpStop, Handle: 7, Owner: 2}
	play(t, lock(), LastTrigger, 10*second, start(0, 1), start(1000, 2), stop).owes(t, map[Owner]string{1: "180, 30"})
}

// TestIntervals checks the intervals that promotion, demotion, ramps and tails emit.
func TestIntervals(t *testing.T) {
	send := func(at, bytes int64, o Owner) Operation {
		return Operation{Begin: at * ms, End: at*ms + 1, Verb: trace.OpSend, Bytes: bytes, Owner: o}
	}
	for _, c := range []struct {
		name string
		ops  []Operation
		want string
	}{
		{"a connection waits for the ramp, and a small send for both", []Operation{
			{Begin: 0, End: 2100 * ms, Verb: trace.OpOpen, Owner: 1}, send(2050, 0, 2),
		}, `
ramp 0s-2s use 600000000 nJ 1:600000000
low 2s-2.05s use 20000000 nJ 1:20000000
low 2.05s-2.06s use 4000000 nJ 1:2000000 2:2000000
low 2.06s-2.1s use 16000000 nJ 1:16000000
forget 2
tail 2.1s-6.1s tail 1000000000 nJ 1:1000000000
doze 6.1s-7.1s tail 100000000 nJ 1:100000000
forget 1
`},
		{"big sends promote, inactivity demotes, a receive counts at its end", []Operation{
			send(0, 0, 1), send(2005, 2048, 2),
			{Begin: 2100 * ms, End: 2300 * ms, Verb: trace.OpReceive, Bytes: 2048, Owner: 3},
		}, `
ramp 0s-2s use 600000000 nJ 1:600000000
low 2s-2.005s use 2000000 nJ 1:2000000
high 2.005s-2.005s use 20000 nJ 2:20000
high 2.005s-2.015s use 8000000 nJ 1:4000000 2:4000000
high 2.015s-2.03s use 12000000 nJ 2:12000000
high 2.03s-2.28s tail 200000000 nJ 2:200000000
high 2.28s-2.28s use 20000 nJ 3:20000
high 2.28s-2.3s use 16000000 nJ 3:16000000
forget 2
high 2.3s-2.8s tail 400000000 nJ 3:400000000
tail 2.8s-6.8s tail 1000000000 nJ 3:1000000000
doze 6.8s-7.8s tail 100000000 nJ 3:100000000
forget 1
forget 3
`},
		{"a doze ramps again, and its ramp belongs to who woke it", []Operation{send(0, 0, 1), send(6510, 0, 2)}, `
ramp 0s-2s use 600000000 nJ 1:600000000
low 2s-2.01s use 4000000 nJ 1:4000000
tail 2.01s-6.01s tail 1000000000 nJ 1:1000000000
doze 6.01s-6.51s tail 50000000 nJ 1:50000000
ramp 6.51s-8.51s use 600000000 nJ 2:600000000
low 8.51s-8.52s use 4000000 nJ 2:4000000
tail 8.52s-12.52s tail 1000000000 nJ 2:1000000000
doze 12.52s-13.52s tail 100000000 nJ 2:100000000
forget 1
forget 2
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := play(t, radio(), LastTrigger, 20*second, c.ops...)
			if got := r.log.String(); strings.TrimSpace(got) != strings.TrimSpace(c.want) {
				t.Errorf("got\n%s\nwant%s", got, c.want)
			}
		})
	}
}

// TestImperfect checks that a machine counts imperfect operations and continues.
func TestImperfect(t *testing.T) {
	read := func(begin, end int64, o Owner) Operation {
		return Operation{Begin: begin * ms, End: end * ms, Verb: trace.OpRead, Owner: o}
	}
	r := play(t, disk(), LastTrigger, 2*second,
		read(1000, 1100, 1),
		read(500, 1200, 2), // the clock went back, or the order is wrong
		read(1300, 1250, 3),
		Operation{Begin: 1400 * ms, End: -1, Verb: trace.OpSend, Owner: 4}, // A disk has no such verb.
	)
	r.owes(t, map[Owner]string{1: "30, 0", 2: "90, 20", 3: "0, 600"})
	want := Tally{Operations: 3, Ignored: 1, Late: 1, Reversed: 1, Beyond: 460 * units.Millijoule}
	if r.tally != want {
		t.Errorf("tally is %+v, want %+v", r.tally, want)
	}
	m := New(disk(), LastTrigger, Options{})
	err := m.Do(Operation{Begin: 0, End: never - 1, Verb: trace.OpRead})
	for at := second; err == nil && at > 0; at *= 2 { // Times that double finally overflow.
		err = m.Advance(at)
	}
	if err = m.Finish(never - 1); err != nil {
		t.Errorf("centuries of reading at 600 mW are an error: %v", err)
	}
	c := disk()
	c.States[1].Power = units.Power(never)
	m = New(c, LastTrigger, Options{})
	_ = m.Do(Operation{Begin: 0, End: second, Verb: trace.OpRead})
	if err := m.Finish(second); err == nil {
		t.Error("more energy than there is was drained without an error")
	}
}

func TestPolicies(t *testing.T) {
	for i, name := range Policies() {
		if p, err := ParsePolicy(name); err != nil || p != Policy(i) || p.String() != name {
			t.Errorf("%q is policy %v, %v", name, p, err)
		}
	}
	if _, err := ParsePolicy("lasttrigger"); err == nil || !strings.Contains(err.Error(), "last-trigger, first-trigger, split-time, utilisation") {
		t.Errorf("a wrong name says %v", err)
	}
	if !slices.Contains(Policies(), "split-time") {
		t.Error("split-time is missing")
	}
}
