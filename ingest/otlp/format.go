package otlp

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes spans of OpenTelemetry.
var Format = format.Format{
	Name:       "otlp",
	Title:      "spans of OpenTelemetry",
	Start:      "JSON: `resourceSpans`; one object, or one per line",
	Extensions: []string{}, // Many other files have the extension .json.
	Facts: []format.Fact{
		{Name: "run", Detail: "spans with their parents"},
		{Name: "methods", Detail: "names of spans"},
		{Name: "threads", Detail: "one per service"},
		{Name: "clocks", Detail: "elapsed time, which costs no processor energy"},
		{Name: "calls", Detail: "each span is one call"},
		{Name: "signals", Detail: "spans that a table of triggers names use components, with --power-model"},
	},
	Record: []format.Recipe{
		{
			Tools: "the OpenTelemetry Collector",
			Steps: []string{"exporters: {file: {path: app.otlp.json}}, in a pipeline of traces"},
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink, o.Triggers)
}
