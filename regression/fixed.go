package regression

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// fixed fits the parameters from which the priors of all blocks follow (Block.Fixed).
type fixed struct {
	// gram and right are the weighted normal equations of the parameters.
	gram, right []float64
	length      []float64 // length has the length of each column.
	// basis has independent combinations x of the parameters as columns. The normal equations are
	// then x = reduced. unseen has the other combinations, which no row measures. They are in units
	// of length.
	basis   *mat.Dense
	reduced []float64
	unseen  [][]float64
	// Each element of values and rotated is for one independent direction of the blocks, as in
	// canonical. slopes has the coefficients of the basis: a row for each combination of parameters,
	// a column for each direction. work is a buffer like slopes. less is a buffer with an element
	// for each direction.
	slopes, work, less []float64
	values, rotated    []float64
}

func newFixed(parameters int) *fixed {
	return &fixed{gram: make([]float64, parameters*parameters), right: make([]float64, parameters)}
}

// add adds a row to the normal equations.
func (f *fixed) add(slope []float64, y, weight float64) {
	m := len(slope)
	for k, v := range slope {
		if v == 0 {
			continue
		}
		f.right[k] += weight * v * y
		row := f.gram[k*m:][:m]
		for l, w := range slope {
			row[l] += weight * v * w
		}
	}
}

// restrict computes the other fields from the normal equations and the blocks.
func (f *fixed) restrict(parts []canonical) error {
	m := len(f.right)
	f.length = make([]float64, m)
	for k := range m {
		if f.length[k] = math.Sqrt(f.gram[k*m+k]); f.length[k] == 0 {
			f.length[k] = 1
		}
	}
	scaled := mat.NewSymDense(m, nil)
	for k := range m {
		for l := k; l < m; l++ {
			scaled.SetSym(k, l, f.gram[k*m+l]/(f.length[k]*f.length[l]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		return errors.New("the decomposition of the parameters did not converge")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	var columns []float64 // columns is the basis, transposed.
	for k, v := range values {
		column := mat.Col(nil, k, &vectors)
		if v <= rankTolerance*values[m-1] || v <= 0 {
			f.unseen = append(f.unseen, column)
			continue
		}
		dot := 0.0
		for i := range column {
			column[i] /= f.length[i] * math.Sqrt(v)
			dot += column[i] * f.right[i]
		}
		columns, f.reduced = append(columns, column...), append(f.reduced, dot)
	}
	if len(f.reduced) == 0 {
		return nil
	}
	f.basis = mat.DenseCopyOf(mat.NewDense(len(f.reduced), m, columns).T())
	var directions []float64
	for i := range parts {
		for k, v := range parts[i].values {
			if v == 0 {
				continue
			}
			directions = append(directions, parts[i].slopes[k]...)
			f.values, f.rotated = append(f.values, v), append(f.rotated, parts[i].rotated[k])
		}
	}
	if len(f.values) > 0 {
		var slopes mat.Dense
		slopes.Mul(f.basis.T(), mat.NewDense(len(f.values), m, directions).T())
		f.slopes = slopes.RawMatrix().Data
	}
	f.work, f.less = make([]float64, len(f.slopes)), make([]float64, len(f.values))
	return nil
}

// ridge is added to the diagonal of the normal equations. They are then positive definite even if
// varying factors explain everything that a parameter could explain.
const ridge = 1e-9

// normal returns the normal equations of the basis. ratio is the squared spread of the factors,
// divided by the noise. A direction in which the factors vary more has less weight.
func (f *fixed) normal(ratio float64) (*mat.SymDense, *mat.VecDense) {
	m := len(f.reduced)
	right := append([]float64(nil), f.reduced...)
	gram := mat.NewSymDense(m, nil)
	for k := range m {
		gram.SetSym(k, k, 1+ridge)
	}
	n := len(f.values)
	if n == 0 {
		return gram, mat.NewVecDense(m, right)
	}
	for i, v := range f.values {
		f.less[i] = math.Sqrt(ratio * v / (1 + ratio*v))
	}
	for k := range m {
		work := f.work[k*n:][:n]
		for i, x := range f.slopes[k*n:][:n] {
			work[i] = f.less[i] * x
			right[k] -= f.less[i] * work[i] * f.rotated[i]
		}
	}
	blas64.Syrk(blas.NoTrans, -1, blas64.General{Rows: m, Cols: n, Stride: n, Data: f.work}, 1, gram.RawSymmetric())
	return gram, mat.NewVecDense(m, right)
}

// explain returns the sum of squares that the parameters explain, and the logarithm of the
// determinant of their normal equations.
func (f *fixed) explain(ratio float64) (explained, determinant float64) {
	if len(f.reduced) == 0 {
		return 0, 0
	}
	gram, right := f.normal(ratio)
	var chol mat.Cholesky
	var x mat.VecDense
	if !chol.Factorize(gram) || chol.SolveVecTo(&x, right) != nil {
		return 0, 0
	}
	return mat.Dot(&x, right), chol.LogDet()
}

// solve returns the likeliest changes of the parameters, and their covariance.
func (f *fixed) solve(ratio, noise float64) (moves []float64, covariance *mat.SymDense) {
	m := len(f.right)
	moved := mat.NewVecDense(m, nil)
	covariance = mat.NewSymDense(m, nil)
	if len(f.reduced) == 0 {
		return moved.RawVector().Data, covariance
	}
	gram, right := f.normal(ratio)
	var chol mat.Cholesky
	var inverse mat.SymDense
	if !chol.Factorize(gram) || chol.InverseTo(&inverse) != nil {
		for k := range m {
			unit := make([]float64, m)
			unit[k] = 1
			f.unseen = append(f.unseen, unit)
		}
		return moved.RawVector().Data, covariance
	}
	var x mat.VecDense
	x.MulVec(&inverse, right)
	moved.MulVec(f.basis, &x)
	var half, whole mat.Dense
	half.Mul(f.basis, &inverse)
	whole.Mul(&half, f.basis.T())
	for k := range m {
		for l := k; l < m; l++ {
			covariance.SetSym(k, l, noise*whole.At(k, l))
		}
	}
	return moved.RawVector().Data, covariance
}

// determines reports whether the rows determine Σ weight·parameter.
func (f *fixed) determines(weights []float64) bool {
	length, outside := 0.0, 0.0
	for k, v := range weights {
		length += v / f.length[k] * v / f.length[k]
	}
	for _, direction := range f.unseen {
		dot := 0.0
		for k, v := range weights {
			dot += v / f.length[k] * direction[k]
		}
		outside += dot * dot
	}
	return outside <= unseenTolerance*length
}

// A sum is determined if the part that no row measures is at most unseenTolerance, as a share of
// its squared length.
const unseenTolerance = 1e-6
