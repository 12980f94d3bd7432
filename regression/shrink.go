package regression

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Block is a part of a model that has its own unknowns.
type Block struct {
	// Each row has a measurement in Y and the coefficients of the unknowns in Rows. Variance is the
	// variance of each measurement. It may be wrong by a factor, the same for all blocks.
	Rows        [][]float64
	Y, Variance []float64
	// Prior has the expected value of each unknown. It must not be negative.
	Prior []float64
	// Fixed is for priors that were computed from the same measurements, by fitting parameters. It
	// has the coefficients of the parameters in each row. All blocks have the same parameters. If
	// Fixed is nil, the priors do not depend on the measurements.
	Fixed [][]float64
}

// A Shrunk is the result of Shrink. Each unknown is its prior times a factor near 1.
type Shrunk struct {
	// Spread is the standard deviation of the factors. Noise is the factor by which all variances
	// are wrong. Both are estimated by restricted maximum likelihood, without what the parameters
	// in Block.Fixed explain (Patterson and Thompson, Biometrika 1971).
	Spread, Noise float64
	// Moved has the likeliest change of each parameter in Block.Fixed. It is nil without
	// parameters.
	Moved  []float64
	Blocks []ShrunkBlock
}

// A ShrunkBlock is the result for a block. X has its unknowns.
type ShrunkBlock struct {
	X      []float64
	prior  []float64
	canon  *canonical
	scales []scale
	fixed  *fixed // fixed is nil without parameters.
}

// Deviation returns the standard deviation of a sum of unknowns with the given weights. If the
// priors follow from parameters, slope is the derivative of the sum by each parameter, through the
// priors. Otherwise slope is nil. The result is infinite if the measurements do not determine this
// change.
func (b *ShrunkBlock) Deviation(weights, slope []float64) float64 {
	along := b.along(weights)
	means, mean, variance := make([]float64, len(b.scales)), 0.0, 0.0
	moves := make([]float64, len(slope))
	for i := range b.scales {
		s := &b.scales[i]
		copy(moves, slope)
		own := 0.0
		for k, u := range along {
			gain, left := s.gain(b.canon.values[k])
			own += u * u * left
			if u *= gain; u == 0 {
				continue
			}
			means[i] += u * b.canon.rotated[k]
			if b.fixed != nil && slope != nil {
				for j, x := range b.canon.slopes[k] {
					moves[j] -= u * x
				}
			}
		}
		if b.fixed != nil && slope != nil {
			if !b.fixed.determines(moves) {
				return math.Inf(1)
			}
			own += quadratic(s.covariance, moves)
			for j, x := range s.moved {
				means[i] += x * moves[j]
			}
		}
		variance += s.weight * own
		mean += s.weight * means[i]
	}
	for i, x := range means {
		variance += b.scales[i].weight * (x - mean) * (x - mean)
	}
	return math.Sqrt(variance)
}

// Hidden returns the part of the deviation that more measurements of the same rows could not
// reduce.
func (b *ShrunkBlock) Hidden(weights []float64) float64 {
	squares, spread := 0.0, 0.0
	for k, u := range b.along(weights) {
		if b.canon.values[k] == 0 {
			squares += u * u
		}
	}
	for i := range b.scales {
		spread += b.scales[i].weight * b.scales[i].spread
	}
	return math.Sqrt(squares * spread)
}

// along converts the weights of a sum of unknowns to weights of the block's directions.
func (b *ShrunkBlock) along(weights []float64) []float64 {
	out := make([]float64, len(b.prior))
	for i, w := range weights {
		if w *= b.prior[i]; w == 0 {
			continue
		}
		for k, v := range b.canon.vectors.RawRowView(i) {
			out[k] += w * v
		}
	}
	return out
}

// quadratic returns the variance of a sum with the given weights.
func quadratic(covariance *mat.SymDense, weights []float64) float64 {
	x := mat.NewVecDense(len(weights), weights)
	return math.Max(mat.Inner(x, covariance, x), 0)
}

