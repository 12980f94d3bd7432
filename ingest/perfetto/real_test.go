package perfetto_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/perfetto"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// real returns a file of a real run, and skips the test if the file is absent.
func real(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, name))
	if err != nil {
		t.Skipf("real traces lie beside the repository: %v", err)
	}
	return data
}

// A tally counts the content of a scan.
type tally struct {
	kinds   map[trace.Kind]int
	threads map[trace.ThreadID]int // threads has the number of calls of each thread.
	tracks  []trace.Track
	signals map[trace.SignalKind]int
	drains  map[trace.TrackID][]int64
}

func newTally() *tally {
	return &tally{
		kinds: map[trace.Kind]int{}, threads: map[trace.ThreadID]int{},
		signals: map[trace.SignalKind]int{}, drains: map[trace.TrackID][]int64{},
	}
}

func (c *tally) Events(batch []trace.Event) error {
	for _, e := range batch {
		c.kinds[e.Kind]++
		if e.Kind == trace.Enter {
			c.threads[e.Thread]++
		}
	}
	return nil
}

func (c *tally) Samples([]trace.Sample) error         { return nil }
func (c *tally) TakeSignals() trace.SignalSink        { return c }
func (c *tally) Operations(b []trace.Operation) error { return nil }
func (c *tally) Until(int64) error                    { return nil }

// sliced counts the threads that have slices within the call that represents their process.
func (c *tally) sliced() int {
	n := 0
	for _, calls := range c.threads {
		if calls > 1 {
			n++
		}
	}
	return n
}

func (c *tally) Track(t trace.Track) error {
	c.tracks = append(c.tracks, t)
	return nil
}

func (c *tally) Signals(batch []trace.Signal) error {
	for _, s := range batch {
		c.signals[s.Kind]++
		if s.Kind == trace.Drain {
			c.drains[s.Track] = append(c.drains[s.Track], s.Value)
		}
	}
	return nil
}

// TestRealStartup compares a phone's trace with the results of Perfetto's trace_processor.
func TestRealStartup(t *testing.T) {
	r := recording{data: real(t, "api32_startup_warm.perfetto-trace"), opts: perfetto.Options{Process: "*"}}
	if err := tracetest.Check(t.Context(), r); err != nil {
		t.Error(err)
	}
	c := newTally()
	tr, err := r.Scan(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	// trace_processor omits the time of each of the eight cores from its first switch to its
	// second. This time is 851197 ns in total.
	const busy = 2309126679 + 851197
	// Each thread has one call that represents its process and contains its slices.
	if n := c.kinds[trace.Enter] - len(c.threads); n != 5280+2 || c.kinds[trace.Exit] != c.kinds[trace.Enter] {
		t.Errorf("%d slices begin, not 5280 that end and 2 that do not", n)
	}
	// The 140th thread with slices has only the end of a slice.
	if c.sliced() != 139 {
		t.Errorf("%d threads have slices, not 139", c.sliced())
	}
	if tr.CPU() != busy {
		t.Errorf("%d ns of processor time, not %d", tr.CPU(), busy)
	}
	for code, want := range map[string]string{"open-calls": "2 slices", "orphan-ends": "3 slices"} {
		if !slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == code && strings.HasPrefix(w.Message, want) }) {
			t.Errorf("no warning %s of %s in %v", code, want, tr.Warnings)
		}
	}
	if len(c.drains) != 16 || c.signals[trace.Drain] != 16*8 || c.signals[trace.Switch] != 11086 || c.signals[trace.Idle] != 6809 {
		t.Errorf("%d rails, signals %v", len(c.drains), c.signals)
	}
	// The power rails of the little, the middle and the big cluster used 256, 84 and 112 mJ.
	var drained []int64
	for id, values := range c.drains {
		if strings.HasPrefix(c.tracks[id].Name, "S") && strings.Contains(c.tracks[id].Name, "VDD_CPUCL") {
			drained = append(drained, (values[len(values)-1]-values[0]+5e5)/1e6)
		}
	}
	slices.Sort(drained)
	if !slices.Equal(drained, []int64{84, 112, 256}) {
		t.Errorf("the clusters drained %d mJ", drained)
	}
	// The device had slept for 62,000 s since it started.
	first := map[trace.SystemClock]int64{}
	for _, r := range tr.Timeline {
		if first[r.Clock] == 0 {
			first[r.Clock] = r.Value - r.Time
		}
	}
	if asleep := (first[trace.Boottime] - first[trace.Monotonic]) / 1e9; asleep != 62091 {
		t.Errorf("asleep for %d s", asleep)
	}
}

// TestRealApp checks that the app under test is chosen among all processes.
func TestRealApp(t *testing.T) {
	r := recording{data: real(t, "api32_startup_warm.perfetto-trace")}
	if err := tracetest.Check(t.Context(), r); err != nil {
		t.Error(err)
	}
	tr, err := r.Scan(t.Context(), newTally())
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Processes) != 1 || tr.Processes[0].Name != "androidx.benchmark.integration.macrobenchmark.target" {
		t.Errorf("processes %v", tr.Processes)
	}
}
