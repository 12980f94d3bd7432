package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/eflask"
)

// TestFitFindsTheWeights fits examples that were drawn from given weights, and checks that the fit
// finds these weights.
func TestFitFindsTheWeights(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	var want eflask.Features
	for i := range want {
		want[i] = 4*rnd.Float64() - 2
	}
	var examples []sample
	for range 60_000 {
		e := eflask.Features{1}
		for i := 1; i < len(e); i++ {
			e[i] = rnd.Float64()
		}
		examples = append(examples, sample{e[:], rnd.Float64() < e.Likelihood(&want), 1})
	}
	got, err := fit(examples, len(want))
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 0.2 {
			t.Errorf("weight %d is %.2f, want %.2f", i, got[i], want[i])
		}
	}
}

func TestFitRefusesTooFewExamples(t *testing.T) {
	if _, err := fit(nil, 2); err == nil {
		t.Error("no error without examples")
	}
}
