package simpleperf

import (
	"context"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes reports of simpleperf.
var Format = format.Format{
	Name:       "simpleperf",
	Title:      "reports of simpleperf",
	Start:      "`SIMPLEPERF`",
	Extensions: []string{"trace"},
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks of one event, where cpu-clock and task-clock are processor time"},
		{Name: "methods", Detail: "class and name; for native code the library and the symbol"},
		{Name: "threads", Detail: "id, name and process"},
		{Name: "clocks", Detail: "processor time, if the event is a clock"},
	},
	Record: []format.Recipe{
		{
			Tools: "simpleperf of the NDK, for an Android app",
			Steps: []string{
				`app_profiler.py -p com.mine -r "-e cpu-clock -f 1000 -g --duration 10"`,
				"simpleperf report-sample --protobuf --show-callchain -i perf.data -o app.trace",
			},
		},
	},
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, format.Opener(ctx, s), sink, Options{SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency, Partial: o.Partial})
}
