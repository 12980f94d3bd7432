package firefox

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes profiles of the Firefox Profiler.
var Format = format.Format{
	Name:       "firefox",
	Title:      "profiles of the Firefox Profiler",
	Begins:     "JSON: `meta` with an `interval`",
	Extensions: []string{}, // Many other files have the extension .json.
	Carries: []format.Fact{
		{Name: "run", How: "stacks of all threads; power meters and other counters as signals"},
		{Name: "methods", How: "the function's name, with the script or the library"},
		{Name: "lines", How: "lines of scripts, and of native code with symbols"},
		{Name: "threads", How: "id, name and process"},
		{Name: "clocks", How: "processor time if every thread states it, else elapsed time"},
	},
	Record: []format.Recipe{
		{
			With:  "Firefox, on Android as well",
			Steps: []string{"about:debugging or the toolbar's Profiler: Start, Capture, then Upload or Save"},
			Note:  "The preset Power records the power meters of the machine.",
		},
		{
			With:  "samply, for native programs",
			Steps: []string{"samply record --save-only -o app.json ./app"},
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink, Options{SampleType: o.SampleType, Process: o.Process})
}
