package jfr_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace/tracetest"
)

// TestGaps checks the time that a sample represents if the recording does not state the interval.
func TestGaps(t *testing.T) {
	ms := func(n float64) int64 { return int64(n * 500_000) } // A tick is 2 ns.
	// sampled returns n samples of a thread, with the given gaps between them in turn.
	sampled := func(state string, n int, gaps ...float64) (all []event) {
		at := int64(0)
		for i := range n {
			all = append(all, event{class: "jdk.ExecutionSample", thread: "a", state: state, stack: []frame{load, run}, ticks: at})
			at += ms(gaps[i%len(gaps)])
		}
		return all
	}
	for name, tt := range map[string]struct {
		samples []event
		each    time.Duration
	}{
		"profile":                 {sampled("RUNNABLE", 60, 10.1, 10.2, 35), 10 * time.Millisecond},
		"default":                 {sampled("RUNNABLE", 60, 20.1, 45), 20 * time.Millisecond},
		"a period of its own":     {sampled("RUNNABLE", 60, 1.05, 3), 1100 * time.Microsecond},
		"threads without a core":  {sampled("RUNNABLE", 60, 33.04, 50), 33100 * time.Microsecond},
		"one gap in fifty":        {sampled("RUNNABLE", 101, append([]float64{.5}, repeated(20.1, 59)...)...), 20 * time.Millisecond},
		"too few gaps":            {sampled("RUNNABLE", 10, 10), 20 * time.Millisecond},
		"longer than a tenth":     {sampled("RUNNABLE", 60, 300), 102400 * time.Microsecond},
		"async-profiler":          {sampled("DEFAULT", 60, 33, 50), 10 * time.Millisecond},
		"async-profiler, often":   {sampled("DEFAULT", 60, 1.05), 1100 * time.Microsecond},
		"several at one moment":   {sampled("RUNNABLE", 60, 0, 20.1), 20 * time.Millisecond},
		"within a tenth of 20 ms": {sampled("RUNNABLE", 60, 18.5), 20 * time.Millisecond},
	} {
		c := &chunk{start: 1_700_000_000_000_000_000, samples: tt.samples}
		rec := recording{data: c.bytes()}
		tr, err := rec.Scan(context.Background(), &tracetest.Collector{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := time.Duration(len(tt.samples)) * tt.each
		if tr.CPU() != want || tr.Usage.Unknown != want {
			t.Errorf("%s: %v, of which %v is unknown, want %v", name, tr.CPU(), tr.Usage.Unknown, want)
		}
		if len(tr.Warnings) != 1 || !strings.Contains(tr.Warnings[0].Message, "any part of this time may be work") {
			t.Errorf("%s: warnings %v", name, tr.Warnings)
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCoarseTimer checks the warning about a system timer that is coarser than the interval that
// async-profiler was asked for.
func TestCoarseTimer(t *testing.T) {
	for name, c := range map[string]struct {
		interval string
		gaps     []float64 // in milliseconds
		warned   bool
	}{
		"a tick of 4 ms":                {"1000000", []float64{4, 3.9, 4.1, 8}, true},
		"a tick of 10 ms":               {"1000000", []float64{10, 10, 30}, true},
		"as asked for":                  {"1000000", []float64{1.02, 1.1, 1.05, 2}, false},
		"an interval of 10 ms":          {"10000000", []float64{10, 12, 12, 12}, false},
		"an interval of 3 ms":           {"3000000", []float64{4, 4, 4}, false},
		"a thread that waits":           {"1000000", []float64{4, 7, 13, 22, 41, 83}, false},
		"a thread that waits for long":  {"1000000", []float64{200, 300}, false},
		"threads that share one timer":  {"1000000", []float64{1, 2, 2, 3, 4, 5, 7}, false},
		"no interval, so the usual one": {"0", []float64{15, 15, 15}, false},
	} {
		at, samples := int64(0), []event(nil)
		for i := range 100 {
			samples = append(samples, event{class: "jdk.ExecutionSample", thread: "a", state: "DEFAULT", stack: []frame{load, run}, ticks: at})
			at += int64(c.gaps[i%len(c.gaps)] * 500_000)
		}
		chunk := &chunk{start: 1_700_000_000_000_000_000, samples: samples, settings: []setting{{"", "event", "itimer"}, {"jdk.ExecutionSample", "interval", c.interval}}}
		tr, err := recording{data: chunk.bytes()}.Scan(context.Background(), &tracetest.Collector{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if warned := len(tr.Warnings) == 1 && tr.Warnings[0].Code == "coarse-timer"; warned != c.warned || len(tr.Warnings) > 1 {
			t.Errorf("%s: warnings %v", name, tr.Warnings)
		}
	}
}

// repeated returns n copies of a number.
func repeated(x float64, n int) (all []float64) {
	for range n {
		all = append(all, x)
	}
	return all
}
