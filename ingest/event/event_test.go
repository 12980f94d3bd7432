package event_test

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/event"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

func TestChoose(t *testing.T) {
	all := []event.Event{{"sched:sched_switch", 9}, {"instructions", 4}, {"cpu-cycles:u", 3}, {"task-clock:u", 2}, {"cpu-clock", 0}}
	for _, c := range []struct {
		events []event.Event
		asked  string
		want   int
		wrong  string
	}{
		{all, "", 3, ""},
		{all[:3], "", 2, ""},
		{all[:2], "", 1, ""},
		{all[:1], "", 0, ""},
		{all, "sched:sched_switch", 0, ""},
		{all, "cpu-cycles", 2, ""},
		{all, "cycles", 2, ""},
		{all, "cpu-cycles:u", 2, ""},
		{all[4:], "", 0, "the recording has no samples"},
		{all, "cpu-clock", 0, `no event is called "cpu-clock"; the recording has sched:sched_switch, instructions, cpu-cycles:u, task-clock:u`},
	} {
		got, err := event.Choose(c.events, c.asked)
		if c.wrong != "" && (err == nil || err.Error() != c.wrong) || c.wrong == "" && (err != nil || got.First != c.want || got.Name != c.events[c.want].Name) {
			t.Errorf("%v asked %q: %+v, %v; want %d, %s", c.events, c.asked, got, err, c.want, c.wrong)
		}
	}
	if got := event.Others(all, &event.Choice{First: 3}); len(got) != 3 || got[1].Message != "4 samples of instructions are not counted; --sample-type chooses the event" {
		t.Errorf("others: %v", got)
	}
}

// TestKindsOfCores checks that the events of the cores of several kinds are read together.
func TestKindsOfCores(t *testing.T) {
	intel := []event.Event{{"cpu_atom/instructions/P", 7}, {"cpu_atom/cycles/P", 5}, {"cpu_core/instructions/P", 8}, {"cpu_core/cycles/P", 900}, {"cpu_core/branches/", 0}, {"cpu_atom/branches/", 3}}
	arm := []event.Event{{"armv8_cortex_a53/cpu_cycles/", 5}, {"armv8_cortex_a72/cpu_cycles/", 6}, {"armv8_cortex_a72/cpu_cycles/u", 6}}
	one := []event.Event{{"cycles:u", 5}, {"cycles:k", 6}, {"cpu/cycles/", 1}, {"uncore_imc_0/data/", 1}, {"uncore_imc_1/data/", 1}}
	for _, c := range []struct {
		events []event.Event
		asked  string
		name   string
		read   []int
	}{
		{intel, "", "cycles", []int{1, 3}},
		{intel, "cycles", "cycles", []int{1, 3}},
		{intel, "instructions", "instructions", []int{0, 2}},
		{intel, "cpu_core/cycles/P", "cpu_core/cycles/P", []int{3}},
		{intel, "branches", "cpu_atom/branches/", []int{5}},
		{arm, "", "cpu_cycles", []int{0, 1}},
		{[]event.Event{{"cpu_atom/cycles/Pu", 5}, {"cpu_core/cycles/Pu", 6}}, "", "cycles:u", []int{0, 1}},
		{one, "", "cycles:u", []int{0}},
		{one, "cpu/cycles/", "cpu/cycles/", []int{2}},
		{one, "uncore_imc_0/data/", "uncore_imc_0/data/", []int{3}},
	} {
		got, err := event.Choose(c.events, c.asked)
		var read []int
		for i := range c.events {
			if got.Has(i) {
				read = append(read, i)
			}
		}
		if err != nil || got.Name != c.name || !slices.Equal(read, c.read) {
			t.Errorf("asked %q: %s of %v, %v; want %s of %v", c.asked, got.Name, read, err, c.name, c.read)
		}
		warnings := event.Others(c.events, &got)
		if together := slices.ContainsFunc(warnings, func(w trace.Warning) bool { return w.Code == "kinds-of-cores" }); together != (len(c.read) > 1) {
			t.Errorf("asked %q: %v", c.asked, warnings)
		}
	}
}

// TestMode checks in which mode of the processor an event counts.
func TestMode(t *testing.T) {
	for name, want := range map[string]string{
		"cycles": "", "cycles:u": "user", "cpu-cycles:Pu": "user", "cycles:k": "kernel", "cycles:uk": "", "cycles:P": "", "cpu-clock:u": "user", "cpu_core/cycles/Pu": "user",
		"cpu_core/cycles/": "", "cpu/cycles/k": "kernel", "sched:sched_switch": "", "syscalls:sys_enter_futex": "", event.Wall: "",
	} {
		tr := new(trace.Trace)
		if event.NewCounter(name, event.Frequency{}).Begin(tr); tr.Mode != want {
			t.Errorf("%s counts in mode %q, want %q", name, tr.Mode, want)
		}
	}
}

