package main

import (
	"math"
	"math/rand/v2"

	"github.com/diffprof/diffprof/repeats"
)

// A World generates studies. A study has repeated runs of two programs.
type World struct {
	Name string
	// Tasks is the number of tasks. Own is the relative standard deviation of a task from run to
	// run. Run is the noise that all tasks of a run have in common.
	Tasks    int
	Own, Run float64
	// If Tails is true, Own is drawn from Student's t with 3 degrees of freedom. Outliers is the
	// share of runs that use 1.5 times the energy. Wild is the number of tasks whose own noise is
	// 0.5.
	Tails    bool
	Outliers float64
	Wild     int
	// Some is the number of tasks that only half of the runs have.
	Some int
	// Builds is the noise between builds for each task. Whole is the noise that all tasks of a
	// build have in common.
	Builds, Whole float64
	// Drift is the relative change of all tasks from one run to the next.
	Drift float64
	// Order is the order in which the runs of the two sides are made.
	Order Schedule
	// Hidden is true if the test does not know when the runs start.
	Hidden bool
	// Grown is the number of tasks that grow by Growth. If it is negative, all tasks grow.
	Grown  int
	Growth float64
}

// A Schedule is the order in which the runs of both sides are made.
type Schedule uint8

// The schedules.
const (
	// ABBA is the order of diffprof record, and ABAB is simple alternation. In Blocks, all runs of
	// the subject come first. In Later, all runs of the reference come first.
	ABBA Schedule = iota
	ABAB
	Blocks
	Later
)

// starts returns when each run of both sides starts.
func (s Schedule) starts(n int) (subject, reference []float64) {
	for k := range n {
		at := float64(2 * k)
		switch {
		case s == Blocks:
			subject, reference = append(subject, float64(k)), append(reference, float64(n+k))
		case s == Later:
			subject, reference = append(subject, float64(n+k)), append(reference, float64(k))
		case s == ABBA && k%2 == 1:
			subject, reference = append(subject, at+1), append(reference, at)
		default:
			subject, reference = append(subject, at), append(reference, at+1)
		}
	}
	return subject, reference
}

// A Study has the runs of one study.
type Study struct {
	Rows  []repeats.Pair
	Total repeats.Pair
	Order repeats.Order
}

// Draw returns a study with n runs per side.
func (w *World) Draw(r *rand.Rand, n int) Study {
	subject, reference := w.Order.starts(n)
	s := Study{Total: repeats.Pair{Subject: make([]float64, n), Reference: make([]float64, n)}}
	if !w.Hidden {
		s.Order = repeats.NewOrder(subject, reference)
	}
	tasks := w.Tasks
	sizes := make([]float64, tasks)
	for i := range sizes {
		sizes[i] = 1000 * math.Exp(0.7*r.NormFloat64())
	}
	side := func(starts []float64, grown bool) [][]float64 {
		figures := make([][]float64, tasks)
		build := make([]float64, tasks)
		whole := w.Whole * r.NormFloat64()
		for i := range figures {
			figures[i], build[i] = make([]float64, n), w.Builds*r.NormFloat64()+whole
		}
		for k := range n {
			run := w.Run*r.NormFloat64() + w.Drift*starts[k]
			if r.Float64() < w.Outliers {
				run += math.Log(1.5)
			}
			for i := range figures {
				own := w.Own
				if i >= tasks-w.Wild {
					own = 0.5
				}
				x := sizes[i] * math.Exp(own*w.noise(r)+run+build[i])
				if grown && (i < w.Grown || w.Grown < 0) {
					x *= 1 + w.Growth
				}
				if i >= tasks-w.Wild-w.Some && i < tasks-w.Wild && r.IntN(2) == 0 {
					x = 0
				}
				figures[i][k] = x
			}
		}
		return figures
	}
	a, b := side(subject, true), side(reference, false)
	for i := range tasks {
		s.Rows = append(s.Rows, repeats.Pair{Subject: a[i], Reference: b[i]})
		for k := range n {
			s.Total.Subject[k] += a[i][k]
			s.Total.Reference[k] += b[i][k]
		}
	}
	return s
}

// noise draws a deviation with the variance 1.
func (w *World) noise(r *rand.Rand) float64 {
	if !w.Tails {
		return r.NormFloat64()
	}
	const freedom = 3
	chi := 0.0
	for range freedom {
		z := r.NormFloat64()
		chi += z * z
	}
	return r.NormFloat64() / math.Sqrt(chi/freedom) / math.Sqrt(freedom/(freedom-2.0))
}
