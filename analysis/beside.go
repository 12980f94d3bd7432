package analysis

import (
	"context"
	"errors"
	"slices"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/trace"
)

// signalsAlone reports whether a recording has signals and no calls. Such a recording cannot be
// compared.
func (in *Input) signalsAlone() bool { return in.Trace.Events == 0 && len(in.Trace.Tracks) > 0 }

// joinSignals merges a recording with recordings of signals. The parameter with has their file
// names. closeAll closes these files.
func (s *setup) joinSignals(ctx context.Context, run trace.Recording, with []string) (joined trace.Recording, places []align.Place, closeAll func() error, err error) {
	var files []*ingest.File
	closeAll = func() error {
		var errs []error
		for _, f := range files {
			errs = append(errs, f.Close())
		}
		return errors.Join(errs...)
	}
	if len(with) == 0 {
		return run, nil, closeAll, nil
	}
	how := s.options.Ingest
	how.Flows, how.Voltage, how.Progress, how.Triggers = "", s.options.Voltage, nil, s.triggers
	var sides []align.Side
	for _, path := range with {
		f, err := ingest.Open(ctx, path, how)
		if err != nil {
			return nil, nil, closeAll, err
		}
		files = append(files, f)
		sides = append(sides, align.Side{Name: path, Recording: f})
	}
	merged, err := align.Join(ctx, run, sides, s.options.Align)
	if err != nil {
		return nil, nil, closeAll, err
	}
	return merged, slices.Clone(merged.Places), closeAll, nil
}
