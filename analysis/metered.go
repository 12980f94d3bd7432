package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// Metered divides the measured energy of a run by source line. It reads the recording again, which
// must have paths (see trace.PathSink). The result is nil for a recording without paths or without
// measured energy, and for several runs. run is 0 for the subject and 1 for the reference. If
// printed is true, the fit uses the formulas exactly as printed in the paper on vLens.
func Metered(ctx context.Context, in *Input, o Options, run int, printed bool) (result *metered.Result, err error) {
	if !in.Metered() {
		return nil, nil
	}
	s, err := newSetup(ctx, o)
	if err != nil {
		return nil, err
	}
	side := s.options.sides()[run]
	var at opened
	defer func() { err = errors.Join(err, at.close()) }()
	at.path = in.Path
	signals, err := s.recording(ctx, &at, 0, side)
	if err != nil {
		return nil, err
	}
	source, err := sourceLines(ctx, side.Mapping, o)
	if err != nil {
		return nil, err
	}
	d, err := metered.Read(ctx, at.file, signals, source)
	switch {
	case errors.Is(err, metered.ErrNoMeter):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the energy of lines: %w", err)
	}
	return metered.New(d, metered.Options{Printed: printed}), nil
}

// Metered reports whether the run has both paths and measured energy.
func (in *Input) Metered() bool {
	return in.Trace.Paths && len(in.Runs) == 0 && slices.ContainsFunc(in.Tracks, func(t energy.Track) bool { return t.Kind == trace.Drain })
}

// sourceLines returns a function that converts recorded lines to source lines, by a mapping file.
// It returns nil if path is empty.
func sourceLines(ctx context.Context, path string, o Options) (func(m name.Method, line int32) (name.Method, int), error) {
	if path == "" {
		return nil, nil
	}
	names, err := readMapping(ctx, path, o.Ingest.MaxExpanded)
	if err != nil {
		return nil, err
	}
	return func(m name.Method, line int32) (name.Method, int) { return innermost(names, m, line) }, nil
}
