package machine

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// link is a radio that needs 20 µs for a send, and a round trip after it.
func link(trip time.Duration) *model.Component {
	send := []trace.Verb{trace.OpSend}
	return &model.Component{
		Name: "link",
		States: []model.State{
			{Name: "idle"},
			{Name: "active", Kind: model.Productive, Power: units.Watt},
			{Name: "tail", Kind: model.Tail, Power: units.Watt / 2},
		},
		Transitions: []model.Transition{
			{From: 0, To: 1, On: send}, {From: 1, To: 2, Idle: true}, {From: 2, To: 1, On: send}, {From: 2, To: 0, After: time.Second},
		},
		Work: []model.Work{{On: send, Fixed: 20 * time.Microsecond, Latency: trip}},
	}
}

// TestLine checks that waiting operations together take as long as the sum of their work, and that
// the energy of the state is divided among them.
func TestLine(t *testing.T) {
	for _, owners := range []int{1, 7, 20000} {
		ops := make([]Operation, 20000)
		for i := range ops {
			ops[i] = Operation{Begin: int64(i) * 1000, End: int64(i)*1000 + 500, Verb: trace.OpSend, Owner: Owner(i % owners)}
		}
		r := play(t, link(0), LastTrigger, 20*ms, ops...)
		// Each operation ends at a whole nanosecond, and the next one may have to wait for it.
		if want := 400*units.Millijoule + 500*units.Millijoule; r.total < want || r.total > want+100 {
			t.Errorf("%d owners: 20,000 sends of 20 µs take %d nJ, want 400 ms of 1 W and a tail of 0.5 J", owners, r.total)
		}
		least, most := units.Energy(1<<62), units.Energy(0)
		for _, e := range r.use {
			least, most = min(least, e), max(most, e)
		}
		if r.nobody != 0 || len(r.use) != owners || owners > 1 && most-least > most/20 {
			t.Errorf("%d owners: %d have %d to %d nJ, and %d nJ are unattributed", owners, len(r.use), least, most, r.nobody)
		}
	}
}

// TestFullLine checks that an ever growing line has bounded memory. Operations beyond the bound use
// the same energy, but their energy is unattributed.
func TestFullLine(t *testing.T) {
	const n = maxLine + 5000
	r := &result{}
	m := r.machine(link(0), LastTrigger)
	for i := range n {
		if err := m.Do(Operation{Begin: 0, End: 0, Verb: trace.OpSend, Owner: Owner(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.jobs.line) > maxLine {
		t.Errorf("%d operations are in line", len(m.jobs.line))
	}
	if err := m.Finish(0); err != nil {
		t.Fatal(err)
	}
	const lost = n - maxLine - maxParallel + 1
	if want := n*20*units.Microjoule + units.Joule/2; r.total != want || m.Tally().Crowded != lost {
		t.Errorf("%d nJ, want %d; %d operations crowded, want %d", r.total, want, m.Tally().Crowded, lost)
	}
	// The last operation is beyond the bound. It owns the tail.
	if want := lost*20*units.Microjoule + units.Joule/2; r.nobody != want {
		t.Errorf("%d nJ unattributed, want %d", r.nobody, want)
	}
}

// TestRoundTrips checks that round trips overlap, and that the last round trip owns the state while
// nothing else is active.
func TestRoundTrips(t *testing.T) {
	send := func(at int64, o Owner) Operation {
		return Operation{Begin: at, End: at + 1, Verb: trace.OpSend, Owner: o}
	}
	r := play(t, link(70*time.Millisecond), LastTrigger, second, send(0, 1), send(10*ms, 2), send(20*ms, 3))
	// Each send works for 20 µs. The rest of the 90.02 ms belongs to the latest send.
	want := map[Owner]units.Energy{
		1: 10 * units.Millijoule, 2: 10 * units.Millijoule, 3: 70*units.Millijoule + 20*units.Microjoule,
	}
	for o, e := range want {
		if r.use[o] != e {
			t.Errorf("owner %d has %d nJ, want %d", o, r.use[o], e)
		}
	}
	if r.tail[3] != units.Joule/2 {
		t.Errorf("the last send has a tail of %d nJ", r.tail[3])
	}
}

// BenchmarkLine sends more than the link carries, so the line grows.
func BenchmarkLine(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	m := New(link(70*time.Millisecond), LastTrigger, Options{Emit: func(*Interval) error { return nil }})
	at := int64(0)
	for i := 0; b.Loop(); i++ {
		at += r.Int64N(1000)
		if err := m.Do(Operation{Begin: at, End: at + 100, Verb: trace.OpSend, Owner: Owner(i % maxLine)}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestThroughput checks that sending a MiB within a second costs the same in one send as in many.
func TestThroughput(t *testing.T) {
	const mebibyte = 1 << 20
	for name, component := range map[string]string{"lte": "cellular", "wifi": "wifi", "5g": "cellular"} {
		d, err := model.Ready(name)
		if err != nil {
			t.Fatal(err)
		}
		total := func(sends int64) units.Energy {
			ops := make([]Operation, sends)
			for i := range ops {
				at := int64(i) * 900 * ms / sends
				bytes := (int64(i)+1)*mebibyte/sends - int64(i)*mebibyte/sends
				ops[i] = Operation{Begin: at, End: at + 20_000, Verb: trace.OpSend, Bytes: bytes, Owner: Owner(i % 5)}
			}
			return play(t, d.Component(component), LastTrigger, second, ops...).total
		}
		one := total(1)
		for _, sends := range []int64{128, 1024, 10485} {
			if many := total(sends); many < one*9/10 || many > one*11/10 {
				t.Errorf("%s: a MiB in %d sends costs %d mJ, in one send %d mJ", name, sends, many/units.Millijoule, one/units.Millijoule)
			}
		}
	}
}
