package repeats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Power is the probability of detecting a difference of the size that Least returns.
const Power = 0.8

// A Spread describes how a task varies between repeated runs.
type Spread struct {
	// Mean is the mean over the runs.
	Mean float64
	// Deviation is the relative standard deviation, estimated from the runs of this task and of the
	// other tasks.
	Deviation float64
	// Builds is the noise between builds. More runs do not reduce it. See Conditions.
	Builds float64
	// rows is the number of rows whose scatter may show that the noise between builds is smaller
	// than Builds. It is 0 if the scatter is not used.
	rows int
	// prior and together are those of the Noise from which the spread was computed.
	prior    float64
	together together
}

// Spreads returns how each task of a program varies. figures has a row for each task, with one
// figure per run. The deviation is NaN if there are fewer than two runs.
func Spreads(figures [][]float64) (Noise, []Spread) {
	rows := make([]row, len(figures))
	for i, values := range figures {
		rows[i] = newRow(Pair{Subject: values})
	}
	n := estimate(rows, Conditions{})
	spreads := make([]Spread, len(rows))
	for i := range rows {
		r := &rows[i]
		spreads[i] = Spread{Mean: r.subject.mean, Deviation: math.Sqrt(n.dispersion(r, r.subject.mean)), prior: n.Prior, together: n.together}
		if r.subject.runs < LeastRuns {
			spreads[i].Deviation = math.NaN()
		}
	}
	return n, spreads
}

// Least returns the smallest increase, relative to the mean, that is detected with probability
// Power by the given number of runs on each side. tested is the number of tasks tested together; no
// other of them is assumed to differ. Least is infinite if the noise hides every increase.
func (s Spread) Least(runs, tested int) float64 {
	if runs < LeastRuns {
		return math.Inf(1)
	}
	own := float64(2*runs - 2)
	freedom := max(1, min(s.prior+own, own*s.together.independent(own)))
	noise, between := s.Deviation*s.Deviation/float64(runs), s.Builds*s.Builds
	if s.rows >= leastScatter {
		freedom := medianEfficiency * float64(s.rows)
		between = min(between, noise*(freedom/distuv.ChiSquared{K: freedom}.Quantile(scatterRisk)-1))
	}
	alpha := Rate / float64(max(tested, 1))
	byRuns := (quantile(alpha, freedom) + quantile(2*(1-Power), freedom)) * math.Sqrt(noise)
	byBuilds := (within(1-alpha) + within(2*Power-1)) * math.Sqrt(between)
	k := math.Hypot(byRuns, byBuilds)
	// A side that uses more by the fraction d is also noisier by that factor, so d = k·√(1 +
	// (1+d)²).
	if k >= 1 {
		return math.Inf(1)
	}
	return (k*k + math.Sqrt(2*k*k-k*k*k*k)) / (1 - k*k)
}

// Under returns the spread with the noise between builds. If this noise is assumed, rows is the
// number of rows that are compared together. If there are many and they scatter by less, their
// scatter replaces the assumption.
func (s Spread) Under(builds float64, rows int) Spread {
	s.Builds, s.rows = builds, rows
	return s
}

// MostRuns is the maximum number of runs that Needed returns.
const MostRuns = 1000

// Needed returns the smallest number of runs on each side for which Least is at most difference. ok
// is false if that is more than MostRuns.
func (s Spread) Needed(difference float64, tested int) (runs int, ok bool) {
	low, high := LeastRuns, MostRuns
	if !(s.Least(high, tested) <= difference) {
		return 0, false
	}
	for low < high {
		middle := (low + high) / 2
		if s.Least(middle, tested) <= difference {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, true
}
