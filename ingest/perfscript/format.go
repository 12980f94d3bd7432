package perfscript

import (
	"context"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes text of perf script.
var Format = format.Format{
	Name:       "perf-script",
	Title:      "text of perf script",
	Start:      "text: a thread, its number, a time and an event; or `# captured on`",
	Extensions: []string{"perf-script"},
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks of one event, where cpu-clock and task-clock are processor time"},
		{Name: "methods", Detail: "class and name; for native code the library and the function"},
		{Name: "lines", Detail: "with perf script -F +srcline; of callers only if perf unwound the stacks with DWARF"},
		{Name: "threads", Detail: "id and name, and the process if it is printed"},
		{Name: "clocks", Detail: "processor time, if the event is a clock, or if it counts cycles of a known frequency"},
	},
	Record: []format.Recipe{
		{
			Tools: "perf, on Linux",
			Steps: []string{"perf record -e cpu-clock -F 1000 -g -p PID -- sleep 30", "perf script --header -F +pid > app.perf-script"},
		},
		{
			Tools: "simpleperf of the NDK, for an Android app",
			Steps: []string{"report_sample.py -i perf.data > app.perf-script"},
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return format.IsText(s.Head()) && Sniff(s.Head()) },
	Decode: read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, format.Opener(ctx, s), sink, Options{SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency})
}
