package repeats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Power is the probability with which a difference as large as the result of Detectable is
// detected.
const Power = 0.8

// A Spread describes how a task varies between repeated runs.
type Spread struct {
	// Mean is the mean over the runs.
	Mean float64
	// Deviation is the relative standard deviation. It is estimated from this task and from the
	// other tasks.
	Deviation float64
	// Builds is the noise between builds. More runs do not reduce it. See Conditions.
	Builds float64
	// rows is how many rows are compared together. With many, their scatter may show that the noise
	// between builds is smaller than Builds. It is 0 if the scatter is not used.
	rows int
	// prior and together are copied from the Noise.
	prior      float64
	dependence dependence
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
		spreads[i] = Spread{Mean: r.subject.mean, Deviation: math.Sqrt(n.dispersion(r, r.subject.mean)), prior: n.Prior, dependence: n.dependence}
		if r.subject.runs < LeastRuns {
			spreads[i].Deviation = math.NaN()
		}
	}
	return n, spreads
}

// Detectable returns the smallest increase that is detected with probability Power, as a fraction
// of the mean. Each side has the given number of runs. tested is how many tasks are tested
// together. The other tasks are assumed not to differ. If the noise hides every increase,
// Detectable is infinite.
func (s Spread) Detectable(runs, tested int) float64 {
	if runs < LeastRuns {
		return math.Inf(1)
	}
	own := float64(2*runs - 2)
	freedom := max(1, min(s.prior+own, own*s.dependence.independent(own)))
	noise, between := s.Deviation*s.Deviation/float64(runs), s.Builds*s.Builds
	if s.rows >= minScatter {
		freedom := medianEfficiency * float64(s.rows)
		between = min(between, noise*(freedom/distuv.ChiSquared{K: freedom}.Quantile(scatterRisk)-1))
	}
	alpha := Rate / float64(max(tested, 1))
	byRuns := (quantile(alpha, freedom) + quantile(2*(1-Power), freedom)) * math.Sqrt(noise)
	byBuilds := (confidenceWidth(1-alpha) + confidenceWidth(2*Power-1)) * math.Sqrt(between)
	k := math.Hypot(byRuns, byBuilds)
	// A side that uses more by the fraction d is also noisier by that factor, so d = k·√(1 +
	// (1+d)²).
	if k >= 1 {
		return math.Inf(1)
	}
	return (k*k + math.Sqrt(2*k*k-k*k*k*k)) / (1 - k*k)
}

// WithBuilds returns the spread with the noise between builds. If this noise is an assumption, rows
// is how many rows are compared together, and otherwise 0. If many rows scatter by less, their
// scatter replaces the assumption.
func (s Spread) WithBuilds(builds float64, rows int) Spread {
	s.Builds, s.rows = builds, rows
	return s
}

// MostRuns is the maximum number of runs that Needed returns.
const MostRuns = 1000

// Needed returns how many runs on each side detect an increase by the given fraction of the mean,
// with probability Power. ok is false if that takes more than MostRuns.
func (s Spread) Needed(difference float64, tested int) (runs int, ok bool) {
	low, high := LeastRuns, MostRuns
	if !(s.Detectable(high, tested) <= difference) {
		return 0, false
	}
	for low < high {
		middle := (low + high) / 2
		if s.Detectable(middle, tested) <= difference {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, true
}
