package clock

import (
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestFaster checks cycles that a processor at the stated frequency does not count in the elapsed
// time. The frequency in the warning makes the times possible.
func TestFaster(t *testing.T) {
	run := func(elapsed time.Duration, cores int, cpu ...time.Duration) *trace.Trace {
		tr := &trace.Trace{Elapsed: elapsed, Cores: cores, Clock: trace.ThreadCPU | trace.Cycles, Frequency: 1300 * units.Megahertz}
		for _, d := range cpu {
			tr.Threads = append(tr.Threads, trace.Thread{CPU: d, Events: 1})
		}
		return tr
	}
	for name, c := range map[string]struct {
		trace *trace.Trace
		code  string
		want  string
	}{
		"possible":                 {run(time.Second, 4, time.Second), "", ""},
		"one thread":               {run(time.Second, 4, 3*time.Second, time.Second), trace.FasterProcessor, "3.9GHz"},
		"the second thread":        {run(time.Second, 4, 2*time.Second, 3*time.Second), trace.FasterProcessor, "3.9GHz"},
		"all cores":                {run(time.Second, 2, time.Second, time.Second, time.Second, time.Second), trace.FasterProcessor, "2.6GHz"},
		"no processor is as fast":  {run(time.Second, 4, 6*time.Second), trace.ImpossibleTime, "damaged"},
		"just below the frequency": {run(time.Second, 4, 5300*time.Millisecond), trace.FasterProcessor, "6.9GHz"},
	} {
		worked := func(scale float64) (all []time.Duration) {
			for _, th := range c.trace.Threads {
				all = append(all, time.Duration(float64(th.CPU)/scale))
			}
			return all
		}
		w := impossible(c.trace, worked(1))
		switch {
		case c.code == "" && w == nil:
		case w == nil || w.Code != c.code || !strings.Contains(w.Message, c.want):
			t.Errorf("%s: %v, want %s with %s", name, w, c.code, c.want)
		case c.code == trace.FasterProcessor:
			ghz, err := units.Decimal([]byte(strings.TrimSuffix(c.want, "GHz")), int64(units.Gigahertz), 1)
			if err != nil {
				t.Fatal(err)
			}
			if w := impossible(c.trace, worked(float64(ghz)/float64(c.trace.Frequency))); w != nil {
				t.Errorf("%s: at %s: %v", name, c.want, w)
			}
		}
	}
}
