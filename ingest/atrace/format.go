package atrace

import (
	"context"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes logs of atrace and systrace.
var Format = format.Format{
	Name:       "atrace",
	Title:      "logs of atrace and systrace",
	Start:      "`# tracer:`, `TRACE:`, or a page of HTML titled Android System Trace",
	Extensions: []string{"ftrace", "systrace"},
	Facts: []format.Fact{
		{Name: "run", Detail: "the slices of one process as calls of their threads; --process chooses the process"},
		{Name: "methods", Detail: "the names of slices, with numbers replaced"},
		{Name: "threads", Detail: "id, name and process"},
		{Name: "clocks", Detail: "processor time of each slice, if the log has the scheduler's switches, and time since the start"},
		{Name: "calls", Detail: "counted"},
		{Name: "signals", Detail: "switches, frequencies, idle states and counters"},
	},
	Record: []format.Recipe{
		{
			Tools: "adb",
			Steps: []string{"adb exec-out atrace -z -b 65536 -t 10 -a com.mine sched freq idle gfx view am dalvik > app.ftrace"},
		},
		{
			Tools: "systrace from older SDKs",
			Steps: []string{"systrace.py -t 10 -a com.mine -o trace.html sched freq idle gfx view am dalvik"},
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, format.Opener(ctx, s), sink, Options{Process: o.Process, Partial: o.Partial, Triggers: o.Triggers})
}
