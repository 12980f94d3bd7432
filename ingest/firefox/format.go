package firefox

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes profiles of the Firefox Profiler.
var Format = format.Format{
	Name:       "firefox",
	Title:      "profiles of the Firefox Profiler",
	Start:      "JSON: `meta` with an `interval`",
	Extensions: []string{}, // Many other files have the extension .json.
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks of all threads; power meters and other counters as signals"},
		{Name: "methods", Detail: "the function's name, with the script or the library"},
		{Name: "lines", Detail: "lines of scripts, and of native code with symbols"},
		{Name: "threads", Detail: "id, name and process"},
		{Name: "clocks", Detail: "processor time if every thread states it, else elapsed time"},
	},
	Record: []format.Recipe{
		{
			Tools: "Firefox, on Android as well",
			Steps: []string{"about:debugging or the toolbar's Profiler: Start, Capture, then Upload or Save"},
			Note:  "The preset Power records the power meters of the machine.",
		},
		{
			Tools: "samply, for native programs",
			Steps: []string{"samply record --save-only --unstable-presymbolicate -o app.json ./app"},
			Note:  "It writes the names of functions to app.syms.json, which is read with app.json. --symfs / reads names and lines from the programs on this machine.",
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	opts := Options{SampleType: o.SampleType, Process: o.Process}
	root, err := o.Programs()
	if err != nil {
		return nil, err
	}
	if root != nil {
		defer root.Close()
		opts.Files = root.FS()
	}
	if path := symbolFile(s.Path()); path != "" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		opts.Symbols, opts.SymbolsPath = file, path
	}
	return Decode(ctx, r, sink, opts)
}

// symbolFile returns the path of the list of functions that samply wrote next to a profile. It
// returns "" if there is none. For example, the list for app.json.gz is app.json.syms.json or
// app.syms.json.
func symbolFile(path string) string {
	for _, stem := range []string{strings.TrimSuffix(path, filepath.Ext(path)), strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".json")} {
		file := stem + ".syms.json"
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}
