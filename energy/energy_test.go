package energy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/profile"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

func Example() {
	p, err := profile.Read(strings.NewReader(`<device name="Android">
		<array name="cpu.speeds"><value>400000</value><value>800000</value><value>1200000</value></array>
		<array name="cpu.active"><value>55.4</value><value>82.1</value><value>113.7</value></array>
	</device>`))
	if err != nil {
		panic(err)
	}
	choice := p.CPU(units.DefaultVoltage)
	fmt.Println(choice.Source)

	run := recording{clock: trace.ThreadCPU, events: []trace.Event{{CPU: 1000}, {CPU: 2_000_000_000, Kind: trace.Exit}}}
	out, tr, err := scan(energy.Meter(run, energy.Options{CPU: choice.Power}))
	if err != nil {
		panic(err)
	}
	fmt.Println(tr.Energy)
	for _, e := range out.events {
		fmt.Println(units.Micro.Format(e.Energy, 0), units.Micro)
	}
	// Output:
	// 82.1 mA at 800 MHz, the middle one of 3 steps, times 3.7 V
	// cpu-time
	// 0.303 µJ
	// 607540 µJ
}

// A recording is a run in memory.
type recording struct {
	clock   trace.Clock
	energy  trace.Provenance
	silent  bool // does not call trace.Start
	events  []trace.Event
	samples []trace.Sample
	err     error
	warned  []trace.Warning
}

func (r recording) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	if !r.silent {
		trace.Start(sink, r.clock, r.energy)
	}
	for rest := append([]trace.Event(nil), r.events...); len(rest) > 0; {
		n := min(len(rest), 7)
		if err := sink.Events(rest[:n]); err != nil {
			return nil, err
		}
		rest = rest[n:]
	}
	if len(r.samples) > 0 {
		if err := sink.Samples(append([]trace.Sample(nil), r.samples...)); err != nil {
			return nil, err
		}
	}
	return &trace.Trace{Clock: r.clock, Energy: r.energy, Warnings: r.warned}, r.err
}

// A collector records its input.
type collector struct {
	events  []trace.Event
	samples []trace.Sample
	clock   trace.Clock
	energy  trace.Provenance
}

func (c *collector) Start(clock trace.Clock, energy trace.Provenance) {
	c.clock, c.energy = clock, energy
}

func (c *collector) Events(batch []trace.Event) error {
	c.events = append(c.events, batch...)
	return nil
}

func (c *collector) Samples(batch []trace.Sample) error {
	c.samples = append(c.samples, batch...)
	return nil
}

func scan(r trace.Recording) (*collector, *trace.Trace, error) {
	c := &collector{}
	tr, err := r.Scan(context.Background(), c)
	return c, tr, err
}

// slowCharge is the oracle: the energy of an event is the thread's energy after it minus the
// thread's energy before it, each computed from the whole time so far.
func slowCharge(threads []trace.ThreadID, times []int64, power units.Power) (out []*big.Int, total *big.Int) {
	drained := func(thread trace.ThreadID, n int) *big.Int {
		sum := new(big.Int)
		for i := range n {
			if threads[i] == thread {
				sum.Add(sum, big.NewInt(times[i]))
			}
		}
		sum.Mul(sum, big.NewInt(int64(power)))
		return sum.Quo(sum, big.NewInt(1_000_000))
	}
	total = new(big.Int)
	for i, thread := range threads {
		e := new(big.Int).Sub(drained(thread, i+1), drained(thread, i))
		out = append(out, e)
		total.Add(total, e)
	}
	return out, total
}

