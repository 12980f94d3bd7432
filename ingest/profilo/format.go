package profilo

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes traces of Profilo.
var Format = format.Format{
	Name:       "profilo",
	Title:      "traces of Profilo",
	Begins:     "text: a line `ver|`, and a line `prec|` after it",
	Extensions: []string{}, // .log says nothing
	Carries: []format.Fact{
		{Name: "run", How: "stacks, each counted once"},
		{Name: "methods", How: "numbers in the app's dex files, without names"},
		{Name: "threads", How: "id, name and process"},
		{Name: "clocks", How: "processor time, where --folded-unit says what a sample stands for"},
		{Name: "energy", How: "where --folded-unit says that a sample stands for one"},
	},
	Record: []format.Recipe{
		{
			With:  "Profilo, a library in the app",
			Steps: []string{"a trace by its configuration, then the file that it leaves in the app's cache folder"},
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink, Options{Unit: o.Unit, Voltage: o.Voltage})
}
