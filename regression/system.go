package regression

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// MostColumns is the maximum number of unknowns of a system. The time of a solution is cubic in it.
const MostColumns = 1500

// A System is a list of rows of a linear model. Zeros are not stored.
type System struct {
	columns int
	first   []int32
	column  []int32
	value   []float64
	y       []float64
}

// NewSystem returns a system without rows.
func NewSystem(columns int) *System { return &System{columns: columns, first: []int32{0}} }

// A Term is a coefficient of a row.
type Term struct {
	Column int
	Value  float64
}

// Add adds a row with the measurement y, which is predicted as Σ value·unknown over the terms. A
// column may occur in several terms.
func (s *System) Add(y float64, terms ...Term) error {
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return fmt.Errorf("row %d measures %v", len(s.y), y)
	}
	for _, t := range terms {
		if t.Column < 0 || t.Column >= s.columns || math.IsNaN(t.Value) || math.IsInf(t.Value, 0) {
			return fmt.Errorf("row %d has %v in column %d of %d", len(s.y), t.Value, t.Column, s.columns)
		}
	}
	for _, t := range terms {
		if t.Value != 0 {
			s.column, s.value = append(s.column, int32(t.Column)), append(s.value, t.Value)
		}
	}
	s.y, s.first = append(s.y, y), append(s.first, int32(len(s.column)))
	return nil
}

// Rows returns the number of rows.
func (s *System) Rows() int { return len(s.y) }

// row returns the columns and the values of a row.
func (s *System) row(i int) ([]int32, []float64) {
	return s.column[s.first[i]:s.first[i+1]], s.value[s.first[i]:s.first[i+1]]
}

// predict returns the predicted measurement of a row.
func (s *System) predict(i int, x []float64) float64 {
	columns, values := s.row(i)
	sum := 0.0
	for k, c := range columns {
		sum += values[k] * x[c]
	}
	return sum
}

var errColumns = errors.New("the system has too many unknowns")

// A solution is a weighted least-squares solution.
type solution struct {
	x []float64
	// inverse is the pseudo-inverse of the normal equations.
	inverse *mat.SymDense
	rank    int
	// determined is true for an unknown that has the same value in all solutions.
	determined []bool
	// null has the directions that no row measures, in units of scale. scale has the lengths of the
	// columns.
	null  [][]float64
	scale []float64
}

// rankTolerance is the limit below which an eigenvalue of the scaled normal equations counts as
// zero. It is a share of the largest eigenvalue. Eigenvalues are squares of singular values.
const rankTolerance = 1e-11

// solve returns the least-squares solution for the given weights of rows. If there are several, it
// returns the shortest, with each unknown in units of its column's length.
func (s *System) solve(weights []float64) (*solution, error) {
	if s.columns > MostColumns {
		return nil, errColumns
	}
	return solveNormal(s.normal(weights))
}

// normal returns the normal equations for the given weights of rows: gram·unknowns = right.
func (s *System) normal(weights []float64) (gram, right []float64) {
	n := s.columns
	gram, right = make([]float64, n*n), make([]float64, n)
	for i := range s.y {
		w := weights[i]
		if w == 0 {
			continue
		}
		columns, values := s.row(i)
		for a, c := range columns {
			v := w * values[a]
			right[c] += v * s.y[i]
			row := gram[int(c)*n:][:n]
			for b, d := range columns {
				row[d] += v * values[b]
			}
		}
	}
	return gram, right
}

// solveNormal solves normal equations as solve does. It changes gram and right.
func solveNormal(gram, right []float64) (*solution, error) {
	n := len(right)
	out := &solution{x: make([]float64, n), inverse: mat.NewSymDense(max(n, 1), nil), determined: make([]bool, n)}
	if n == 0 {
		return out, nil
	}
	scale := make([]float64, n)
	for c := range scale {
		if scale[c] = math.Sqrt(gram[c*n+c]); scale[c] == 0 {
			scale[c] = 1
		}
	}
	for a := range n {
		for b := range n {
			gram[a*n+b] /= scale[a] * scale[b]
		}
		right[a] /= scale[a]
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, gram), true) {
		return nil, errors.New("the decomposition of the normal equations did not converge")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	out.scale = scale
	least := rankTolerance * math.Max(values[n-1], 0)
	hidden := make([]float64, n) // hidden has the squared part of each unknown that no row measures.
	for k, value := range values {
		v := vectors.ColView(k)
		if value <= least || value <= 0 {
			direction := make([]float64, n)
			for c := range n {
				direction[c] = v.AtVec(c)
				hidden[c] += direction[c] * direction[c]
			}
			out.null = append(out.null, direction)
			continue
		}
		out.rank++
		dot := 0.0
		for c := range n {
			dot += v.AtVec(c) * right[c]
		}
		for c := range n {
			out.x[c] += dot / value * v.AtVec(c)
		}
		out.inverse.SymRankOne(out.inverse, 1/value, v)
	}
	for a := range n {
		out.x[a] /= scale[a]
		out.determined[a] = hidden[a] < hiddenTolerance
		for b := a; b < n; b++ {
			out.inverse.SetSym(a, b, out.inverse.At(a, b)/(scale[a]*scale[b]))
		}
	}
	return out, nil
}

// An unknown is determined if the square of the part that no row measures is below hiddenTolerance.
const hiddenTolerance = 1e-9

// determined reports whether all solutions predict the same measurement for a row.
func (s *System) determined(i int, sol *solution) bool {
	columns, values := s.row(i)
	length, outside := 0.0, 0.0
	for k, c := range columns {
		length += values[k] * sol.scale[c] * values[k] * sol.scale[c]
	}
	for _, direction := range sol.null {
		dot := 0.0
		for k, c := range columns {
			dot += values[k] / sol.scale[c] * direction[c]
		}
		outside += dot * dot
	}
	return length == 0 || outside < hiddenTolerance*math.Max(1, length)
}

// leverage returns how much a row influences its own prediction, from 0 to 1.
func (s *System) leverage(i int, sol *solution) float64 {
	columns, values := s.row(i)
	sum := 0.0
	for a, c := range columns {
		for b, d := range columns {
			sum += values[a] * values[b] * sol.inverse.At(int(c), int(d))
		}
	}
	return math.Min(sum, 1)
}
