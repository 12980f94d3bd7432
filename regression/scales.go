package regression

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A scale is one possible pair of a spread and a noise, both squared. weight is its probability.
type scale struct {
	spread, noise, weight float64
	// moved has the likeliest changes of the parameters for this scale, and covariance their
	// covariance.
	moved      []float64
	covariance *mat.SymDense
}

// gain returns the change of the factors per unit of the measurement, and their variance that
// remains, for one direction of a block. value is the direction's element of canonical.values.
func (s *scale) gain(value float64) (gain, left float64) {
	if value == 0 {
		return 0, s.spread
	}
	sum := s.spread*value + s.noise
	return s.spread * math.Sqrt(value) / sum, s.spread * s.noise / sum
}

// scale returns the likeliest scale with the given ratio of spread to noise.
func (s *shrinking) scale(ratio float64) scale {
	_, noise := s.loss(ratio)
	return scale{spread: ratio * noise, noise: noise, weight: 1}
}

const (
	// maxSpread is the largest spread. Few measurements would not limit it.
	maxSpread = 3
	// Scales are averaged if their loss exceeds the smallest loss by less than unlikely. averaged
	// is their number.
	maxExtraLoss, averagedScales = 16, 16
	// maxLogRatio is the largest logarithm of a ratio of spread to noise.
	maxLogRatio = 32
)

// scales returns the scales over which the result is averaged, with their probabilities. The prior
// distribution of the spread is uniform from 0 to maxSpread (Gelman, Bayesian Analysis 2006).
func (s *shrinking) scales() []scale {
	// density returns twice the negative logarithm of the probability of log(ratio).
	density := func(x float64) (loss, ratio, noise float64) {
		ratio = math.Exp(x)
		if ratio > maxSpread*maxSpread*s.within {
			return math.Inf(1), ratio, 0 // The noise is at least 1/within.
		}
		if loss, noise = s.loss(ratio); ratio*noise > maxSpread*maxSpread {
			return math.Inf(1), ratio, noise
		}
		// For a uniform prior of the spread, the prior of log(ratio) is proportional to the spread.
		return loss - math.Log(ratio*noise), ratio, noise
	}
	at := func(x float64) float64 {
		loss, _, _ := density(x)
		return loss
	}
	center := lowest(at, maxLogRatio)
	best := at(center)
	end := func(step float64) float64 {
		x := center
		for at(x) < best+maxExtraLoss && math.Abs(x) < 2*maxLogRatio {
			x += step
			step *= 1.5
		}
		return x
	}
	low, high := end(-0.02), end(0.02)
	var out []scale
	sum := 0.0
	for i := range averagedScales {
		x := low + (high-low)*(float64(i)+0.5)/averagedScales
		loss, ratio, noise := density(x)
		if w := math.Exp((best - loss) / 2); w > 0 {
			if freedom := s.freedom(); freedom > 2 {
				noise = s.bound(noise * freedom / (freedom - 2)) // Use the mean, which exceeds the likeliest noise.
			}
			out, sum = append(out, scale{spread: ratio * noise, noise: noise, weight: w}), sum+w
		}
	}
	if sum == 0 {
		return []scale{s.scale(math.Exp(center))}
	}
	for i := range out {
		out[i].weight /= sum
	}
	return out
}

// lowest returns where a function has its minimum between -widest and widest. It takes the lowest
// whole number and searches around it by golden sections.
func lowest(at func(float64) float64, widest int) float64 {
	best, center := math.Inf(1), 0.0
	for x := -widest; x <= widest; x++ {
		if value := at(float64(x)); value < best {
			best, center = value, float64(x)
		}
	}
	low, high := center-1, center+1
	const golden = 0.6180339887498949
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
	return (low + high) / 2
}
