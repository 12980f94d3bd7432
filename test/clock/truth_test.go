package clock

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A truth is a recording with the times that an independent reader finds in it.
type truth struct {
	file string
	// gigahertz is the frequency for converting cycles. It is 0 if the recording does not count
	// cycles.
	gigahertz float64
	// elapsed is the elapsed time. It is 0 if the test does not check it.
	elapsed time.Duration
	usage   trace.Usage
	// between is true if only the processor time is known. The result must then be a range that
	// contains usage.Working.
	between bool
}

const ms = time.Millisecond

// small are the recordings in testdata/time.txtar.
var small = []truth{
	{file: "samply.json", elapsed: 1002 * ms, usage: trace.Usage{Working: 2 * ms, Waiting: 1000 * ms}},
	{file: "perf-in-chrome.json", gigahertz: 2, elapsed: time.Second, usage: trace.Usage{Working: 3 * ms}},
	{file: "perf-in-chrome.json", usage: trace.Usage{}},
	{file: "node.cpuprofile", elapsed: 100 * ms, usage: trace.Usage{Waiting: 60 * ms, Unknown: 40 * ms}},
	{file: "page.html", elapsed: 5 * time.Second, usage: trace.Usage{Working: 2 * time.Second, Waiting: 3 * time.Second}},
	{file: "unscheduled.ftrace", elapsed: 10500 * ms, usage: trace.Usage{Waiting: 2 * time.Second, Unknown: 1500 * ms, Unrecorded: 7500 * ms}},
	{file: "wall.json", elapsed: 8 * time.Second, usage: trace.Usage{Waiting: 5 * time.Second, Unknown: 3 * time.Second}},
}

// real are recordings of other programs, in the shared folder.
var real = []truth{
	// jfr print: 472 samples in STATE_DEFAULT, every 10 ms.
	{file: "gjfr-new_spancontext.jfr.gz", elapsed: 2360 * ms, usage: trace.Usage{Working: 4720 * ms}},
	// 1012 samples in STATE_RUNNABLE, with event=wall every 10 ms.
	{file: "gjfr-FastSlow_2024_01_16_180855.jfr.gz", usage: trace.Usage{Working: 10120 * ms}},
	// 996 samples, every 20 ms.
	{file: "gjfr-event-with-type-zero.jfr.gz", usage: trace.Usage{Working: 19920 * ms}},
	// The sum of threadCPUDelta.
	{file: "samply-ls-profile.json.gz", elapsed: 3270 * ms, usage: trace.Usage{Working: 153216 * time.Microsecond, Waiting: 3117 * ms}},
	// 8,364,415,983 cycles.
	{file: "cat-perf_sampling_trace_with_trace_events.json.gz", gigahertz: 2, elapsed: 4171 * ms, usage: trace.Usage{Working: 4182 * ms}},
	{file: "cat-android_systrace.html.gz", elapsed: 5 * time.Second, usage: trace.Usage{Working: 640 * ms, Waiting: 2468 * ms}},
	// go tool pprof -top: 1773 % and 567 % of the elapsed time.
	{file: "pgo-boyter+cs.pprof", usage: trace.Usage{Working: 4500 * ms}},
	{file: "pgo-asg0451+1brc-go.pprof", usage: trace.Usage{Working: 31040 * ms}},
	// user and sys of time(1).
	{file: "aa1.cpuprofile", between: true, usage: trace.Usage{Working: 289 * ms}},
	{file: "aa2.cpuprofile", between: true, usage: trace.Usage{Working: 271 * ms}},
	// simpleperf report: 60 samples of cpu-clock, every millisecond.
	{file: "sp-perf_with_generic_git_symbols.data", usage: trace.Usage{Working: 60 * ms}},
}

func TestTruth(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/time.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range ar.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range small {
		t.Run(c.file, func(t *testing.T) { c.check(t, dir) })
	}
	t.Run("real", func(t *testing.T) {
		dir := filepath.Join(shared, "time")
		if _, err := os.Stat(dir); err != nil {
			t.Skip("the shared recordings are not here:", err)
		}
		for _, c := range real {
			t.Run(c.file, func(t *testing.T) { c.check(t, dir) })
		}
	})
}

// check compares a recording with the truth, within 2 %.
func (c *truth) check(t *testing.T, dir string) {
	o := ingest.Options{Frequency: units.Frequency(c.gigahertz * 1e9)}
	f, err := ingest.Open(context.Background(), filepath.Join(dir, c.file), o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tr, err := f.Scan(t.Context(), &witness{})
	if err != nil {
		t.Fatal(err)
	}
	got, want := tr.Usage, c.usage
	if c.between {
		if got.Working > want.Working || got.Working+got.Unknown < want.Working {
			t.Errorf("%+v, want a range that contains %v", got, want.Working)
		}
		return
	}
	for _, x := range []struct {
		what      string
		got, want time.Duration
	}{
		{"working", got.Working, want.Working}, {"waiting", got.Waiting, want.Waiting},
		{"unknown", got.Unknown, want.Unknown}, {"unrecorded", got.Unrecorded, want.Unrecorded},
	} {
		if !near(x.got, x.want) {
			t.Errorf("%v %s, want %v", x.got, x.what, x.want)
		}
	}
	if c.elapsed != 0 && !near(tr.Elapsed, c.elapsed) {
		t.Errorf("elapsed %v, want %v", tr.Elapsed, c.elapsed)
	}
	if i := slices.IndexFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "impossible-time" }); i >= 0 {
		t.Error(tr.Warnings[i].Message)
	}
}

// near reports whether two durations differ by at most 2 %.
func near(a, b time.Duration) bool {
	return math.Abs(float64(a-b)) <= 0.02*math.Abs(float64(b))
}
