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

// Rails say how what is charged to a run agrees with what was measured meanwhile.
type Rails struct {
	// Parts are those parts of the device that were measured and are modelled.
	Parts []energy.Agreement
	// Accounted is what the run's accounts have of all that was measured. Alone is what rests
	// on the power model alone: parts that nothing measures, and the time before the first
	// reading and behind the last one.
	Accounted, Alone units.Energy
}

func newRails(r *energy.Rails, accounts []trace.Account, tree *cct.Tree) *Rails {
	out := &Rails{Parts: r.Agreements()}
	out.Accounted, out.Alone = r.Accounted(accounts, func(a trace.AccountID) units.Energy {
		return tree.On(cct.Key{What: cct.Energy, Account: a}).Total()
	})
	return out
}

// rails reads what a run's signals measured, for the power model; nil if there is no model,
// or there are no signals.
func (s *setup) rails(ctx context.Context, file *ingest.File, run trace.Recording, beside bool) (*energy.Rails, error) {
	signals := slices.ContainsFunc(file.Format().Carries, func(f ingest.Fact) bool { return f.Name == "signals" })
	if s.device == nil || !signals && !beside {
		return nil, nil
	}
	return energy.ReadRails(ctx, run, s.device)
}