// checkMeter charges the same times in three runs: of events with processor times, of samples, and
// of events with elapsed times. It compares each run with the oracle.
func checkMeter(t *testing.T, threads []trace.ThreadID, times []int64, power units.Power) {
	t.Helper()
	want, total := slowCharge(threads, times, power)
	run := recording{clock: trace.ThreadCPU | trace.WallClock}
	sampled := recording{clock: trace.WallClock}
	timed := recording{clock: trace.WallClock}
	now, late := make(map[trace.ThreadID]int64), false // late: too large for a moment
	for i, ns := range times {
		thread := threads[i]
		run.events = append(run.events, trace.Event{Time: int64(i), CPU: ns, Thread: thread, Ref: 5, Kind: trace.Exit})
		sampled.samples = append(sampled.samples, trace.Sample{Wall: ns, Thread: thread, Calls: 2})
		if _, met := now[thread]; !met { // The first event of a thread takes no time.
			timed.events = append(timed.events, trace.Event{Time: 1000, Thread: thread})
			now[thread] = 1000
		}
		if now[thread] > math.MaxInt64-ns {
			late = true
			continue
		}
		now[thread] += ns
		timed.events = append(timed.events, trace.Event{Time: now[thread], Thread: thread, Ref: 7})
	}
	out, _, err := scan(energy.Meter(run, energy.Options{CPU: power}))
	outSampled, _, errSampled := scan(energy.Meter(sampled, energy.Options{CPU: power}))
	if !total.IsInt64() {
		if err == nil || errSampled == nil {
			t.Fatalf("a run of %v nJ is charged without an error: %v, %v", total, err, errSampled)
		}
		return
	}
	if err != nil || errSampled != nil {
		t.Fatal(err, errSampled)
	}
	for i, w := range want {
		wantEvent := run.events[i]
		wantEvent.Energy = units.Energy(w.Int64())
		if got := out.events[i]; got != wantEvent {
			t.Fatalf("event %d of %v ns at %d µW: %+v, want %+v", i, times, power, got, wantEvent)
		}
		wantSample := sampled.samples[i]
		wantSample.Energy = wantEvent.Energy
		if got := outSampled.samples[i]; !reflect.DeepEqual(got, wantSample) {
			t.Fatalf("sample %d of %v ns at %d µW: %+v, want %+v", i, times, power, got, wantSample)
		}
	}
	if late {
		return
	}
	outTimed, _, err := scan(energy.Meter(timed, energy.Options{CPU: power}))
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for _, e := range outTimed.events {
		if e.Ref == 0 && e.Energy != 0 {
			t.Fatalf("the first event of a thread is charged %d", e.Energy)
		}
		if e.Ref == 7 {
			if int64(e.Energy) != want[i].Int64() {
				t.Fatalf("event %d of %v ns by the wall clock at %d µW: %d, want %v", i, times, power, e.Energy, want[i])
			}
			i++
		}
	}
}

func TestMeterIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 1000 {
		n := rng.IntN(40)
		threads, times := make([]trace.ThreadID, n), make([]int64, n)
		shift := rng.IntN(64)
		for i := range n {
			threads[i] = trace.ThreadID(rng.IntN(5))
			times[i] = rng.Int64() >> shift
		}
		checkMeter(t, threads, times, units.Power(rng.Int64()>>rng.IntN(64)))
	}
}

func TestMeterAtTheEdges(t *testing.T) {
	const most = math.MaxInt64
	for _, power := range []units.Power{0, 1, 2, 999_999, 1_000_000, 1_000_001, 10 * units.Watt, math.MaxInt32, most - 1, most} {
		for _, times := range [][]int64{
			{}, {0}, {0, 0}, {1}, {most}, {most, most}, {most, 1}, {1, most},
			{999_999, 1}, {1, 1, 1, 999_997}, {1_000_000}, {most/1_000_000 + 1}, {2_000_000, 1, 0},
		} {
			checkMeter(t, make([]trace.ThreadID, len(times)), times, power)
		}
	}
}

// TestMeterLosesNothing charges an hour in 100,000 events. At a low power, most events have less than
// a nanojoule.
func TestMeterLosesNothing(t *testing.T) {
	for _, power := range []units.Power{10 * units.Watt, 100, 1} {
		run := recording{clock: trace.ThreadCPU, events: make([]trace.Event, 100_000)}
		for i := range run.events {
			run.events[i].CPU = 36_000_007
		}
		out, _, err := scan(energy.Meter(run, energy.Options{CPU: power}))
		if err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, e := range out.events {
			sum += int64(e.Energy)
		}
		if want := units.MulDiv(36_000_007*100_000, int64(power), 1_000_000); sum != want {
			t.Errorf("at %d µW: %d nJ, want %d", power, sum, want)
		}
	}
}

// TestMeterIgnoresInterleaving shifts whole threads in time. Their energies must not change.
func TestMeterIgnoresInterleaving(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	byThread := make([][]trace.Event, 4)
	left := 0
	for th := range byThread {
		for range 50 {
			byThread[th] = append(byThread[th], trace.Event{CPU: rng.Int64N(10_000), Thread: trace.ThreadID(th)})
			left++
		}
	}
	energies := func() map[trace.ThreadID][]units.Energy {
		var events []trace.Event
		next := make([]int, len(byThread))
		for len(events) < left {
			th := rng.IntN(len(byThread))
			if next[th] < len(byThread[th]) {
				events = append(events, byThread[th][next[th]])
				next[th]++
			}
		}
		out, _, err := scan(energy.Meter(recording{clock: trace.ThreadCPU, events: events}, energy.Options{CPU: 123_457}))
		if err != nil {
			t.Fatal(err)
		}
		got := map[trace.ThreadID][]units.Energy{}
		for _, e := range out.events {
			got[e.Thread] = append(got[e.Thread], e.Energy)
		}
		return got
	}
	want := energies()
	for range 20 {
		if got := energies(); !reflect.DeepEqual(got, want) {
			t.Fatalf("energies %v in one order, %v in another", got, want)
		}
	}
}

