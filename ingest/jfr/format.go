package jfr

import (
	"context"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes recordings of Java Flight Recorder.
var Format = format.Format{
	Name:       "jfr",
	Title:      "recordings of Java Flight Recorder",
	Start:      "`FLR`",
	Extensions: []string{"jfr"},
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks of running threads; --sample-type wall includes waiting ones"},
		{Name: "methods", Detail: "class, name and descriptor"},
		{Name: "lines", Detail: "lines of frames; a line may be off by a few, because the JVM knows lines only at some instructions"},
		{Name: "threads", Detail: "id and name"},
		{Name: "clocks", Detail: "processor time or elapsed time; each sample represents the interval in the recording's settings"},
	},
	ThreadClock: "record samples of processor time (with profile.jfc or asprof -e cpu), and read them with --sample-type cpu",
	Record: []format.Recipe{
		{
			Tools: "the JVM",
			Steps: []string{"jcmd PID JFR.start settings=profile duration=30s filename=/tmp/app.jfr"},
		},
		{
			Tools: "async-profiler",
			Steps: []string{"asprof -d 30 -e cpu -f app.jfr PID"},
		},
	},
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	r, size, err := s.At(ctx)
	if err != nil {
		return nil, err
	}
	return Decode(ctx, r, size, sink, Options{SampleType: o.SampleType, Partial: o.Partial})
}
