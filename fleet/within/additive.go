package within

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/diffprof/diffprof/fleet/pairs"
)

// LoadAdditive loads the times of a client in a model in which the effects of factors add up. other
// must have loaded the same client by stratum. Strata can hold only few conditions constant. In
// this model, the effect of each factor is subtracted from the rates and from the presence of each
// candidate. Many factors are therefore held constant, in finer ranges. The sums belong to a
// regression with a constant for each code of each factor.
func (g *Gram) LoadAdditive(w *pairs.Work, factors []pairs.Factor, other *Gram) {
	g.local = append(g.local[:0], other.local...)
	m := len(g.local)
	e := &g.effects
	e.load(w, factors)
	// The last column has the rates. The other columns have the presence of the candidates.
	e.columns = zeros(e.columns, (m+1)*e.width)
	for i := range w.Pairs {
		p := &w.Pairs[i]
		e.add(m, i, float64(p.Drop))
		ends := w.Ends(i)
		for n, a := range w.Running(i) {
			if l := other.index[a]; l > 0 {
				e.add(l-1, i, float64(int64(ends[n])*p.Time))
			}
		}
	}
	for x := range m + 1 {
		e.solve(e.column(x), e.width)
	}
	g.owns, g.excesses = zeros(g.owns, m*m), zeros(g.excesses, m)
	rates := e.column(m)
	for x := range m {
		own := e.column(x)
		g.excesses[x] = int64(math.Round(2 * (float64(other.total.drops[x]) - floats.Dot(own, rates))))
		for y := range x + 1 {
			g.owns[x*m+y] = int64(math.Round(float64(other.total.both[x*m+y]) - floats.Dot(own, e.column(y))))
		}
	}
	g.mirror()
}

// redundant is a share of a code's time. A code is left out if the codes before it leave a smaller
// share of its time unexplained. Each factor after the first has such a code, because the codes of
// a factor add up to all pairs.
const redundant = 1e-9

// effects has the regression of columns on the codes of factors, by the normal equations. An
// element of their matrix is the time of the pairs that have both of two codes. L is the Cholesky
// factor of the matrix. Let c be the vector of a column's weighted sums by code. For two columns a
// and b, the effects explain the product of L⁻¹c(a) and L⁻¹c(b). The memory is used again for the
// next client.
type effects struct {
	factors int
	width   int       // width is the number of codes of all factors.
	first   int       // first is the number of codes of the first factor.
	codes   []int32   // codes is indexed by pair and factor. Each factor has its own numbers.
	matrix  []float64 // matrix is a lower triangle. It first has the normal equations, and then L.
	inverse []float64 // inverse has 1 divided by each diagonal element of L, or 0 for a code that is left out.
	columns []float64 // columns has the vector c of each column, and then L⁻¹c.
}

func (e *effects) column(x int) []float64 { return e.columns[x*e.width : (x+1)*e.width] }

// add adds the weighted value of a pair to a column.
func (e *effects) add(column, pair int, value float64) {
	c := e.column(column)
	for _, code := range e.codes[pair*e.factors : (pair+1)*e.factors] {
		c[code] += value
	}
}

// load computes L.
func (e *effects) load(w *pairs.Work, factors []pairs.Factor) {
	n := len(w.Pairs)
	e.factors, e.width, e.first = len(factors), 0, factors[0].Width
	e.codes = zeros(e.codes, n*e.factors)
	for at, f := range factors {
		for i, code := range f.Codes {
			e.codes[i*e.factors+at] = int32(e.width) + code
		}
		e.width += f.Width
	}
	e.matrix, e.inverse = zeros(e.matrix, e.width*e.width), zeros(e.inverse, e.width)
	for i := range w.Pairs {
		time := float64(w.Pairs[i].Time)
		codes := e.codes[i*e.factors : (i+1)*e.factors]
		for at, code := range codes {
			row := e.row(int(code))
			for _, other := range codes[:at+1] {
				row[other] += time
			}
		}
	}
	for code := range e.width {
		row := e.row(code)
		own := row[code]
		left := own
		if code >= e.first {
			e.solve(row, code)
			left -= floats.Dot(row[:code], row[:code])
		}
		if left > redundant*own {
			row[code] = math.Sqrt(left)
			e.inverse[code] = 1 / row[code]
		}
	}
}

func (e *effects) row(code int) []float64 { return e.matrix[code*e.width : (code+1)*e.width] }

// solve replaces the first n elements of c by L⁻¹c. A pair has one code of the first factor, so these
// codes have no time in common.
func (e *effects) solve(c []float64, n int) {
	for code := range min(n, e.first) {
		c[code] *= e.inverse[code]
	}
	for code := e.first; code < n; code++ {
		c[code] = (c[code] - floats.Dot(c[:code], e.row(code)[:code])) * e.inverse[code]
	}
}