// TestMeterSource tests all combinations of clocks and energies: which time is charged, and
// what the trace and the next sink report.
func TestMeterSource(t *testing.T) {
	const cpu, wall, given = 2_000_000, 5_000_000, 77
	tests := []struct {
		clock  trace.Clock
		energy trace.Provenance
		silent bool
		want   trace.Provenance
		drain  units.Energy
		warns  int
	}{
		{trace.ThreadCPU, trace.NoEnergy, false, trace.CPUTime, 2000, 0},
		{trace.ThreadCPU | trace.WallClock, trace.NoEnergy, false, trace.CPUTime, 2000, 0},
		{trace.WallClock, trace.NoEnergy, false, trace.WallTime, 5000, 1},
		{0, trace.NoEnergy, false, trace.NoEnergy, given, 0},
		{0, trace.Given, false, trace.Given, given, 0},
		{trace.ThreadCPU, trace.Given, false, trace.Given, given, 0},
		{trace.WallClock, trace.WallTime, false, trace.WallTime, given, 0},
		{trace.ThreadCPU, trace.NoEnergy, true, trace.CPUTime, 2000, 0},
	}
	for _, tt := range tests {
		warned := make([]trace.Warning, 1, 5)
		run := recording{clock: tt.clock, energy: tt.energy, silent: tt.silent, warned: warned,
			events:  []trace.Event{{Time: 3, Energy: given}, {Time: 3 + wall, CPU: cpu, Energy: given}},
			samples: []trace.Sample{{CPU: cpu, Wall: wall, Energy: given, Thread: 1}},
		}
		out, tr, err := scan(energy.Meter(run, energy.Options{CPU: 1000, ThreadClock: "buy one"}))
		if err != nil {
			t.Errorf("clock %v, energy %v: %v", tt.clock, tt.energy, err)
			continue
		}
		if tr.Energy != tt.want || out.events[1].Energy != tt.drain || out.samples[0].Energy != tt.drain {
			t.Errorf("clock %v, energy %v: %v, %d and %d nJ; want %v, %d nJ", tt.clock, tt.energy, tr.Energy,
				out.events[1].Energy, out.samples[0].Energy, tt.want, tt.drain)
		}
		if !tt.silent && (out.clock != tt.clock || out.energy != tt.want) {
			t.Errorf("clock %v, energy %v: the next sink is told %v, %v", tt.clock, tt.energy, out.clock, out.energy)
		}
		var accounts []trace.Account
		if tt.energy == trace.NoEnergy && tt.want != trace.NoEnergy {
			accounts = []trace.Account{{Component: "cpu", Provenance: tt.want}}
		}
		if !slices.Equal(tr.Accounts, accounts) {
			t.Errorf("clock %v, energy %v: accounts %v, want %v", tt.clock, tt.energy, tr.Accounts, accounts)
		}
		if len(tr.Warnings) != 1+tt.warns || tt.warns == 1 && (tr.Warnings[1].Code != "wall-clock-energy" || !strings.HasSuffix(tr.Warnings[1].Message, "known to be waiting; buy one")) {
			t.Errorf("clock %v, energy %v: warnings %+v", tt.clock, tt.energy, tr.Warnings)
		}
		if warned[:2][1] != (trace.Warning{}) {
			t.Error("the recording's own warnings were written to")
		}
	}
}

// TestMeterTwice checks that a second meter does not change energies that a first meter computed.
func TestMeterTwice(t *testing.T) {
	run := recording{clock: trace.ThreadCPU, events: []trace.Event{{CPU: 1_000_000}}}
	out, tr, err := scan(energy.Meter(energy.Meter(run, energy.Options{CPU: 5}), energy.Options{CPU: 7}))
	if err != nil || tr.Energy != trace.CPUTime || out.events[0].Energy != 5 {
		t.Errorf("energy %d by %v, %v; want 5 by cpu-time", out.events[0].Energy, tr, err)
	}
}

