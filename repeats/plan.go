package repeats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Power is how likely it is that runs show a difference which Least says they could show.
const Power = 0.8

// A Spread is how much one task of repeated runs varies.
type Spread struct {
	// Mean is the mean of the runs.
	Mean float64
	// Deviation is the relative standard deviation, estimated from the runs of this task and of
	// the other tasks.
	Deviation float64
	// Builds is the noise between builds, which more runs do not reduce. See Conditions.
	Builds float64
	// rows is the number of rows whose scatter may show less noise between builds than Builds, 0 if
	// none does.
	rows int
	// prior and together are fields of the Noise that the spread comes from.
	prior    float64
	together together
}

// Spreads returns the variation of each task of one program. figures has one row per task and one
// figure per run. With fewer than two runs the deviation is NaN.
func Spreads(figures [][]float64) (Noise, []Spread) {
	rows := make([]row, len(figures))
	for i, of := range figures {
		rows[i] = newRow(Pair{Subject: of})
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

// Least returns the smallest growth, relative to the mean, that runs on each side detect with
// probability Power, if this is the only one of tested tasks that differs. It is infinite if the
// noise hides any growth.
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
	// A side that drains more by a part d is noisier by that, too: d = k·√(1 + (1+d)²).
	if k >= 1 {
		return math.Inf(1)
	}
	return (k*k + math.Sqrt(2*k*k-k*k*k*k)) / (1 - k*k)
}

// Under returns the spread with noise between builds. rows is the number of rows that are compared
// together with this one if the noise is assumed: many rows that scatter less replace it.
func (s Spread) Under(builds float64, rows int) Spread {
	s.Builds, s.rows = builds, rows
	return s
}

// MostRuns is the largest number of runs that Needed returns.
const MostRuns = 1000

// Needed is how many runs a side it takes for Least to be no more than a difference; ok is
// false if it takes more than MostRuns.
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
