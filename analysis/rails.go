package analysis

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Rails compares the measured energy of a run with the energy that the power model attributes.
type Rails struct {
	// Parts are the parts of the device with both a measurement and a model.
	Parts []energy.Agreement
	// Accounted is the part of the run's energy that a measurement covers. Alone is the part that
	// only the power model states: for parts of the device without a rail, and for times before the
	// first reading and after the last reading.
	Accounted, Alone units.Energy
}

func newRails(r *energy.Rails, accounts []trace.Account, tree *cct.Tree) *Rails {
	out := &Rails{Parts: r.Agreements()}
	out.Accounted, out.Alone = r.Accounted(accounts, func(a trace.AccountID) units.Energy {
		return tree.Column(cct.Key{Quantity: cct.Energy, Account: a}).Total()
	})
	return out
}

// carriesSignals reports whether a file's format can have signals.
func carriesSignals(file *ingest.File) bool {
	return slices.ContainsFunc(file.Format().Facts, func(f ingest.Fact) bool { return f.Name == "signals" })
}

// rails reads the signals of a run for the power model. It returns nil without a model or without
// signals.
func (s *setup) rails(ctx context.Context, file *ingest.File, run trace.Recording, given bool) (*energy.Rails, error) {
	if s.device == nil || !carriesSignals(file) && !given {
		return nil, nil
	}
	return energy.ReadRails(ctx, run, s.device)
}
