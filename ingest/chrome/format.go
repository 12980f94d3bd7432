package chrome

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// CPUProfile describes CPU profiles of V8.
var CPUProfile = format.Format{
	Name:       "cpuprofile",
	Title:      "CPU profiles of V8",
	Start:      "JSON: `nodes`, each with a `callFrame`",
	Extensions: []string{"cpuprofile"},
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks of one thread; --sample-type cpu reads them as processor time"},
		{Name: "methods", Detail: "the function's name with the script; for anonymous functions the line"},
		{Name: "lines", Detail: "of innermost frames, as V8 counts them per function; unknown if V8 inlined the call"},
		{Name: "clocks", Detail: "elapsed time up to the next sample; (idle) is waiting"},
	},
	Record: []format.Recipe{
		{
			Tools: "Node",
			Steps: []string{"node --cpu-prof app.js"},
		},
		{
			Tools: "Chrome, for a page or an Android WebView",
			Steps: []string{"the developer tools' JavaScript Profiler, then Save"},
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return SniffProfile(s.Head()) },
	Decode: format.Streamed(readProfile),
}

func readProfile(ctx context.Context, r io.Reader, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return DecodeProfile(ctx, r, sink, Options{SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency})
}

// Format describes Chrome traces.
var Format = format.Format{
	Name:       "chrome",
	Title:      "Chrome traces",
	Start:      "JSON: a list of events with `ph`, or an object with `traceEvents`",
	Extensions: []string{}, // Many other files have the extension .json.
	Facts: []format.Fact{
		{Name: "run", Detail: "slices of threads, or stacks of V8's profiler, Hermes' profiler or perf; --sample-type chooses"},
		{Name: "methods", Detail: "the name of a slice; for stacks the function's name and the script"},
		{Name: "lines", Detail: "of innermost frames of V8, and of all frames of Hermes"},
		{Name: "threads", Detail: "id, name and process"},
		{Name: "clocks", Detail: "elapsed time, and processor time if every slice states it; counts of perf's samples, such as cycles"},
		{Name: "energy", Detail: "if diffprof wrote the trace"},
		{Name: "calls", Detail: "slices are counted; samples are not"},
		{Name: "hand-overs", Detail: "the flows between slices"},
	},
	Record: []format.Recipe{
		{
			Tools: "Chrome, for a page or an Android WebView",
			Steps: []string{"the developer tools' Performance, Record, then Save profile"},
		},
		{
			Tools: "React Native with Hermes",
			Steps: []string{"npx react-native profile-hermes /tmp"},
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink, Options{SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency})
}
