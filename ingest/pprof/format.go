package pprof

import (
	"context"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes pprof profiles.
var Format = format.Format{
	Name:       "pprof",
	Title:      "pprof profiles",
	Start:      "fields of profile.proto",
	Extensions: []string{"pprof"},
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks with the values of one of several sample types"},
		{Name: "methods", Detail: "the function's name; for code without one, the library and the offset in it"},
		{Name: "lines", Detail: "if the writer stores them, as Go and Java do"},
		{Name: "threads", Detail: "if labels name them"},
		{Name: "clocks", Detail: "processor time or elapsed time, if the values are times or count samples"},
		{Name: "energy", Detail: "if the values are energies"},
	},
	ThreadClock: "record a profile of processor time, or choose a sample type of processor time with --sample-type",
	Record: []format.Recipe{
		{
			Tools: "Go, from a server that serves net/http/pprof",
			Steps: []string{"curl -o app.pprof 'http://localhost:6060/debug/pprof/profile?seconds=30'"},
		},
		{
			Tools: "async-profiler, for a JVM",
			Steps: []string{"asprof -d 30 -e cpu -f app.jfr PID", "jfrconv --cpu app.jfr app.pprof"},
		},
		{
			Tools: "Pyroscope",
			Steps: []string{"profilecli query profile --query '{service_name=\"app\"}' --output pprof=app.pprof"},
		},
	},
	// Some texts look like valid fields. A profile always has small numbers in its head, so it is
	// not a text.
	Sniff:  func(s format.Source) bool { return !format.IsText(s.Head()) && Sniff(s.Head()) },
	Decode: read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, format.Opener(ctx, s), sink, Options{SampleType: o.SampleType})
}
