package analysis

import (
	"context"

	"github.com/diffprof/diffprof/energy/fit"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
)

// Fit fits the processor of a power model to recordings in which it was measured: files with
// rails beside switches and frequencies. It returns the fitted model and how each cluster
// agrees with what was measured, before and after.
func Fit(ctx context.Context, d *model.Device, paths ...string) (*model.Device, []fit.Cluster, error) {
	var runs []trace.Recording
	for _, path := range paths {
		f, err := ingest.Open(ctx, path, ingest.Options{})
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		runs = append(runs, f)
	}
	return fit.Processor(ctx, runs, d)
}
