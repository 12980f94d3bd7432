package score

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
)

// An Example is a pair of tasks for which diffprof computes a likelihood, with the true answer.
type Example struct {
	Features eflask.Features
	Traits   eflask.Traits
	Exact    bool
	Unlike   bool
	Right    bool
	// Kind is the kind of the pair of runs. The caller sets it.
	Kind string
}

// Examples compares a pair of runs. It returns the pairs of tasks for which diffprof computed a
// likelihood, except tasks that are not true tasks.
func Examples(ctx context.Context, p *Pair) ([]Example, error) {
	subject, reference, err := p.trees(ctx)
	if err != nil {
		return nil, err
	}
	var out []Example
	for _, alpha := range []int{0, 2, analysis.MaxAutoAlpha} {
		result, err := analysis.Trees(ctx, subject, reference, analysis.Options{Alpha: alpha})
		if err != nil {
			return nil, err
		}
		out = append(out, examples(p, result)...)
	}
	return out, nil
}

// examples returns the examples of one comparison.
func examples(p *Pair, result *analysis.Result) []Example {
	s, r := result.Subject.Tree, result.Reference.Tree
	here, with := numbers(p.Subject, s), numbers(p.Reference, r)
	var out []Example
	for _, c := range eflask.Candidates(s, r, result.Matching) {
		if mine, others := here[c.Subject], with[c.Reference]; len(mine) > 0 || len(others) > 0 {
			right := slices.ContainsFunc(mine, func(n int) bool { return slices.Contains(others, n) })
			out = append(out, Example{Features: c.Features, Traits: c.Traits, Exact: c.Exact, Unlike: c.Unlike, Right: right})
		}
	}
	return out
}
