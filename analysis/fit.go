package analysis

import (
	"context"
	"fmt"

	"github.com/diffprof/diffprof/energy/fit"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
)

// A Fitted is a power model that was fitted to runs, and how well.
type Fitted struct {
	Device *model.Device
	// Clusters are those of the processor, nil if the model has none. Components are those that
	// a run measured and used.
	Clusters   []fit.Cluster
	Components []fit.Component
	// Processor says why nothing can be told of the processor, empty if something can.
	Processor string
}

// Fit fits a power model to the runs of the subject of some options, in which the device was measured: the
// clusters of its processor to rails beside switches and frequencies, its components to rails beside
// the operations that the recording states or that calls ask for. It is an error if nothing can be told
// at all. The options' own power model counts for nothing.
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
		return nil, fmt.Errorf("%w; and no run has a rail of another component, by the model's rails, with operations that use it", err)
	default:
		out.Processor = err.Error()
	}
	return out, nil
}
