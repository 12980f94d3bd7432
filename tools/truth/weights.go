package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/tools/truth/change"
	"github.com/diffprof/diffprof/tools/truth/score"
)

// printWeights fits the weights of eflask's likelihood to generated apps and prints them.
func printWeights(ctx context.Context, out io.Writer, sources []source, progress func(string)) error {
	var examples []score.Example
	for _, s := range sources {
		progress(s.name)
		err := s.each(change.Kinds, func(_ change.Case, p *score.Pair) error {
			more, err := score.Examples(ctx, p)
			examples = append(examples, more...)
			return err
		})
		if err != nil {
			return err
		}
	}
	weights, err := fit(examples)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Fitted to %d pairs of tasks:\n", len(examples))
	for i, name := range eflask.FeatureNames() {
		fmt.Fprintf(out, "%9.4f  %s\n", weights[i], name)
	}
	return nil
}

// ridge keeps weights of features that hardly vary from growing without bound.
const ridge = 1

// fit returns the weights under which the examples are likeliest: logistic regression
// with a ridge on all but the first weight, by Newton's method.
func fit(examples []score.Example) (eflask.Features, error) {
	const n = len(eflask.Features{})
	var weights eflask.Features
	for range 100 {
		// The gradient, and the second derivatives with the gradient beside them.
		var s system
		for i := 1; i < n; i++ {
			s[i][i], s[i][n] = ridge, -ridge*weights[i]
		}
		for _, e := range examples {
			p := e.Features.Likelihood(&weights)
			off := -p
			if e.Right {
				off = 1 - p
			}
			for i, x := range e.Features {
				if x == 0 {
					continue
				}
				s[i][n] += off * x
				for j, y := range e.Features {
					s[i][j] += p * (1 - p) * x * y
				}
			}
		}
		step, ok := s.solve()
		if !ok {
			return weights, errors.New("the examples leave some weight open: use more seeds")
		}
		largest := 0.0
		for i := range weights {
			weights[i] += step[i]
			largest = max(largest, math.Abs(step[i]))
		}
		if largest < 1e-9 {
			break
		}
	}
	return weights, nil
}

// A system is linear equations, whose right side is the last column.
type system [len(eflask.Features{})][len(eflask.Features{}) + 1]float64

// solve solves a system by Gauss's elimination with pivots. ok is false if it has no
// single solution.
func (s *system) solve() (out eflask.Features, ok bool) {
	for i := range s {
		pivot := i
		for j := i + 1; j < len(s); j++ {
			if math.Abs(s[j][i]) > math.Abs(s[pivot][i]) {
				pivot = j
			}
		}
		if math.Abs(s[pivot][i]) < 1e-12 {
			return out, false
		}
		s[i], s[pivot] = s[pivot], s[i]
		for j := range s {
			if j == i {
				continue
			}
			factor := s[j][i] / s[i][i]
			for k := i; k <= len(s); k++ {
				s[j][k] -= factor * s[i][k]
			}
		}
	}
	for i := range s {
		out[i] = s[i][len(s)] / s[i][i]
	}
	return out, true
}
