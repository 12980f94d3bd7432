package analysis

import (
	"context"
	"fmt"

	"github.com/diffprof/diffprof/energy/fit"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
)

// A Fitted is a power model fitted to runs, with the quality of the fit.
type Fitted struct {
	Device *model.Device
	// Clusters are the clusters of the processor. They are nil if the model has none. Components
	// are the components that at least one run both measured and used.
	Clusters   []fit.Cluster
	Components []fit.Component
	// Processor says why the processor could not be fitted. It is empty if the fit succeeded.
	Processor string
}

// Fit fits a power model to the runs of o.Subject, which were recorded together with power
// measurements. It fits the processor's clusters to rails, thread switches and frequencies. It fits
// the components to rails and operations. The recording states the operations, or they follow from
// calls. Fit returns an error if nothing can be fitted. It ignores o.PowerModel.
func Fit(ctx context.Context, d *model.Device, o Options) (*Fitted, error) {
	o.PowerModel = ""
	if err := o.expand(ctx); err != nil {
		return nil, err
	}
	s := &setup{options: o}
	if err := s.readModel(ctx); err != nil {
		return nil, err
	}
	side := o.sides()[0]
	if err := side.check(); err != nil {
		return nil, err
	}
	var runs []trace.Recording
	for number, path := range side.paths {
		opened := opened{path: path}
		run, err := s.recording(ctx, &opened, number, side)
		defer opened.close()
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	made, components, err := fit.Components(ctx, runs, d, s.triggers)
	if err != nil {
		return nil, err
	}
	out := &Fitted{Device: made, Components: components}
	if d.CPU == nil && len(components) > 0 {
		return out, nil
	}
	fitted, clusters, err := fit.Processor(ctx, runs, made)
	switch {
	case err == nil:
		out.Device, out.Clusters = fitted, clusters
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(components) == 0:
		return nil, fmt.Errorf("%w; and for no other component of the model does a run have both a rail and operations that use it", err)
	default:
		out.Processor = err.Error()
	}
	return out, nil
}
