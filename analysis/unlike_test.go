package analysis

import (
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

func TestUnlike(t *testing.T) {
	whole := func() *trace.Trace {
		return &trace.Trace{Format: "art", Clock: trace.ThreadCPU, Technique: trace.Sampled, Interval: 2 * time.Millisecond, Elapsed: time.Second}
	}
	for _, c := range []struct {
		change     func(*trace.Trace)
		code, want string
	}{
		{func(r *trace.Trace) {}, "", ""},
		{func(r *trace.Trace) { r.Interval = 3 * time.Millisecond }, "", ""},
		{func(r *trace.Trace) { r.Interval = 0 }, "", ""},
		{func(r *trace.Trace) { r.Interval = 3100 * time.Microsecond }, "interval", "the subject was sampled every 2 ms, the reference every 3.1 ms"},
		{func(r *trace.Trace) { r.Interval = time.Millisecond }, "interval", "the reference every 1 ms"},
		{func(r *trace.Trace) {
			r.Warnings = []trace.Warning{{Code: "truncated", Message: "the file ends at byte 7"}}
		}, "partial",
			"the reference's recording is cut short, and what the run did later is missing: the file ends at byte 7"},
		{func(r *trace.Trace) { r.Clock = trace.ThreadCPU | trace.WallClock }, "clock",
			"the subject has a clock of processor time, the reference clocks of processor time and of elapsed time"},
		{func(r *trace.Trace) { r.Elapsed = 20 * time.Millisecond }, "length", "the recordings last 1 s and 20 ms: longer runs use more"},
		{func(r *trace.Trace) { r.Energy = trace.Given }, "energy", "the subject's energy is unknown, the reference's stated by its file"},
	} {
		reference := whole()
		c.change(reference)
		found := differences(whole(), reference)
		switch {
		case c.code == "" && len(found) > 0:
			t.Errorf("unlike: %v", found)
		case c.code != "" && (len(found) != 1 || found[0].Code != c.code || !strings.Contains(found[0].Message, c.want)):
			t.Errorf("unlike: %v; want %s: %s", found, c.code, c.want)
		}
	}
}

func TestOverloads(t *testing.T) {
	run := func(labels ...string) *cct.Tree {
		tree := new(cct.Tree)
		for _, label := range labels {
			tree.Methods = append(tree.Methods, name.Parse(label, name.Unknown))
		}
		return tree
	}
	full, bare := run("a.B.c()V", "a.B.d()V", "e.F.g_[j]"), run("a.B.c", "a.B.d", "libc.so`read")
	for _, c := range []struct {
		s, r   *cct.Tree
		joined bool
		want   string
	}{
		{full, full, true, ""}, {bare, bare, true, ""}, {full, run("read"), true, ""},
		{full, bare, true, "two names the reference's methods without their parameters: overloads are compared as one method"},
		{bare, full, true, "one names the subject's methods without their parameters: overloads are compared as one method"},
		{bare, full, false, "one names the subject's methods without their parameters: without the step detail, few methods have a counterpart"},
	} {
		got := ""
		if w := overloads(c.s, c.r, &trace.Trace{Format: "one"}, &trace.Trace{Format: "two"}, c.joined); w != nil {
			got = w.Message
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
