package perf

import (
	"context"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes recordings of simpleperf and of Linux perf.
var Format = format.Format{
	Name:       "perf",
	Title:      "recordings of simpleperf and of Linux perf",
	Start:      "`PERFILE2`",
	Extensions: []string{"data"},
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks of one event, where cpu-clock and task-clock are processor time; with --trace-offcpu also stacks of waiting threads"},
		{Name: "methods", Detail: "class and name; for native code the library and the function, if the recording names it or --symfs has the file"},
		{Name: "lines", Detail: "positions in interpreted Java, which --classpath turns into lines; lines of other code, and functions inlined there, if --symfs has files with debug information"},
		{Name: "threads", Detail: "id, name and process"},
		{Name: "clocks", Detail: "processor time, if the event is a clock, or if it counts cycles of a known frequency; elapsed time with --trace-offcpu and --sample-type wall"},
	},
	Record: []format.Recipe{
		{
			Tools: "simpleperf of the NDK, for an Android app",
			Steps: []string{`app_profiler.py -p com.mine -r "-e cpu-clock -f 1000 -g --duration 10"`},
			Note:  "It writes perf.data, and a folder binary_cache for --symfs.",
		},
		{
			Tools: "perf, on Linux",
			Steps: []string{"perf record -e cpu-clock -F 1000 -g -o perf.data -p PID -- sleep 30"},
			Note:  "Such files contain no function names; --symfs / reads them from the programs on this machine.",
		},
	},
	ThreadClock: "omit --sample-type wall",
	Sniff:       func(s format.Source) bool { return Sniff(s.Head()) },
	Decode:      read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	r, size, err := s.At(ctx)
	if err != nil {
		return nil, err
	}
	opts := Options{
		SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency, Partial: o.Partial, MaxExpanded: max(o.MaxExpanded, 0),
	}
	root, err := o.Programs()
	if err != nil {
		return nil, err
	}
	if root != nil {
		defer root.Close()
		opts.Files = root.FS()
	}
	return Decode(ctx, r, size, sink, opts)
}
