package regression

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Block is a part of a model. Its unknowns occur in no other block.
type Block struct {
	// Rows has the coefficients of the unknowns in each row, and Y has the measurements. Variance
	// is the variance of each measurement, up to a factor that is the same for all blocks.
	Rows        [][]float64
	Y, Variance []float64
	// Prior has the expected value of each unknown. It must not be negative.
	Prior []float64
	// Fixed is for priors that follow from parameters, if these parameters were fitted to the same
	// measurements. It has the coefficients of the parameters in each row. All blocks have the same
	// parameters. nil means that the priors do not depend on the measurements.
	Fixed [][]float64
}

// A Shrunk is a fit in which each unknown is its prior times a factor with the expected value 1.
type Shrunk struct {
	// Spread is the standard deviation of the factors around 1. Noise is the common factor of all
	// variances. Both are estimated by restricted maximum likelihood, which leaves out what the
	// parameters in Block.Fixed explain (Patterson and Thompson, Biometrika 1971).
	Spread, Noise float64
	// Moved has the changes of the parameters that make the measurements likeliest, given the
	// spread. It is nil without parameters.
	Moved  []float64
	Blocks []ShrunkBlock
}

// A ShrunkBlock has the unknowns of a block.
type ShrunkBlock struct {
	X []float64
	// covariance is the covariance of the unknowns if the parameters are exact. hidden is the part
	// of covariance in directions that no row measures.
	covariance, hidden *mat.SymDense
	// moves has the change of each unknown per change of each parameter, without the change of the
	// unknown's prior. It is nil without parameters.
	moves *mat.Dense
	fixed *fixed
}

// Deviation returns the standard deviation of a weighted sum of unknowns. slope is nil if the
// priors are known. Otherwise, it has the change of the sum per change of each parameter, as far as
// priors cause it. The result is infinite if the measurements do not determine this change.
func (b *ShrunkBlock) Deviation(weights, slope []float64) float64 {
	variance := quadratic(b.covariance, weights)
	if slope == nil || b.moves == nil {
		return math.Sqrt(variance)
	}
	all := make([]float64, len(slope))
	copy(all, slope)
	for i, w := range weights {
		for k := range all {
			if w != 0 {
				all[k] += w * b.moves.At(i, k)
			}
		}
	}
	if !b.fixed.seen(all) {
		return math.Inf(1)
	}
	return math.Sqrt(variance + quadratic(b.fixed.covariance, all))
}

// Hidden returns the part of the deviation that would remain if the same rows were measured
// infinitely often.
func (b *ShrunkBlock) Hidden(weights []float64) float64 {
	return math.Sqrt(quadratic(b.hidden, weights))
}

// quadratic returns the variance of a weighted sum.
func quadratic(covariance *mat.SymDense, weights []float64) float64 {
	sum := 0.0
	for i, v := range weights {
		if v == 0 {
			continue
		}
		for j, w := range weights {
			if w != 0 {
				sum += v * w * covariance.At(i, j)
			}
		}
	}
	return math.Max(sum, 0)
}

var errShrink = errors.New("a block has rows of different lengths, a variance that is not positive or a prior below zero")

// ShrinkOptions are the options of Shrink.
type ShrinkOptions struct {
	// MostNoise bounds Shrunk.Noise. It is for small systems, in which the likelihood hardly
	// separates the variance of factors from noise. 0 means no bound.
	MostNoise float64
	// Average makes Shrunk.Spread the root mean square of the spreads from 0 to 3, weighted by
	// their likelihood. Otherwise, it is the likeliest spread. With few measurements, the likeliest
	// spread is often 0, and the unknowns would seem too certain.
	Average bool
}

// Shrink fits the blocks. It moves each unknown towards its prior. It moves the unknowns further if
// the factors of all blocks vary less.
func Shrink(blocks []Block, o ShrinkOptions) (*Shrunk, error) {
	s := &shrinking{parts: make([]canonical, len(blocks)), mostNoise: o.MostNoise}
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
	ratio := s.likeliest()
	if o.Average {
		ratio = s.average(ratio)
	}
	_, noise := s.loss(ratio)
	out := &Shrunk{Spread: math.Sqrt(ratio * noise), Noise: noise, Blocks: make([]ShrunkBlock, len(blocks))}
	if s.fixed != nil {
		out.Moved = s.fixed.solve(ratio, noise)
	}
	for i := range blocks {
		out.Blocks[i] = s.parts[i].posterior(&blocks[i], ratio*noise, noise)
		out.Blocks[i].fixed = s.fixed
	}
	return out, nil
}

// A shrinking is a fit of blocks.
type shrinking struct {
	parts     []canonical
	rows      int
	mostNoise float64
	fixed     *fixed // nil without parameters
}

