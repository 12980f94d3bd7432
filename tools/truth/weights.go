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

// printWeights fits the weights of eflask's likelihoods to generated apps and judged pairs, and
// prints them.
func printWeights(ctx context.Context, out io.Writer, sources []source, progress func(string)) error {
	var examples []score.Example
	for _, s := range sources {
		progress(s.name)
		err := s.each(change.Kinds, func(c change.Case, p *score.Pair) error {
			more, err := score.Examples(ctx, p)
			for i := range more {
				more[i].Kind = c.Kind.Name
			}
			examples = append(examples, more...)
			return err
		})
		if err != nil {
			return err
		}
	}
	var features, traits, similar, callers []sample
	for i := range examples {
		e := &examples[i]
		if !e.Exact && e.Kind != "plumbing" {
			features = append(features, sample{e.Features[:], e.Right, 1})
		}
		if e.Unlike && (e.Exact || e.Features.Likely()) {
			traits = append(traits, sample{e.Traits[:], e.Right, generatedCount})
		}
	}
	pairs, err := judgedPairs()
	if err != nil {
		return err
	}
	for i := range pairs {
		if j := &pairs[i]; j.fit && j.apps == "unlike" {
			traits = append(traits, sample{j.traits[:], j.right(), judgedCount})
		} else if j.fit && j.equalPaths() {
			similar = append(similar, sample{similarFigures(&j.traits), j.right(), 1})
		} else if j.fit && j.otherCallers() && !j.different {
			callers = append(callers, sample{[]float64{1, number(j.traits.Leaf())}, j.right(), 1})
		}
	}
	var similarNames []string
	for _, i := range eflask.SimilarTraits() {
		similarNames = append(similarNames, eflask.TraitNames()[i])
	}
	for _, part := range []struct {
		what  string
		names []string
		rows  []sample
	}{{"features", eflask.FeatureNames(), features}, {"traits", eflask.TraitNames(), traits}, {"equal paths of similar apps", similarNames, similar}, {"tasks of one app with other callers", []string{"1", "neither has a subtree"}, callers}} {
		weights, err := fit(part.rows, len(part.names))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "The weights of %s, fitted to %d pairs of tasks:\n", part.what, len(part.rows))
		for i, name := range part.names {
			fmt.Fprintf(out, "%9.4f  %s\n", weights[i], name)
		}
	}
	return nil
}

// number returns 1 for true and 0 for false.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// similarFigures returns the traits that are used for similar apps.
func similarFigures(t *eflask.Traits) []float64 {
	var out []float64
	for _, i := range eflask.SimilarTraits() {
		out = append(out, t[i])
	}
	return out
}

// A sample is a pair of tasks for fitting weights: its features, whether the pair is right, and its
// weight.
type sample struct {
	figures []float64
	right   bool
	counts  float64
}

// A judged pair has the weight of five generated pairs, because there are many generated pairs, and
// they are similar to each other.
const generatedCount, judgedCount = 2, 10

// ridge keeps the weights of features small if the features hardly vary.
const ridge = 1

// fit returns the n weights that maximize the likelihood of the pairs. It uses logistic regression
// with a ridge on all weights but the first, and Newton's method.
func fit(rows []sample, n int) ([]float64, error) {
	weights := make([]float64, n)
	for range 100 {
		// s has the second derivatives, and the gradient in the last column.
		s := make([][]float64, n)
		for i := range s {
			if s[i] = make([]float64, n+1); i > 0 {
				s[i][i], s[i][n] = ridge, -ridge*weights[i]
			}
		}
		for _, r := range rows {
			p := logistic(r.figures, weights)
			off := -p
			if r.right {
				off = 1 - p
			}
			for i, x := range r.figures {
				if x == 0 {
					continue
				}
				s[i][n] += r.counts * off * x
				for j, y := range r.figures {
					s[i][j] += r.counts * p * (1 - p) * x * y
				}
			}
		}
		step, ok := solve(s)
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

func logistic(figures, weights []float64) float64 {
	z := 0.0
	for i, x := range figures {
		z += weights[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// solve solves linear equations by Gaussian elimination with pivoting. The last column is the
// right-hand side. ok is false if there is not exactly one solution.
func solve(s [][]float64) (out []float64, ok bool) {
	for i := range s {
		pivot := i
		for j := i + 1; j < len(s); j++ {
			if math.Abs(s[j][i]) > math.Abs(s[pivot][i]) {
				pivot = j
			}
		}
		if math.Abs(s[pivot][i]) < 1e-12 {
			return nil, false
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
		out = append(out, s[i][len(s)]/s[i][i])
	}
	return out, true
}