var errShrink = errors.New("a block has rows of different lengths, a variance that is not positive or a prior below zero")

// Shrink fits the blocks. It moves each unknown towards its prior. The less the factors of all
// blocks vary, the further it moves them.
//
// within is the largest factor, 1 or more, by which the variances may be wrong. The result is then
// the mean over all possible spreads, by their likelihood. If within is 0, the factor is unknown,
// and only the likeliest spread is used. Deviations are then too small if the measurements hardly
// separate spread from noise, because the likeliest noise is often 0.
func Shrink(blocks []Block, within float64) (*Shrunk, error) {
	s := &shrinking{parts: make([]canonical, len(blocks)), within: within}
	if len(blocks) > 0 && len(blocks[0].Fixed) > 0 && len(blocks[0].Fixed[0]) > 0 {
		s.fixed = newFixed(len(blocks[0].Fixed[0]))
	}
	for i := range blocks {
		if err := s.add(&s.parts[i], &blocks[i]); err != nil {
			return nil, err
		}
	}
	if s.fixed != nil {
		if err := s.fixed.restrict(s.parts); err != nil {
			return nil, err
		}
	}
	var scales []scale
	if within > 0 {
		scales = s.scales()
	} else {
		scales = []scale{s.scale(s.bestRatio())}
	}
	out := &Shrunk{Blocks: make([]ShrunkBlock, len(blocks))}
	for i := range scales {
		a := &scales[i]
		out.Spread, out.Noise = out.Spread+a.weight*a.spread, out.Noise+a.weight*a.noise
		if s.fixed == nil {
			continue
		}
		if out.Moved == nil {
			out.Moved = make([]float64, len(s.fixed.right))
		}
		a.moved, a.covariance = s.fixed.solve(a.spread/a.noise, a.noise)
		for k, v := range a.moved {
			out.Moved[k] += a.weight * v
		}
	}
	out.Spread = math.Sqrt(out.Spread)
	for i := range blocks {
		out.Blocks[i] = s.parts[i].posterior(blocks[i].Prior, scales)
		out.Blocks[i].fixed = s.fixed
	}
	return out, nil
}

// A shrinking is the state of Shrink.
type shrinking struct {
	parts  []canonical
	rows   int
	within float64
	fixed  *fixed // fixed is nil without parameters.
}

// canonical is a block in rotated coordinates (directions). A direction has one independent
// measurement, or none.
type canonical struct {
	vectors *mat.Dense
	values  []float64 // values are the squared singular values of the scaled rows, or 0 without a measurement.
	rotated []float64 // rotated are the measurements. The variance of each is spread²·value + noise.
	// slopes has the coefficients of the parameters, by direction. It is nil without parameters.
	slopes [][]float64
	// rest is the sum of squares that no direction explains.
	rest float64
}

// add computes the canonical form c of a block.
func (s *shrinking) add(c *canonical, b *Block) error {
	n, m := len(b.Prior), 0
	if s.fixed != nil {
		m = len(s.fixed.right)
	}
	if n == 0 || len(b.Rows) != len(b.Y) || len(b.Rows) != len(b.Variance) || n > MostColumns || m > 0 && len(b.Fixed) != len(b.Rows) {
		return errShrink
	}
	gram, right, cross := make([]float64, n*n), make([]float64, n), make([]float64, n*m)
	scaled := make([]float64, n)
	for r, row := range b.Rows {
		if len(row) != n || !(b.Variance[r] > 0) || math.IsInf(b.Variance[r], 0) {
			return errShrink
		}
		y, weight := b.Y[r], 1/b.Variance[r]
		for k, v := range row {
			if b.Prior[k] < 0 {
				return errShrink
			}
			scaled[k] = v * b.Prior[k]
			y -= scaled[k]
		}
		c.rest += weight * y * y
		var slope []float64
		if m > 0 {
			if slope = b.Fixed[r]; len(slope) != m {
				return errShrink
			}
			s.fixed.add(slope, y, weight)
		}
		for k, v := range scaled {
			if v == 0 {
				continue
			}
			right[k] += weight * v * y
			for l, w := range scaled {
				gram[k*n+l] += weight * v * w
			}
			for l, w := range slope {
				cross[k*m+l] += weight * v * w
			}
		}
	}
	s.rows += len(b.Rows)
	return c.rotate(mat.NewSymDense(n, gram), right, cross, len(b.Y))
}