// TestCounter checks the time or energy of samples, and the warnings, for each kind of event.
func TestCounter(t *testing.T) {
	fast := event.Frequency{Frequency: 3 * units.Gigahertz, Source: "the test gives"}
	for _, c := range []struct {
		name      string
		frequency event.Frequency
		want      trace.Sample
		clock     trace.Clock
		interval  time.Duration
		warning   string
	}{
		{"cpu-clock:u", fast, trace.Sample{CPU: 1000, Count: 1}, trace.ThreadCPU, 500, ""},
		{event.Wall, fast, trace.Sample{Wall: 1000, Count: 1}, trace.WallClock, 0, ""},
		{"cycles:ppp", fast, trace.Sample{CPU: 333, Count: 1}, trace.ThreadCPU | trace.Cycles, 0,
			"1500 cycles are converted to processor time at 3 GHz, which the test gives: the times are as accurate as that frequency"},
		{"cpu-cycles", event.Frequency{}, trace.Sample{Energy: 1000, Weight: 1000, Count: 1}, 0, 0,
			"the values count cpu-cycles, which is neither energy nor time; --cpu-frequency, such as 2.4GHz, converts them to processor time"},
		{"instructions", fast, trace.Sample{Energy: 1000, Weight: 1000, Count: 1}, 0, 0, "the values count instructions, which is neither energy nor time"},
	} {
		tr := &trace.Trace{Threads: make([]trace.Thread, 1)}
		counter := event.NewCounter(c.name, c.frequency)
		counter.Begin(tr)
		var got trace.Sample
		for _, n := range []int64{1000, 500} {
			var s trace.Sample
			if err := counter.Charge(tr, &s, n); err != nil {
				t.Fatal(err)
			}
			if n == 1000 {
				got = s
			}
		}
		counter.Finish(tr)
		var warnings []string
		for _, w := range tr.Warnings {
			warnings = append(warnings, w.Message)
		}
		want := []string{c.warning}
		if c.warning == "" {
			want = nil
		}
		if got.CPU != c.want.CPU || got.Wall != c.want.Wall || got.Energy != c.want.Energy || got.Weight != c.want.Weight || got.Count != 1 ||
			tr.Clock != c.clock || tr.Interval != c.interval || !slices.Equal(warnings, want) || tr.Events != 2 || (tr.Energy == trace.Given) != tr.Unstated {
			t.Errorf("%s: sample %+v, clock %v, interval %v, warnings %q", c.name, got, tr.Clock, tr.Interval, warnings)
		}
		if err := counter.Charge(tr, &trace.Sample{}, math.MaxInt64); err == nil {
			t.Errorf("%s: the sum may overflow", c.name)
		}
		if err := counter.Charge(tr, &trace.Sample{}, -1); err == nil {
			t.Errorf("%s: a negative count is taken", c.name)
		}
	}
}

// TestCyclesAddUp checks that the processor time of a thread is its cycles divided by the
// frequency, rounded down once.
func TestCyclesAddUp(t *testing.T) {
	const hertz = 2_345_678_901
	tr := &trace.Trace{Threads: make([]trace.Thread, 2)}
	counter := event.NewCounter("cycles", event.Frequency{Frequency: hertz})
	counter.Begin(tr)
	var sums [2]int64
	for i := range int64(5000) {
		n := i * i * 7919 % 1_000_003
		if err := counter.Charge(tr, &trace.Sample{Thread: trace.ThreadID(i % 2)}, n); err != nil {
			t.Fatal(err)
		}
		sums[i%2] += n
	}
	for i, sum := range sums {
		want := new(big.Int).Mul(big.NewInt(sum), big.NewInt(1e9))
		want.Div(want, big.NewInt(hertz))
		if got := int64(tr.Threads[i].CPU); got != want.Int64() {
			t.Errorf("thread %d: %d ns for %d cycles, want %d", i, got, sum, want)
		}
	}
}

// TestKnownFrequency prefers the frequency that the user gave to the stated one.
func TestKnownFrequency(t *testing.T) {
	for _, c := range []struct{ given, stated, want units.Frequency }{{2, 3, 2}, {2, 0, 2}, {0, 3, 3}, {0, 0, 0}} {
		if got := event.Known(c.given, c.stated); got.Frequency != c.want || (got.Source == event.Known(1, 0).Source) != (c.given > 0) {
			t.Errorf("%d and %d: %+v", c.given, c.stated, got)
		}
	}
}

// TestIdleCores checks that only samples of a clock in thread 0 are idle.
func TestIdleCores(t *testing.T) {
	for _, c := range []struct {
		name   string
		thread int64
		want   bool
	}{{"cpu-clock", 0, true}, {"cpu-clock", 1, false}, {"cpu-clock", -1, false}, {"instructions", 0, false}} {
		if got := event.NewCounter(c.name, event.Frequency{}).Idle(c.thread); got != c.want {
			t.Errorf("%s in thread %d is idle: %v", c.name, c.thread, got)
		}
	}
}