func TestMeterErrors(t *testing.T) {
	event := []trace.Event{{CPU: 1}}
	tests := []struct {
		name  string
		run   recording
		power units.Power
		want  string
	}{
		{"negative power", recording{clock: trace.ThreadCPU}, -1, "power of -1 µW is negative"},
		{"negative time", recording{clock: trace.ThreadCPU, events: []trace.Event{{CPU: -1}}}, 5, "negative time or thread"},
		{"negative thread", recording{clock: trace.ThreadCPU, events: []trace.Event{{Thread: -1}}}, 5, "negative time or thread"},
		{"negative time of a sample", recording{clock: trace.ThreadCPU, samples: []trace.Sample{{CPU: -1}}}, 5, "negative time or thread"},
		{"silent wall clock", recording{clock: trace.WallClock, silent: true, events: event}, 5, "the energies of events come from cpu-time, but the recording's clock is wall"},
		{"silent energy", recording{energy: trace.Given, silent: true, events: event}, 5, "its energy given"},
		{"the recording's own", recording{clock: trace.ThreadCPU, events: event, err: io.ErrUnexpectedEOF}, 5, "unexpected EOF"},
	}
	for _, tt := range tests {
		_, tr, err := scan(energy.Meter(tt.run, energy.Options{CPU: tt.power}))
		if err == nil || !strings.Contains(err.Error(), tt.want) || tr != nil {
			t.Errorf("%s: trace %v, error %v; want %q", tt.name, tr, err, tt.want)
		}
	}
	_, err := energy.Meter(recording{clock: trace.ThreadCPU, events: event}, energy.Options{CPU: 5}).Scan(context.Background(), full{})
	if !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error of the sink: %v", err)
	}
}

type full struct{}

func (full) Events([]trace.Event) error   { return io.ErrShortWrite }
func (full) Samples([]trace.Sample) error { return nil }

// TestMeterKeepsLaws checks the laws of recordings on a charged recording.
func TestMeterKeepsLaws(t *testing.T) {
	if err := tracetest.Check(context.Background(), energy.Meter(lawful{}, energy.Options{CPU: 444_000})); err != nil {
		t.Error(err)
	}
}

// TestMeterPassesSignals checks that the next sink gets the signals if it takes signals.
func TestMeterPassesSignals(t *testing.T) {
	if _, err := energy.Meter(signalling{}, energy.Options{}).Scan(t.Context(), discard{}); err != errNoSignals {
		t.Errorf("a sink that takes no signals: %v", err)
	}
	var s listener
	if _, err := energy.Meter(signalling{}, energy.Options{}).Scan(t.Context(), &s); err != nil || s.until != 7 {
		t.Errorf("until %d, %v; want 7", s.until, err)
	}
}

var errNoSignals = errors.New("nobody takes signals")

// signalling is a recording with one promise.
type signalling struct{}

func (signalling) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	to := trace.Signals(sink)
	if to == nil {
		return nil, errNoSignals
	}
	return &trace.Trace{}, to.Until(7)
}

type listener struct {
	discard
	until int64
}

func (l *listener) TakeSignals() trace.SignalSink      { return l }
func (l *listener) Track(trace.Track) error            { return nil }
func (l *listener) Signals([]trace.Signal) error       { return nil }
func (l *listener) Operations([]trace.Operation) error { return nil }
func (l *listener) Until(time int64) error             { l.until = time; return nil }

// lawful is a run of one thread that satisfies all laws.
type lawful struct{}

func (lawful) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, trace.ThreadCPU, trace.NoEnergy)
	for i := range int64(3) {
		if err := sink.Events([]trace.Event{{CPU: i * 700}}); err != nil {
			return nil, err
		}
	}
	return &trace.Trace{
		Calls:   trace.CountedCalls,
		Clock:   trace.ThreadCPU,
		Methods: []name.Method{{Name: "a"}},
		Threads: []trace.Thread{{Events: 3, CPU: 2100}},
		Events:  3,
	}, nil
}

// FuzzMeter compares Meter with the oracle on any times and threads.
func FuzzMeter(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 255, 254}, int64(444_000), uint8(0))
	f.Add([]byte{9, 9, 9}, int64(math.MaxInt64), uint8(62))
	f.Fuzz(func(t *testing.T, script []byte, power int64, shift uint8) {
		if power < 0 || len(script) > 60 {
			return
		}
		threads, times := make([]trace.ThreadID, len(script)), make([]int64, len(script))
		for i, c := range script {
			threads[i] = trace.ThreadID(c % 4)
			times[i] = int64(uint64(c/4) << (shift % 64) &^ (1 << 63))
		}
		checkMeter(t, threads, times, units.Power(power))
	})
}
