package speedscope

import (
	"context"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes speedscope profiles.
var Format = format.Format{
	Name:       "speedscope",
	Title:      "speedscope profiles",
	Start:      "JSON: speedscope's `$schema`",
	Extensions: []string{}, // Many other files have the extension .json.
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks of one or several profiles of one kind; --sample-type chooses one by its name"},
		{Name: "methods", Detail: "the frame's name, with the script for JavaScript"},
		{Name: "lines", Detail: "of py-spy, rbspy and Austin; the format does not define the line of a frame"},
		{Name: "threads", Detail: "the names of the profiles"},
		{Name: "clocks", Detail: "elapsed time, or processor time if a profile's name contains CPU and pyinstrument did not write it"},
		{Name: "energy", Detail: "if a profile's name ends in a unit of energy, as in (nJ), or --folded-unit is a unit of energy"},
	},
	Record: []format.Recipe{
		{
			Tools: "py-spy, for Python",
			Steps: []string{"py-spy record --format speedscope -o app.speedscope.json --pid PID"},
		},
		{
			Tools: "dotnet-trace, for .NET",
			Steps: []string{"dotnet-trace collect --format Speedscope -p PID"},
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, format.Opener(ctx, s), sink, Options{SampleType: o.SampleType, Unit: o.Unit, Voltage: o.Voltage})
}
