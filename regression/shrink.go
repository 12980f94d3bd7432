package regression

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Block is a part of a model. Its unknowns occur in no other block.
type Block struct {
	// Rows has the rows, and Y their measurements. Variance is the variance of each measurement, up to a
	// factor that all blocks share.
	Rows        [][]float64
	Y, Variance []float64
	// Prior has the expected value of each unknown. It must not be negative.
	Prior []float64
}

// A Shrunk is a fit in which each unknown is its prior times a factor.
type Shrunk struct {
	// Spread is the standard deviation of the factors around 1. Noise is the factor of the variances. Both are
	// estimated by maximum likelihood.
	Spread, Noise float64
	Blocks        []ShrunkBlock
}

// A ShrunkBlock has the unknowns of a block.
type ShrunkBlock struct {
	X []float64
	// covariance is the covariance of the unknowns. hidden is the part of the covariance in
	// directions that no row measures.
	covariance, hidden *mat.SymDense
}

// Deviation returns the standard deviation of a sum of unknowns.
func (b *ShrunkBlock) Deviation(weights []float64) float64 { return deviation(b.covariance, weights) }

// Hidden returns the part of the deviation that would remain if the same rows were measured any
// number of times.
func (b *ShrunkBlock) Hidden(weights []float64) float64 { return deviation(b.hidden, weights) }

func deviation(covariance *mat.SymDense, weights []float64) float64 {
	sum := 0.0
	for i, v := range weights {
		for j, w := range weights {
			if v != 0 && w != 0 {
				sum += v * w * covariance.At(i, j)
			}
		}
	}
	return math.Sqrt(math.Max(sum, 0))
}

// canonical is a block in rotated coordinates, in which its measurements are independent.
type canonical struct {
	vectors *mat.Dense
	values  []float64 // the squared singular values of the scaled rows, 0 for directions without a measurement
	rotated []float64 // the measurement in each direction, of deviation √(spread²·value + noise)
	// rest is the sum of squares that no direction explains. freedom is their number.
	rest    float64
	freedom int
}

var errShrink = errors.New("a block has rows of different lengths, a variance that is not positive or a prior below zero")

// ShrinkOptions are the options of Shrink.
type ShrinkOptions struct {
	// MostNoise bounds Shrunk.Noise, because in small systems the likelihood hardly distinguishes
	// factors from noise. 0 means no bound.
	MostNoise float64
	// Fitted is the number of parameters of the priors that were fitted to the same rows. Such
	// priors are closer to the rows than to the unknowns. Shrink corrects this by the degrees of
	// freedom.
	Fitted int
	// LeastSpread is the least spread that is assumed.
	LeastSpread float64
}

// Shrink fits the blocks. It moves each unknown towards its prior. The less the factors of all
// blocks vary, the further it moves them.
func Shrink(blocks []Block, o ShrinkOptions) (*Shrunk, error) {
	parts := make([]canonical, len(blocks))
	rows := 0
	for i := range blocks {
		c, err := blocks[i].canonical()
		if err != nil {
			return nil, err
		}
		parts[i] = *c
		rows += len(blocks[i].Y)
	}
	ratio, noise := likeliest(parts, rows, o.MostNoise)
	if o.Fitted > 0 {
		ratio *= float64(rows) / math.Max(float64(rows-o.Fitted), 1)
	}
	ratio = math.Max(ratio, o.LeastSpread*o.LeastSpread/noise)
	out := &Shrunk{Spread: math.Sqrt(ratio * noise), Noise: noise, Blocks: make([]ShrunkBlock, len(blocks))}
	for i := range blocks {
		out.Blocks[i] = parts[i].posterior(&blocks[i], ratio*noise, noise)
	}
	return out, nil
}