// rotate computes the directions of a block. gram and right are its normal equations. cross has the
// products of its columns with the columns of the parameters. rows is the number of rows.
func (c *canonical) rotate(gram *mat.SymDense, right, cross []float64, rows int) error {
	n := len(right)
	m := len(cross) / n
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return errors.New("the decomposition of a block did not converge")
	}
	c.values, c.rotated, c.vectors = make([]float64, n), make([]float64, n), new(mat.Dense)
	eigen.VectorsTo(c.vectors)
	if m > 0 {
		c.slopes = make([][]float64, n)
	}
	values := eigen.Values(nil)
	for k, v := range values {
		if v <= rankTolerance*values[n-1] || v <= 0 || rows == 0 {
			continue
		}
		rows--
		c.values[k] = v
		if m > 0 {
			c.slopes[k] = make([]float64, m)
		}
		for l := range n {
			part := c.vectors.At(l, k) / math.Sqrt(v)
			c.rotated[k] += part * right[l]
			for j := range m {
				c.slopes[k][j] += part * cross[l*m+j]
			}
		}
		c.rest -= c.rotated[k] * c.rotated[k]
	}
	c.rest = math.Max(c.rest, 0)
	return nil
}

// freedom returns the number of measurements minus the number of independent parameters, but at
// least 1.
func (s *shrinking) freedom() float64 {
	n := s.rows
	if s.fixed != nil {
		n -= len(s.fixed.reduced)
	}
	return float64(max(n, 1))
}

// bound limits the noise to what the parameter within of Shrink allows.
func (s *shrinking) bound(noise float64) float64 {
	if s.within == 0 {
		return noise
	}
	return math.Max(math.Min(noise, s.within), 1/s.within)
}

// loss returns −2 log L for a ratio, and the noise for which L is largest. L is the likelihood.
// ratio is the squared spread divided by the noise.
func (s *shrinking) loss(ratio float64) (loss, noise float64) {
	sum, freedom := 0.0, s.freedom()
	for i := range s.parts {
		c := &s.parts[i]
		sum += c.rest
		for k, v := range c.values {
			if v > 0 {
				f := 1 + ratio*v
				sum += c.rotated[k] * c.rotated[k] / f
				loss += math.Log(f)
			}
		}
	}
	if s.fixed != nil {
		explained, determinant := s.fixed.explain(ratio)
		sum = math.Max(sum-explained, 0)
		loss += determinant
	}
	noise = math.Max(sum/freedom, 1e-300)
	noise = s.bound(noise)
	return loss + freedom*math.Log(noise) + sum/noise, noise
}

// bestRatio returns the ratio with the smallest loss.
func (s *shrinking) bestRatio() float64 {
	at := func(exponent float64) float64 {
		loss, _ := s.loss(math.Exp2(2 * exponent))
		return loss
	}
	ratio := math.Exp2(2 * lowest(at, 24))
	loss, _ := s.loss(ratio)
	if zero, _ := s.loss(0); zero <= loss {
		return 0
	}
	return ratio
}

// posterior computes the unknowns of a block.
func (c *canonical) posterior(prior []float64, scales []scale) ShrunkBlock {
	b := ShrunkBlock{X: slices.Clone(prior), prior: prior, canon: c, scales: scales}
	for k, v := range c.values {
		move := 0.0
		for i := range scales {
			gain, _ := scales[i].gain(v)
			move += scales[i].weight * gain * c.rotated[k]
		}
		for i := range b.X {
			b.X[i] += move * c.vectors.At(i, k) * prior[i]
		}
	}
	return b
}
