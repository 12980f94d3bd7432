package meter

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes tables of power meters.
var Format = format.Format{
	Name:       "meter",
	Title:      "tables of power meters",
	Start:      "text: the names of columns, among them `time` and `power` or `energy`; or JSON objects with such fields, one per line",
	Extensions: []string{}, // Many other files have the extension .csv.
	Facts: []format.Fact{
		{Name: "run", Detail: "none: they complement a recording of the app"},
		{Name: "clocks", Detail: "the meter's own clock, or the time since 1970"},
		{Name: "signals", Detail: "the energy used up to each moment, and which components were on"},
	},
	Record: []format.Recipe{
		{
			Tools: "a power meter, or a script that reads the phone's current and voltage",
			Steps: []string{"echo time,watts > meter.csv"},
			Note:  "Write one row per moment. Units follow the names, as in power_mW; the defaults are seconds and watts.",
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return format.IsText(s.Head()) && Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, _ format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink)
}