func (b *Block) canonical() (*canonical, error) {
	n := len(b.Prior)
	if n == 0 || len(b.Rows) != len(b.Y) || len(b.Rows) != len(b.Variance) || n > MostColumns {
		return nil, errShrink
	}
	gram, right := make([]float64, n*n), make([]float64, n)
	c := &canonical{values: make([]float64, n), rotated: make([]float64, n), vectors: new(mat.Dense)}
	scaled := make([]float64, n)
	for i, row := range b.Rows {
		if len(row) != n || !(b.Variance[i] > 0) || math.IsInf(b.Variance[i], 0) {
			return nil, errShrink
		}
		y, weight := b.Y[i], 1/b.Variance[i]
		for k, v := range row {
			if b.Prior[k] < 0 {
				return nil, errShrink
			}
			scaled[k] = v * b.Prior[k]
			y -= scaled[k]
		}
		c.rest += weight * y * y
		for k, v := range scaled {
			if v == 0 {
				continue
			}
			right[k] += weight * v * y
			for l, w := range scaled {
				gram[k*n+l] += weight * v * w
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, gram), true) {
		return nil, errors.New("the decomposition of a block did not converge")
	}
	eigen.VectorsTo(c.vectors)
	values := eigen.Values(nil)
	c.freedom = len(b.Y)
	for k, v := range values {
		if v <= rankTolerance*values[n-1] || v <= 0 || c.freedom == 0 {
			continue
		}
		dot := 0.0
		for l := range n {
			dot += c.vectors.At(l, k) * right[l]
		}
		c.values[k], c.rotated[k] = v, dot/math.Sqrt(v)
		c.rest -= c.rotated[k] * c.rotated[k]
		c.freedom--
	}
	c.rest = math.Max(c.rest, 0)
	return c, nil
}

// likeliest returns the ratio of the squared spread to the noise, and the noise, with the largest likelihood. The
// likeliest noise follows from the ratio, so the search has one dimension.
func likeliest(parts []canonical, rows int, mostNoise float64) (ratio, noise float64) {
	at := func(ratio float64) (loss, noise float64) {
		sum := 0.0
		for i := range parts {
			c := &parts[i]
			sum += c.rest
			for k, v := range c.values {
				if v > 0 {
					f := 1 + ratio*v
					sum += c.rotated[k] * c.rotated[k] / f
					loss += math.Log(f)
				}
			}
		}
		noise = math.Max(sum/math.Max(float64(rows), 1), 1e-300)
		if mostNoise > 0 {
			noise = math.Min(noise, mostNoise)
		}
		return loss + float64(rows)*math.Log(noise) + sum/noise, noise
	}
	best := math.Inf(1)
	center := 0.0
	for exponent := -24.0; exponent <= 24; exponent += 0.5 {
		if loss, _ := at(math.Exp2(2 * exponent)); loss < best {
			best, center = loss, exponent
		}
	}
	low, high := center-0.5, center+0.5
	for range 60 {
		a, b := low+(high-low)/3, high-(high-low)/3
		one, _ := at(math.Exp2(2 * a))
		two, _ := at(math.Exp2(2 * b))
		if one < two {
			high = b
		} else {
			low = a
		}
	}
	ratio = math.Exp2(low + high)
	loss, noise := at(ratio)
	if zero, without := at(0); zero <= loss {
		return 0, without
	}
	return ratio, noise
}

// posterior returns the unknowns of a block and their covariance.
func (c *canonical) posterior(b *Block, spread, noise float64) ShrunkBlock {
	n := len(b.Prior)
	factor := make([]float64, n)
	cov, hidden := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	for k := range n {
		v := c.vectors.ColView(k)
		variance := spread
		if s := c.values[k]; s > 0 {
			variance = spread * noise / (spread*s + noise)
			move := spread * math.Sqrt(s) / (spread*s + noise) * c.rotated[k]
			for l := range n {
				factor[l] += move * v.AtVec(l)
			}
		}
		if variance > 0 {
			cov.SymRankOne(cov, variance, v)
		}
		if c.values[k] == 0 && spread > 0 {
			hidden.SymRankOne(hidden, spread, v)
		}
	}
	x := make([]float64, n)
	for i := range n {
		x[i] = b.Prior[i] * (1 + factor[i])
		for j := i; j < n; j++ {
			cov.SetSym(i, j, cov.At(i, j)*b.Prior[i]*b.Prior[j])
			hidden.SetSym(i, j, hidden.At(i, j)*b.Prior[i]*b.Prior[j])
		}
	}
	return ShrunkBlock{X: x, covariance: cov, hidden: hidden}
}
