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

// Rails compares the energy charged to a run with the energy measured meanwhile.
type Rails struct {
	// Parts are the parts of the device that are both measured and modelled.
	Parts []energy.Agreement
	// Accounted is the charged part of all measured energy. Alone is the energy charged by the
	// power model without a measurement: for parts that nothing measures, and for the time before
	// the first reading and after the last one.
	Accounted, Alone units.Energy
}

func newRails(r *energy.Rails, accounts []trace.Account, tree *cct.Tree) *Rails {
	out := &Rails{Parts: r.Agreements()}
	out.Accounted, out.Alone = r.Accounted(accounts, func(a trace.AccountID) units.Energy {
		return tree.On(cct.Key{What: cct.Energy, Account: a}).Total()
	})
	return out
}

// rails reads the signals measured during a run, for the power model. It returns nil if there is no
// model or there are no signals.
func (s *setup) rails(ctx context.Context, file *ingest.File, run trace.Recording, beside bool) (*energy.Rails, error) {
	signals := slices.ContainsFunc(file.Format().Carries, func(f ingest.Fact) bool { return f.Name == "signals" })
	if s.device == nil || !signals && !beside {
		return nil, nil
	}
	return energy.ReadRails(ctx, run, s.device)
}
