package within

import (
	"math"

	"github.com/diffprof/diffprof/fleet/pairs"
)

// LoadAdditive loads the times of a client, which other has loaded by stratum, in a model in which the
// effects of factors add up. Strata hold few conditions at once. Here the effect of each factor is
// subtracted from the rates and from the presence of each candidate, so many factors are held at once, in
// finer ranges. The sums are those of a regression with a constant for each code of each factor. They
// are computed by alternating projections (Gaure, "OLS with multiple high dimensional category
// variables", CSDA 66, 2013).
func (g *Gram) LoadAdditive(w *pairs.Work, factors []pairs.Factor, other *Gram) {
	g.local = append(g.local[:0], other.local...)
	m, n := len(g.local), len(w.Pairs)
	c := &g.centerer
	c.load(w, factors)
	// The last column has the rates, the others have the presence of the candidates.
	c.columns = zeros(c.columns, (m+1)*n)
	column := func(x int) []float64 { return c.columns[x*n : (x+1)*n] }
	for i := range w.Pairs {
		p := &w.Pairs[i]
		column(m)[i] = float64(p.Drop) / float64(p.Time)
		ends := w.Ends(i)
		for at, a := range w.Running(i) {
			if l := other.index[a]; l > 0 {
				column(l - 1)[i] = float64(ends[at])
			}
		}
	}
	for x := range m + 1 {
		c.center(column(x))
	}
	g.owns, g.excesses = zeros(g.owns, m*m), zeros(g.excesses, m)
	for x := range m {
		g.excesses[x] = int64(math.Round(2 * c.product(column(x), column(m))))
		for y := range x + 1 {
			g.owns[x*m+y] = int64(math.Round(c.product(column(x), column(y))))
		}
	}
	g.mirror()
}

// A centerer subtracts the effects of factors. Its memory is used again for the next client.
type centerer struct {
	factors []pairs.Factor
	weights []float64   // weights has the time of each pair.
	sums    [][]float64 // sums has the weight of each code, by factor.
	means   []float64
	columns []float64
}

func (c *centerer) load(w *pairs.Work, factors []pairs.Factor) {
	c.factors, c.weights, c.sums = factors, zeros(c.weights, len(w.Pairs)), c.sums[:0]
	for i := range w.Pairs {
		c.weights[i] = float64(w.Pairs[i].Time)
	}
	for _, f := range factors {
		sum := make([]float64, f.Width)
		for i, code := range f.Codes {
			sum[code] += c.weights[i]
		}
		c.sums = append(c.sums, sum)
	}
}

// center subtracts from v the part that the factors explain. Each step subtracts the mean of each code
// of one factor. It ends when a round over all factors changes little.
func (c *centerer) center(v []float64) {
	const rounds, enough = 50, 1e-4
	before := c.product(v, v)
	for range rounds {
		for at, f := range c.factors {
			c.means = zeros(c.means, f.Width)
			for i, code := range f.Codes {
				c.means[code] += c.weights[i] * v[i]
			}
			for code := range c.means {
				c.means[code] /= c.sums[at][code]
			}
			for i, code := range f.Codes {
				v[i] -= c.means[code]
			}
		}
		now := c.product(v, v)
		if before-now <= enough*now || len(c.factors) == 1 {
			return
		}
		before = now
	}
}

// product returns the product of two columns, weighted by time.
func (c *centerer) product(a, b []float64) (sum float64) {
	for i, t := range c.weights {
		sum += t * a[i] * b[i]
	}
	return sum
}