// canonical is a block in rotated coordinates, in which its measurements are independent.
type canonical struct {
	vectors *mat.Dense
	values  []float64 // the squared singular values of the scaled rows, or 0 for directions without a measurement
	rotated []float64 // the measurement in each direction, whose deviation is √(spread²·value + noise)
	// slopes has the coefficients of the parameters in each direction. It is nil without parameters.
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

// rotate computes the directions of a block. gram and right are the block's normal equations. cross
// has the products of its columns and the columns of the parameters. rows is the number of rows.
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

// loss returns -2 log L and the likeliest noise. L is the likelihood of ratio, which is the squared
// spread divided by the noise.
func (s *shrinking) loss(ratio float64) (loss, noise float64) {
	sum, freedom := 0.0, float64(s.rows)
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
		freedom -= float64(len(s.fixed.reduced))
	}
	freedom = math.Max(freedom, 1)
	noise = math.Max(sum/freedom, 1e-300)
	if s.mostNoise > 0 {
		noise = math.Min(noise, s.mostNoise)
	}
	return loss + freedom*math.Log(noise) + sum/noise, noise
}

// likeliest returns the likeliest ratio of the squared spread to the noise. The likeliest noise
// follows from the ratio, so the search has one dimension.
func (s *shrinking) likeliest() float64 {
	at := func(exponent float64) float64 {
		loss, _ := s.loss(math.Exp2(2 * exponent))
		return loss
	}
	best, center := math.Inf(1), 0.0
	for exponent := -24.0; exponent <= 24; exponent++ {
		if loss := at(exponent); loss < best {
			best, center = loss, exponent
		}
	}
	const golden = 0.6180339887498949
	low, high := center-1, center+1
	a, b := high-golden*(high-low), low+golden*(high-low)
	one, two := at(a), at(b)
	for high-low > 1e-5 {
		if one < two {
			high, b, two = b, a, one
			a = high - golden*(high-low)
			one = at(a)
		} else {
			low, a, one = a, b, two
			b = low + golden*(high-low)
			two = at(b)
		}
	}
	ratio := math.Exp2(low + high)
	loss, _ := s.loss(ratio)
	if zero, _ := s.loss(0); zero <= loss {
		return 0
	}
	return ratio
}

const (
	// mostSpread bounds the spread, because few measurements may leave it open.
	mostSpread = 3
	// unlikely is a difference in loss. Spreads with a larger loss than the likeliest spread plus
	// unlikely are not averaged.
	unlikely = 20
	// averaged is the number of spreads that are averaged.
	averaged = 40
)

// average returns the mean ratio, weighted by the likelihood. The prior distribution of the spread
// is uniform from 0 to mostSpread. likeliest is the likeliest ratio.
func (s *shrinking) average(likeliest float64) float64 {
	least, noise := s.loss(likeliest)
	most := mostSpread / math.Sqrt(noise)
	// low and high are square roots of ratios. They are where the ratio becomes unlikely, or at the
	// bounds.
	low := math.Min(math.Sqrt(likeliest), most)
	high := math.Max(low, most/(1<<20))
	for loss := least; high < most && loss <= least+unlikely; loss, _ = s.loss(high * high) {
		high = math.Min(high*1.25, most)
	}
	for loss := least; low > 0 && loss <= least+unlikely; loss, _ = s.loss(low * low) {
		if low *= 0.8; low < high/1000 {
			low = 0
		}
	}
	sum, squares := 0.0, 0.0
	for i := range averaged {
		root := low + (high-low)*(float64(i)+0.5)/averaged
		loss, _ := s.loss(root * root)
		w := math.Exp((least - loss) / 2)
		sum, squares = sum+w, squares+w*root*root
	}
	if sum == 0 {
		return likeliest
	}
	return squares / sum
}

// posterior returns the unknowns of a block and their covariance.
func (c *canonical) posterior(b *Block, spread, noise float64) ShrunkBlock {
	n := len(b.Prior)
	factor := make([]float64, n)
	cov, hidden := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	out := ShrunkBlock{X: make([]float64, n), covariance: cov, hidden: hidden}
	if c.slopes != nil {
		out.moves = mat.NewDense(n, len(b.Fixed[0]), nil)
	}
	for k := range n {
		v := c.vectors.ColView(k)
		variance := spread
		if s := c.values[k]; s > 0 {
			variance = spread * noise / (spread*s + noise)
			gain := spread * math.Sqrt(s) / (spread*s + noise)
			for l := range n {
				factor[l] += gain * c.rotated[k] * v.AtVec(l)
				if out.moves == nil {
					continue
				}
				row, f := out.moves.RawRowView(l), gain*v.AtVec(l)*b.Prior[l]
				for j, x := range c.slopes[k] {
					row[j] -= f * x
				}
			}
		}
		if variance > 0 {
			cov.SymRankOne(cov, variance, v)
		}
		if c.values[k] == 0 && spread > 0 {
			hidden.SymRankOne(hidden, spread, v)
		}
	}
	for i := range n {
		out.X[i] = b.Prior[i] * (1 + factor[i])
		for j := i; j < n; j++ {
			cov.SetSym(i, j, cov.At(i, j)*b.Prior[i]*b.Prior[j])
			hidden.SetSym(i, j, hidden.At(i, j)*b.Prior[i]*b.Prior[j])
		}
	}
	return out
}
