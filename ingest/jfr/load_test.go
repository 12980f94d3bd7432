package jfr_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// TestLoad checks that the JVM's samples together represent at most the processor time that the JVM
// measured.
func TestLoad(t *testing.T) {
	// The samples are 20 ms apart and cover the two seconds of a recording.
	const state = "RUNNABLE"
	samples := func(threads int, state string) (all []event) {
		for i := range 100 {
			for n := range threads {
				all = append(all, event{class: "jdk.ExecutionSample", thread: string(rune('a' + n)), state: state, stack: []frame{load, run}, ticks: int64(i) * 10_000_000})
			}
		}
		return all
	}
	full := []float32{0, 1, 1, 1, 1}
	for name, tt := range map[string]struct {
		settings []setting
		samples  []event
		cores    int64
		loads    []float32
		cpu      time.Duration
		warning  string
	}{
		"one thread, one core":        {nil, samples(1, state), 1, full, 2 * time.Second, ""},
		"two threads, two cores":      {nil, samples(2, state), 2, full, 4 * time.Second, ""},
		"five threads, two cores":     {nil, samples(5, state), 2, full, 4 * time.Second, "the samples count 10 s of running threads, but the JVM measured that it used 4 s"},
		"another process has a core":  {nil, samples(2, state), 2, []float32{0.9, .5, .5, .5, .5}, 2 * time.Second, "each sample of a thread that the JVM did not measure counts as 10 ms instead of 20 ms"},
		"the first share is not used": {nil, samples(1, state), 1, []float32{0, 1, 1, 1, 1}, 2 * time.Second, ""},
		"measured until 1.5 s":        {nil, samples(5, state), 2, full[:4], 4 * time.Second, "the samples count 7.5 s of running threads, but the JVM measured that it used 3 s"},
		"measured from 0.5 s on":      {nil, samples(5, state), 2, []float32{-1, 0, 1, 1, 1}, 4 * time.Second, "the samples count 7.5 s of running threads, but the JVM measured that it used 3 s"},
		"no cores":                    {nil, samples(5, state), 0, full, 10 * time.Second, ""},
		"one measurement":             {nil, samples(5, state), 2, full[:1], 10 * time.Second, ""},
		"half a second":               {nil, samples(5, state), 2, full[:2], 10 * time.Second, ""},
		"no load":                     {nil, samples(2, state), 2, make([]float32, 5), 4 * time.Second, ""},
		"no number":                   {nil, samples(2, state), 2, []float32{0, float32(math.NaN()), -1, float32(math.Inf(1)), 1e30}, 4 * time.Second, ""},
		"native code":                 {nil, samples(1, state), 8, full, 2 * time.Second, "the samples count 2 s of the 16 s of processor time"},
		"async-profiler": {[]setting{{"", "event", "cpu"}, {"jdk.ExecutionSample", "interval", "20000000"}}, samples(3, "DEFAULT"), 1, full,
			6 * time.Second, ""},
		"async-profiler, elapsed time": {[]setting{{"", "event", "wall"}, {"jdk.ExecutionSample", "interval", "20000000"}}, samples(3, state), 1, full,
			0, "these samples may be work or not"},
	} {
		c := &chunk{start: 1_700_000_000_000_000_000, settings: tt.settings, samples: tt.samples, cores: tt.cores, loads: tt.loads}
		if c.settings == nil {
			c.settings = []setting{{"jdk.ExecutionSample", "period", "20 ms"}}
		}
		rec := recording{data: c.bytes()}
		tr, err := rec.Scan(context.Background(), &tracetest.Collector{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := tr.CPU() - tt.cpu; d.Abs() > tt.cpu/50 {
			t.Errorf("%s: %v, want %v", name, tr.CPU(), tt.cpu)
		}
		var messages []string
		for _, w := range tr.Warnings {
			messages = append(messages, w.Message)
		}
		got := strings.Join(messages, "\n")
		if !strings.Contains(strings.ToLower(got), strings.ToLower(tt.warning)) || tt.warning == "" && got != "" {
			t.Errorf("%s: warning %q, want %q", name, got, tt.warning)
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestThreadLoad checks that the samples of a thread together represent at most the processor time
// that the JVM measured for this thread.
func TestThreadLoad(t *testing.T) {
	// Two threads are sampled for two seconds, 20 ms apart. A tick is 2 ns.
	var samples []event
	for i := range 100 {
		for _, thread := range []string{"a", "b"} {
			samples = append(samples, event{class: "jdk.ExecutionSample", thread: thread, state: "RUNNABLE", stack: []frame{load, run}, ticks: int64(i) * 10_000_000})
		}
	}
	begin := func(thread string) threadLoad { return threadLoad{thread: thread, begins: true} }
	after := func(thread string, seconds float64, share float32) threadLoad {
		return threadLoad{thread: thread, ticks: int64(seconds * 5e8), share: share}
	}
	often := []setting{{"jdk.ExecutionSample", "period", "5 ms"}}
	wall := []setting{{"", "event", "wall"}, {"jdk.ExecutionSample", "interval", "20000000"}}
	const s = time.Second
	for name, tt := range map[string]struct {
		settings      []setting
		loads         []threadLoad
		a, b, unknown time.Duration
		warning       string
	}{
		"no measurement":         {nil, nil, 2 * s, 2 * s, 0, ""},
		"both worked":            {nil, []threadLoad{begin("a"), begin("b"), after("a", 2, .5), after("b", 2, .5)}, 2 * s, 2 * s, 0, ""},
		"one waited":             {nil, []threadLoad{begin("a"), after("a", 2, .25), begin("b"), after("b", 2, .5)}, s, 2 * s, 0, "samples of 1 running thread count 2 s, but the JVM measured 1 s"},
		"both waited":            {nil, []threadLoad{begin("a"), after("a", 2, .05), begin("b"), after("b", 2, .25)}, s / 5, s, 0, "samples of 2 running threads count 4 s, but the JVM measured 1.2 s"},
		"in two parts":           {nil, []threadLoad{begin("a"), after("a", 2, .1), after("a", 1, .4)}, s, 2 * s, 0, "samples of 1 running thread"},
		"the start is not known": {nil, []threadLoad{after("a", 2, .1)}, 2 * s, 2 * s, 0, ""},
		"from a measurement on":  {nil, []threadLoad{after("a", .4, .1), after("a", 2, .25)}, s, 2 * s, 0, "samples of 1 running thread"},
		"less than half":         {nil, []threadLoad{after("a", 1.2, .1), after("a", 2, .1)}, 2 * s, 2 * s, 0, ""},
		"nothing was used":       {nil, []threadLoad{begin("a"), after("a", 2, 0)}, 2 * s, 2 * s, 0, ""},
		"no number":              {nil, []threadLoad{begin("a"), after("a", 2, float32(math.NaN()))}, 2 * s, 2 * s, 0, ""},
		"too few samples":        {often, []threadLoad{begin("a"), after("a", 2, .4), begin("b"), after("b", 2, .2)}, 8 * s / 5, 4 * s / 5, 0, "samples of 2 running threads count 1 s, but the JVM measured 2.4 s"},
		"a thread of the JVM":    {often, []threadLoad{begin("a"), after("a", 2, .4), begin("C2 "), after("C2 ", 2, .5)}, 8 * s / 5, s / 2, 0, "samples of 1 running thread count 500 ms"},
		"elapsed time":           {wall, []threadLoad{begin("a"), after("a", 2, .25), begin("b"), after("b", 2, .5)}, 2 * s, 2 * s, 2 * s, "samples of 1 running thread count 2 s, but the JVM measured 1 s of processor time there; threads that can run may wait for a core. The samples may be work or not"},
	} {
		c := &chunk{start: 1_700_000_000_000_000_000, settings: tt.settings, samples: samples, cores: 2, threadLoads: tt.loads}
		if c.settings == nil {
			c.settings = []setting{{"jdk.ExecutionSample", "period", "20 ms"}}
		}
		rec := recording{data: c.bytes()}
		var all tracetest.Collector
		tr, err := rec.Scan(context.Background(), &all)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for id, want := range []time.Duration{tt.a, tt.b} {
			th := tr.Threads[id]
			if d := th.CPU + th.Wall - want; d.Abs() > want/20 {
				t.Errorf("%s: thread %s has %v, want %v", name, th.Name, th.CPU+th.Wall, want)
			}
		}
		var unknown time.Duration
		for _, sample := range all.Kept {
			if sample.Wall > 0 && sample.Activity == trace.UnknownActivity {
				unknown += time.Duration(sample.Wall)
			}
		}
		if unknown != tt.unknown {
			t.Errorf("%s: %v is unknown, want %v", name, unknown, tt.unknown)
		}
		var messages []string
		for _, w := range tr.Warnings {
			messages = append(messages, w.Message)
		}
		got := strings.Join(messages, "\n")
		if !strings.Contains(got, tt.warning) || tt.warning == "" && got != "" {
			t.Errorf("%s: warning %q, want %q", name, got, tt.warning)
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnsampled checks that the time without samples counts as Unsampled, unless the JVM sampled as
// many threads at once as it does at most. On a busy machine, a part of each sample may be waiting
// for a core.
func TestUnsampled(t *testing.T) {
	for _, tt := range []struct {
		threads   int
		machine   float32
		share     float32 // the part of the time in which a thread worked
		unsampled time.Duration
	}{
		{1, 0.5, 1, 800 * time.Millisecond}, {5, 0.5, 1, 0}, {1, 1, 1, 800 * time.Millisecond},
		{1, 0.5, 0.8, 400 * time.Millisecond}, {1, 1, 0.8, 640 * time.Millisecond},
	} {
		threads, unsampled, worked := tt.threads, tt.unsampled, time.Duration(float64(tt.share)*float64(2*time.Second))
		c := &chunk{
			start: 1_700_000_000_000_000_000, cores: 8, settings: []setting{{"jdk.ExecutionSample", "period", "20 ms"}},
			loads: []float32{0.1}, machine: tt.machine,
		}
		for th := range threads {
			// The JVM samples a thread in 60 of 100 ticks.
			thread := fmt.Sprint("t", th)
			for i := range 60 {
				c.samples = append(c.samples, event{class: "jdk.ExecutionSample", thread: thread, state: "RUNNABLE", stack: []frame{load, run}, ticks: int64(i) * 10_000_000})
			}
			c.threadLoads = append(c.threadLoads, threadLoad{thread: thread, begins: true}, threadLoad{thread: thread, ticks: 1_000_000_000, share: tt.share / 8})
		}
		tr, err := recording{data: c.bytes()}.Scan(context.Background(), &tracetest.Collector{})
		if err != nil {
			t.Fatal(err)
		}
		if (tr.Unsampled-unsampled).Abs() > unsampled/20 || (tr.CPU()-time.Duration(threads)*worked).Abs() > 100*time.Millisecond {
			t.Errorf("%+v: %v of %v was not sampled, want %v", tt, tr.Unsampled, tr.CPU(), unsampled)
		}
		if got := tr.Warnings[0].Message; strings.Contains(got, "Math.sin") != (unsampled > 0) {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

// TestLostSamples checks that async-profiler's samples of processor time are compared with what the
// JVM measured. async-profiler samples all threads of the JVM, so a large difference means that
// samples are lost.
func TestLostSamples(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		every int64 // milliseconds
		lost  bool
	}{
		"one in four":             {"itimer", 4, true},
		"all":                     {"itimer", 1, false},
		"half":                    {"cpu", 2, false},
		"one in four, by the JVM": {"", 4, false},
	} {
		chunk := &chunk{start: 1_700_000_000_000_000_000, cores: 2, loads: []float32{0, .5, .5}}
		chunk.settings = []setting{{"jdk.ExecutionSample", "interval", "1000000"}}
		if c.event != "" {
			chunk.settings = append(chunk.settings, setting{"", "event", c.event})
		}
		for at := int64(0); at < 1000; at += c.every {
			if at/c.every%3 != 0 || c.every < 4 { // The gaps differ.
				chunk.samples = append(chunk.samples, event{class: "jdk.ExecutionSample", thread: "a", state: "DEFAULT", stack: []frame{load, run}, ticks: at * 500_000})
			}
		}
		tr, err := recording{data: chunk.bytes()}.Scan(context.Background(), &tracetest.Collector{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if lost := slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "unsampled-time" }); lost != c.lost {
			t.Errorf("%s: %v counted, warnings %v", name, tr.CPU(), tr.Warnings)
		}
	}
}

// TestShortThreads checks that threads with few samples are calibrated together. It also checks
// that a sample of threads that ran native code represents at most the interval.
func TestShortThreads(t *testing.T) {
	// Each of a hundred threads works for 40 ms. Every second one has one sample of 20 ms.
	record := func(native bool, cpuTime int64) recording {
		c := &chunk{start: 1_700_000_000_000_000_000, cores: 2, settings: []setting{{"jdk.ExecutionSample", "period", "20 ms"}}, loads: []float32{0, .5, .5, .5, .5, .5, .5, .5, .5}}
		for i := range 100 {
			thread, at := fmt.Sprint("t", i), int64(i)*20_000_000
			c.threadLoads = append(c.threadLoads, threadLoad{thread: thread, ticks: at, begins: true}, threadLoad{thread: thread, ticks: at + 20_000_000, share: .5})
			if i%2 == 0 {
				class := "jdk.ExecutionSample"
				if cpuTime > 0 {
					class = "jdk.CPUTimeSample"
				}
				c.samples = append(c.samples, event{class: class, thread: thread, state: "RUNNABLE", stack: []frame{load, run}, ticks: at + 10_000_000, period: cpuTime})
			}
			if native {
				c.samples = append(c.samples, event{class: "jdk.NativeMethodSample", thread: thread, state: "RUNNABLE", stack: []frame{load, run}, ticks: at})
			}
		}
		return recording{data: c.bytes()}
	}
	for name, tt := range map[string]struct {
		rec     recording
		cpu     time.Duration
		warning string
	}{
		"running":        {record(false, 0), 4 * time.Second, "unsampled-time"},
		"in native code": {record(true, 0), time.Second, "unsampled-time"},
		"processor time": {record(false, 4_000_000), 200 * time.Millisecond, "unsampled-time"},
		"all of it":      {record(false, 80_000_000), 4 * time.Second, ""},
	} {
		tr, err := tt.rec.Scan(context.Background(), &tracetest.Collector{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := tr.CPU() - tt.cpu; d.Abs() > tt.cpu/50 || tr.Usage.Unknown != 0 {
			t.Errorf("%s: %v, %v unknown, want %v", name, tr.CPU(), tr.Usage.Unknown, tt.cpu)
		}
		var codes []string
		for _, w := range tr.Warnings {
			codes = append(codes, w.Code)
		}
		got := strings.Join(codes, " ")
		if !strings.Contains(got, tt.warning) || tt.warning == "" && got != "" {
			t.Errorf("%s: warnings %v, want %q", name, tr.Warnings, tt.warning)
		}
	}
}
