package fit

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A solution is the non-negative least-squares solution of a linear system.
type solution struct {
	// x are the unknowns. deviation has their standard deviations, which are estimated from the
	// residual. An unknown that is bound at 0 has no standard deviation.
	x, deviation []float64
	// inflation is the variance inflation factor of each unknown. It is 1 if the unknown is
	// independent of the others, and very large if the others can replace it. It is infinite for a
	// column of zeros.
	inflation []float64
}

// solve minimizes |a·x - b| for x ≥ 0 with the active-set method of Lawson and Hanson (Solving
// Least Squares Problems, 1974, Chapter 23). The unknown of a column of zeros is 0.
func solve(a *mat.Dense, b []float64) solution {
	rows, columns := a.Dims()
	scaled, norms := mat.DenseCopyOf(a), make([]float64, columns)
	for j := range columns {
		norms[j] = mat.Norm(scaled.ColView(j), 2)
		for i := range rows {
			if norms[j] > 0 {
				scaled.Set(i, j, scaled.At(i, j)/norms[j])
			}
		}
	}
	free := make([]bool, columns)
	x := make([]float64, columns)
	size := math.Max(mat.Norm(mat.NewVecDense(rows, b), 2), 1)
	for range 3 * columns {
		// The unknown with the greatest gradient becomes free.
		best, most := -1, 1e-10*size
		r := residual(scaled, x, b)
		for j := range columns {
			if !free[j] && norms[j] > 0 {
				if w := mat.Dot(scaled.ColView(j), mat.NewVecDense(rows, r)); w > most {
					best, most = j, w
				}
			}
		}
		if best < 0 {
			break
		}
		free[best] = true
		for {
			z := least(scaled, free, b)
			// Unknowns that would become negative are bound at 0. The first to reach 0 is bound
			// first.
			step := 1.0
			for j := range columns {
				if free[j] && z[j] <= 0 && x[j] > z[j] {
					step = min(step, x[j]/(x[j]-z[j]))
				}
			}
			for j := range columns {
				if free[j] {
					if x[j] += step * (z[j] - x[j]); step < 1 && x[j] <= 1e-12*size {
						free[j], x[j] = false, 0
					}
				}
			}
			if step == 1 {
				break
			}
		}
	}
	s := solution{x: x, deviation: make([]float64, columns), inflation: inflations(scaled, norms)}
	off := 0.0
	for _, r := range residual(scaled, x, b) {
		off += r * r
	}
	for j := range columns {
		if norms[j] == 0 {
			continue
		}
		s.x[j] /= norms[j]
		s.deviation[j] = math.Sqrt(off/math.Max(float64(rows-columns), 1)*s.inflation[j]) / norms[j]
	}
	return s
}

// residual returns b - a·x.
func residual(a *mat.Dense, x, b []float64) []float64 {
	rows, columns := a.Dims()
	r := make([]float64, rows)
	for i := range r {
		r[i] = b[i]
		for j := range columns {
			r[i] -= a.At(i, j) * x[j]
		}
	}
	return r
}

// ridge makes systems with dependent columns solvable. It is too small to affect other systems.
const ridge = 1e-10

// normal returns the normal equations of the free columns, and the indices of these columns.
func normal(a *mat.Dense, free []bool) (*mat.SymDense, []int) {
	var chosen []int
	for j, is := range free {
		if is {
			chosen = append(chosen, j)
		}
	}
	n := mat.NewSymDense(len(chosen), nil)
	for p, j := range chosen {
		for q := p; q < len(chosen); q++ {
			n.SetSym(p, q, mat.Dot(a.ColView(j), a.ColView(chosen[q])))
		}
		n.SetSym(p, p, n.At(p, p)+ridge)
	}
	return n, chosen
}

// least returns the unconstrained least-squares solution over the free columns.
func least(a *mat.Dense, free []bool, b []float64) []float64 {
	n, chosen := normal(a, free)
	x := make([]float64, len(free))
	right := mat.NewVecDense(len(chosen), nil)
	for p, j := range chosen {
		right.SetVec(p, mat.Dot(a.ColView(j), mat.NewVecDense(len(b), b)))
	}
	var factors mat.Cholesky
	if !factors.Factorize(n) {
		return x
	}
	var z mat.VecDense
	// If the system is ill-conditioned, the inflations show it, so this error is ignored.
	_ = factors.SolveVecTo(&z, right)
	for p, j := range chosen {
		x[j] = z.AtVec(p)
	}
	return x
}

// inflations returns the variance inflation of each unknown. It is on the diagonal of the inverse
// of the normal equations of all columns, which are scaled to length 1.
func inflations(a *mat.Dense, norms []float64) []float64 {
	there := make([]bool, len(norms))
	all := make([]float64, len(norms))
	for j, n := range norms {
		there[j], all[j] = n > 0, math.Inf(1)
	}
	n, chosen := normal(a, there)
	var factors mat.Cholesky
	var inverse mat.SymDense
	if len(chosen) == 0 || !factors.Factorize(n) || factors.InverseTo(&inverse) != nil && factors.Cond() > 1/ridge {
		return all
	}
	for p, j := range chosen {
		all[j] = inverse.At(p, p)
	}
	return all
}
