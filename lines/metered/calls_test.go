package metered

import (
	"math"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// input makes some lines call a method that reads, which uses a varying power, or a method that
// sleeps.
func (p *walk) input(s *statement) {
	if !p.simulation.input || s.line%4 != 1 || p.random.IntN(30) > 0 {
		return
	}
	begin := p.now
	at := len(p.world.methods)
	sleeps := p.random.IntN(3) == 0
	if sleeps {
		at++
		p.spend(0, 1e6+20e6*p.random.Float64(), place{})
	} else {
		energy := 10e6 * math.Exp(0.5*p.random.NormFloat64())
		p.callNJ += energy
		p.spend(energy, energy/(1+2*p.random.Float64()), place{})
	}
	p.world.calls = append(p.world.calls, trace.Invocation{
		Method: trace.MethodID(at), Caller: p.m.id, Line: s.line, Waits: sleeps, Enter: int64(begin), Exit: int64(p.now),
	})
}

// TestWaiting has a thread that sleeps from 20 to 50. In this time, the other thread gets all
// power.
func TestWaiting(t *testing.T) {
	d := &Data{
		methods: make([]name.Method, 3),
		paths:   []trace.Path{{Thread: 1}, {Thread: 2}},
		runs:    []run{{0, 0, 100}, {1, 10, 60}},
		meter:   meter{{0, 0}, {100, 1000}}, begin: 0, end: 100,
	}
	err := d.addCalls([]trace.Invocation{
		{Thread: 1, Method: 1, Waits: true, Enter: 20, Exit: 50}, {Thread: 1, Method: 2, Enter: 70, Exit: 80}, {Thread: 1, Method: 2, Enter: 90, Exit: 100},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newSheet(d)
	for i, want := range []float64{10 + 5 + 5 + 10 + 10, 5 + 30 + 5, 0, 10, 10} {
		got := 0.0
		for _, p := range s.partsOf(i) {
			got += p.time
		}
		if got != want {
			t.Errorf("run %d has %v ns, want %v", i, got, want)
		}
	}
	if s.periods[0].busy != 100 || len(d.paths) != 4 {
		t.Errorf("paths run for %v ns; %d paths", s.periods[0].busy, len(d.paths))
	}
	if err := d.addCalls([]trace.Invocation{{Method: 1, Enter: 2, Exit: 1}}); err == nil {
		t.Error("a call that ends before its begin is no error")
	}
}

// TestCalls simulates an app that reads and sleeps. The energy of reads must not be part of lines,
// and the time asleep must count as idle.
func TestCalls(t *testing.T) {
	for _, seed := range shorten.Some([]uint64{41, 42}) {
		w := simulate(simulation{seed: seed, rate: 1000, seconds: 20, spread: 0.3, power: 0.1, methodCount: 20, noise: 0.01, busy: 0.6, input: true})
		with := measure(t, w)
		calls := w.calls
		w.calls = nil
		without := measure(t, w)
		w.calls = calls
		sc, off := w.score(with), w.score(without)
		median := func(values []float64) float64 {
			if len(values) == 0 {
				return math.Inf(1)
			}
			return values[len(values)/2]
		}
		t.Logf("seed %d: median error %.3f, %d of %d shown hold, calls %v of %.0f; without calls %.3f, %d of %d, %q", seed,
			median(sc.errors), sc.held, sc.shown, with.CallEnergy, w.callNJ, median(off.errors), off.held, off.shown, without.Reason)
		if sum := with.Lined + with.Unlined + with.Probes + with.EventEnergy + with.CallEnergy + with.Idle + with.Rest; sum != with.Metered {
			t.Errorf("seed %d: the parts are %v of %v", seed, sum, with.Metered)
		}
		if e := float64(with.CallEnergy); math.Abs(e-w.callNJ) > 0.1*w.callNJ || len(with.Calls) != 1 || with.Calls[0].Method.Name != "read" {
			t.Errorf("seed %d: calls %+v, want %.0f nJ", seed, with.Calls, w.callNJ)
		}
		if median(sc.errors) > 0.25 || sc.shown == 0 || sc.held*10 < sc.shown*9 {
			t.Errorf("seed %d: median error %.3f, %d of %d shown lines hold; %q", seed, median(sc.errors), sc.held, sc.shown, with.Reason)
		}
	}
}

func measure(t *testing.T, w *world) *Result {
	t.Helper()
	d, err := Read(t.Context(), w, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	return New(d, Options{})
}
