package within

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/diffprof/diffprof/fleet/pairs"
)

// LoadAdditive loads a client for the fit in which the effects of conditions add up. The Gram other
// must have loaded the same client by stratum.
//
// A stratum can hold only few conditions constant. This fit instead subtracts the effect of each
// condition from the rates and from the presence of each candidate. It can hold many conditions
// constant, in finer ranges. In the code, a condition is a factor, and its values or ranges are
// codes. The regression has one constant for each code.
func (g *Gram) LoadAdditive(w *pairs.Work, factors []pairs.Factor, other *Gram) {
	g.local = append(g.local[:0], other.local...)
	m := len(g.local)
	e := &g.effects
	e.load(w, factors)
	// The last column is for the rates. The others are for the presence of the candidates.
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

// redundant is the limit for leaving out a code, as a share of its time. A code is redundant if
// earlier codes explain almost all of it. Each factor after the first has such a code, because the
// codes of a factor add up to all pairs.
const redundant = 1e-9

// effects is the regression of LoadAdditive for one client. A column is a dependent variable: the
// rates, or the presence of a candidate. The normal equations are solved as follows:
//
//   - An element of the matrix is the time of the pairs that have two given codes.
//   - L is the Cholesky factor of the matrix.
//   - The vector c of a column has the column's weighted sum for each code.
//   - The codes explain (L⁻¹c of a)·(L⁻¹c of b) of the product of two columns a and b.
//
// The memory is used again for the next client.
type effects struct {
	factors int
	width   int       // width is the number of codes of all factors.
	first   int       // first is the number of codes of the first factor.
	codes   []int32   // codes is indexed by pair and factor. Each factor has its own numbers.
	matrix  []float64 // matrix is a lower triangle. load replaces it by L.
	inverse []float64 // inverse has 1 divided by each diagonal element of L, or 0 for a code that is left out.
	columns []float64 // columns has c of each column. LoadAdditive replaces it by L⁻¹c.
}

func (e *effects) column(x int) []float64 { return e.columns[x*e.width : (x+1)*e.width] }

// add adds the weighted value of a pair to a column.
func (e *effects) add(column, pair int, value float64) {
	c := e.column(column)
	for _, code := range e.codes[pair*e.factors : (pair+1)*e.factors] {
		c[code] += value
	}
}

// load computes the matrix and L.
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

// solve replaces the first n elements of c by L⁻¹c. The codes of the first factor have no pairs in
// common, so their part of L is diagonal.
func (e *effects) solve(c []float64, n int) {
	for code := range min(n, e.first) {
		c[code] *= e.inverse[code]
	}
	for code := e.first; code < n; code++ {
		c[code] = (c[code] - floats.Dot(c[:code], e.row(code)[:code])) * e.inverse[code]
	}
}
