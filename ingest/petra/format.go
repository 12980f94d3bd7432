package petra

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes energies by PETrA.
var Format = format.Format{
	Name:       "petra",
	Title:      "energies by PETrA",
	Start:      "text: `signature, joule, seconds` or `Signature,Joule`",
	Extensions: []string{}, // Many other files have the extension .csv.
	Facts: []format.Fact{
		{Name: "run", Detail: "every call of the app's own methods, in the order in which they begin"},
		{Name: "methods", Detail: "class, name, descriptor and source file"},
		{Name: "energy", Detail: "in joules, as PETrA assigns the device's energy; reduced in proportion for calls that have more energy than their caller"},
		{Name: "calls", Detail: "counted"},
	},
	Record: []format.Recipe{
		{
			Tools: "PETrA, for an Android app",
			Steps: []string{"java -jar PETrA.jar"},
			Note:  "It writes runN/result.csv for each run, and allRuns.csv for all runs together.",
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, _ format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink)
}
