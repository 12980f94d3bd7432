package joularjx

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/folded"
	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Format describes energies by JoularJX.
var Format = format.Format{
	Name:       "joularjx",
	Title:      "energies by JoularJX",
	Start:      "text: frames separated by `;`, a comma and joules; or a folder of such files",
	Extensions: []string{}, // Many other files have the extension .csv.
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks, each with the energy of its innermost frame"},
		{Name: "methods", Detail: "class and name"},
		{Name: "energy", Detail: "in joules, as JoularJX divides the reading of the processor's meter"},
	},
	Record: []format.Recipe{
		{
			Tools: "JoularJX, for a JVM",
			Steps: []string{"java -javaagent:joularjx.jar -jar app.jar"},
			Note:  "Set track-consumption and save-call-trees-consumption in its config.properties, and give the run's folder in joularjx-result. Power files have the same layout, but cannot be used.",
		},
	},
	Text:   true,
	Sniff:  sniff,
	Decode: read,
}

func sniff(s format.Source) bool {
	if folder := s.Folder(); folder != nil {
		return Holds(folder)
	}
	return Sniff(s.Head())
}

func read(ctx context.Context, s format.Source, sink trace.Sink, _ format.Options) (*trace.Trace, error) {
	joule, err := units.ParseValueUnit("J")
	if err != nil {
		return nil, err
	}
	r, err := open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := folded.Decode(ctx, r, sink, folded.Options{Unit: joule, Comma: true})
	if err != nil {
		return nil, err
	}
	t.Format = "joularjx"
	if isPower(s.Path()) {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "powers", Message: "by its name the file has powers, and their sum is not an energy; read the file of energies next to it"})
	}
	return t, nil
}

// open opens the source's file, or the most detailed file of its folder.
func open(ctx context.Context, s format.Source) (io.ReadCloser, error) {
	folder := s.Folder()
	if folder == nil {
		return s.Stream(ctx)
	}
	path, err := Find(folder)
	if err != nil {
		return nil, err
	}
	return s.File(path)
}
