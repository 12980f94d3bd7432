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
	Start:      "text: a line `ver|`, then a line `prec|`",
	Extensions: []string{}, // Many other files have the extension .log.
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks, each counted once"},
		{Name: "methods", Detail: "numbers in the app's dex files, without names"},
		{Name: "threads", Detail: "id, name and process"},
		{Name: "clocks", Detail: "processor time, if --folded-unit is the time per sample"},
		{Name: "energy", Detail: "if --folded-unit is the energy per sample"},
	},
	Record: []format.Recipe{
		{
			Tools: "the library Profilo in the app",
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
