package words

import (
	"strings"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Cost says in a line what a method or a class drains, and what of it could be saved.
func Cost(set *finding.Set, c *finding.Cost, saving units.Energy, s Scale) string {
	parts := []string{s.Energy(c.Energy), Share(c.Energy, set.Result.Subject.Energy)}
	if saving > 0 {
		parts = append(parts, "could save "+s.Energy(saving))
	}
	if n := Times(set.Result.Subject.Trace.Calls, c.Calls); n != "" {
		parts = append(parts, n)
	}
	return strings.Join(parts, " · ")
}

// Finding says in a sentence what a task drains, what explains that, and how far to
// trust the figures.
func Finding(set *finding.Set, task int, s Scale) string {
	r := set.Result
	said := Task(r, task, s)
	if why := Why(&r.Tasks[task], set.Why(task), nil); why != "" {
		said += "; " + why
	}
	switch from := r.Subject.Trace.Energy; from {
	case trace.NoEnergy, trace.Given, trace.Measured:
		return said
	default:
		return said + "; energy " + Provenance(from.String())
	}
}
