package clock_test

import (
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/clock"
	"github.com/diffprof/diffprof/trace"
)

func TestImpossible(t *testing.T) {
	run := func(elapsed time.Duration, cpu ...time.Duration) *trace.Trace {
		tr := &trace.Trace{Elapsed: elapsed, Clock: trace.ThreadCPU}
		for _, d := range cpu {
			tr.Threads = append(tr.Threads, trace.Thread{Events: 1, CPU: d})
		}
		tr.Usage.Working = tr.CPU()
		return tr
	}
	for _, c := range []struct {
		of   *trace.Trace
		want string
	}{
		{run(time.Second, time.Second, time.Second), ""},
		{run(time.Second, 1090*time.Millisecond), ""},
		{run(time.Second, 3*time.Second, 0, 0), ""},
		{run(0, time.Hour), ""},
		{run(1<<62, 1<<62), ""},
		{run(time.Second, 1200*time.Millisecond), "1 thread worked for 1.2 s within 1 s"},
		{run(4710*time.Millisecond, 14000*time.Second, time.Second), "2 threads worked for 14001 s within 4.71 s, which allows 9.42 s at the most"},
		{cores(run(time.Second, 3*time.Second, 0, 0), 2), "2 cores worked for 3 s within 1 s, which allows 2 s at the most"},
		{cores(run(time.Second, 3*time.Second, 0, 0), 8), ""},
		{unthreaded(run(time.Second, 60*time.Second)), ""},
		{unthreaded(run(time.Second, 6000*time.Second)), "1024 cores worked for 6000 s"},
		{cores(unthreaded(run(time.Second, 6*time.Second)), 4), "4 cores worked for 6 s"},
		{&trace.Trace{Elapsed: time.Second, Clock: trace.WallClock, Usage: trace.Usage{Unknown: 3 * time.Second, Waiting: time.Hour},
			Threads: []trace.Thread{{Events: 1}, {Events: 1}}}, "2 threads worked for 3 s"},
	} {
		got := ""
		if w := clock.Impossible(c.of); w != nil {
			got = w.Message
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func cores(t *trace.Trace, n int) *trace.Trace {
	t.Cores = n
	return t
}

func unthreaded(t *trace.Trace) *trace.Trace {
	t.Unthreaded = true
	return t
}
