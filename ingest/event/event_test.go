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
		if c.wrong != "" && (err == nil || err.Error() != c.wrong) || c.wrong == "" && (err != nil || got != c.want) {
			t.Errorf("%v asked %q: %d, %v; want %d, %s", c.events, c.asked, got, err, c.want, c.wrong)
		}
	}
	if got := event.Others(all, 3); len(got) != 3 || got[1].Message != "4 samples of instructions are not counted; --sample-type chooses the event" {
		t.Errorf("others: %v", got)
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
