package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/code/mapping"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

// readMapping reads a mapping file of most bytes, without its compression.
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

// original returns what names a trace's methods as the source code does, and
// notes in tr what the mapping file leaves open.
//
// A recorded method is the outermost frame that the mapping gives: the method
// that exists in the program. What was inlined into it has no events of its own.
func original(names *mapping.Map, tr *trace.Trace) func(name.Method) name.Method {
	ambiguous := 0
	for i := range tr.Methods {
		if _, open := names.Retrace(frame(tr.Methods[i])); open {
			ambiguous++
		}
	}
	if ambiguous > 0 {
		tr.Warnings = append(tr.Warnings, trace.Warning{Code: "ambiguous-mapping", Message: fmt.Sprintf("%d methods have more than one original in the mapping; the first is shown", ambiguous)})
	}
	if lines, err := names.Skipped(); lines > 0 {
		tr.Warnings = append(tr.Warnings, trace.Warning{Code: "odd-mapping-lines", Message: fmt.Sprintf("%d lines of the mapping were not understood: %v", lines, err)})
	}
	return func(m name.Method) name.Method {
		if m.Type == "" {
			return m
		}
		frames, _ := names.Retrace(frame(m))
		f := frames[0]
		return name.OfClass(f.Class, f.Method, f.Descriptor).At(f.File, f.Line)
	}
}

func frame(m name.Method) mapping.Frame {
	return mapping.Frame{Class: m.Class(), Method: m.Name, Descriptor: m.Signature, File: m.File, Line: m.Line}
}
