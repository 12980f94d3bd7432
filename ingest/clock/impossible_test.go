package clock

import (
	"strings"
	"testing"
	"time"

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
		trace *trace.Trace
		want  string
	}{
		{run(time.Second, time.Second, time.Second), ""},
		{run(time.Second, 1090*time.Millisecond), ""},
		{run(time.Second, 3*time.Second, 0, 0), "a thread worked for 3 s within 1 s, which allows only 1 s"},
		{run(0, time.Hour), ""},
		{run(1<<62, 1<<62), ""},
		{run(time.Second, 1200*time.Millisecond), "a thread worked for 1.2 s within 1 s"},
		{every(time.Second, run(time.Second, 2900*time.Millisecond)), ""},
		{every(time.Hour, run(time.Second, 3200*time.Millisecond)), "a thread worked for 3.2 s"},
		{named("x", run(4710*time.Millisecond, time.Second, 14000*time.Second)), "thread x worked for 14000 s within 4.71 s, which allows only 4.71 s"},
		{cores(run(time.Second, time.Second, time.Second, time.Second), 2), "2 cores worked for 3 s within 1 s, which allows only 2 s"},
		{cores(run(time.Second, time.Second, time.Second, time.Second), 8), ""},
		{unthreaded(run(time.Second, 60*time.Second)), ""},
		{unthreaded(run(time.Second, 6000*time.Second)), "1024 cores worked for 6000 s"},
		{cores(unthreaded(run(time.Second, 6*time.Second)), 4), "4 cores worked for 6 s"},
	} {
		got := ""
		worked := make([]time.Duration, len(c.trace.Threads))
		for i, th := range c.trace.Threads {
			worked[i] = th.CPU
		}
		if w := impossible(c.trace, worked); w != nil {
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

func every(interval time.Duration, t *trace.Trace) *trace.Trace {
	t.Interval = interval
	return t
}

func named(last string, t *trace.Trace) *trace.Trace {
	t.Threads[len(t.Threads)-1].Name = last
	return t
}
