package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/code/mapping"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// readMapping reads a mapping file of at most `most` bytes after decompression.
func readMapping(ctx context.Context, path string, most int64) (*mapping.Map, error) {
	f, err := ingest.OpenSide(ctx, path, most)
	if err != nil {
		return nil, fmt.Errorf("reading the mapping: %w", err)
	}
	defer f.Close()
	m, err := mapping.Read(f)
	if err != nil {
		return nil, inFile(path, err)
	}
	return m, nil
}

// inFile adds the file's name to an error.
func inFile(path string, err error) error {
	var syn *syntax.Error
	if errors.As(err, &syn) && syn.File == "" {
		named := *syn
		named.File = path
		return &named
	}
	return fmt.Errorf("%s: %w", path, err)
}

// minRenamedPart is the threshold below which a mapping is probably from another build: it renames
// less than one in minRenamedPart methods of the app. Such a mapping still renames a few methods by
// accident, because R8's short names occur in every mapping.
const minRenamedPart = 50

// original returns a function that restores the source names of a trace's methods, and a
// description of the renaming. It adds warnings to tr about ambiguous names, and about a mapping
// that renames no methods of the app or almost none.
//
// A recorded method gets the name of the outermost frame in the mapping, which is the method that
// exists in the program. Methods inlined into it have no events.
func original(names *mapping.Map, path string, tr *trace.Trace, known *platform.Platform) (func(name.Method) name.Method, *Renaming) {
	rename := func(m name.Method) name.Method {
		if m.Type == "" {
			return m
		}
		frames, _ := names.Retrace(frame(m))
		f := frames[0]
		return name.OfClass(f.Class, f.Method, f.Descriptor).At(f.File, f.Line)
	}
	warn := func(code, format string, args ...any) {
		tr.Warnings = append(tr.Warnings, trace.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	did, ambiguous, app := &Renaming{Path: path}, 0, 0
	for _, m := range tr.Methods {
		if m.Type == "" {
			continue
		}
		did.Methods++
		if known.Owner(m) == platform.App {
			app++
		}
		if rename(m).Label() != m.Label() {
			did.Renamed++
		}
		if _, open := names.Retrace(frame(m)); open {
			ambiguous++
		}
	}
	switch {
	case did.Renamed == 0:
		warn("useless-mapping", "the mapping %s renames none of %d methods: it belongs to another build, or the app is not obfuscated", path, did.Methods)
	case did.Renamed*minRenamedPart < app:
		warn("useless-mapping", "the mapping %s renames only %d of the app's %d methods: it likely belongs to another build, or the app is not obfuscated", path, did.Renamed, app)
	}
	switch {
	case ambiguous == 1:
		warn("ambiguous-mapping", "1 method has more than one original in the mapping; the first is shown")
	case ambiguous > 1:
		warn("ambiguous-mapping", "%d methods have more than one original in the mapping; the first is shown", ambiguous)
	}
	switch lines, err := names.Skipped(); {
	case lines == 1:
		warn("odd-mapping-lines", "1 line of the mapping was not understood: %v", err)
	case lines > 1:
		warn("odd-mapping-lines", "%d lines of the mapping were not understood: %v", lines, err)
	}
	return rename, did
}

func frame(m name.Method) mapping.Frame {
	return mapping.Frame{Class: m.Class(), Method: m.Name, Descriptor: m.Signature, File: m.File, Line: m.Line}
}
