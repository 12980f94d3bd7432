package regression

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A scale is a spread with its noise, both squared, and the probability of both.
type scale struct {
	spread, noise, weight float64
	// moved has the likeliest changes of the parameters for this scale, and covariance is their covariance.
	moved      []float64
	covariance *mat.SymDense
}

// gain returns the change of the factors in a direction per unit of the direction's measurement, and
// the variance that remains. value is the value of the direction.
func (s *scale) gain(value float64) (gain, left float64) {
	if value == 0 {
		return 0, s.spread
	}
	sum := s.spread*value + s.noise
	return s.spread * math.Sqrt(value) / sum, s.spread * s.noise / sum
}

// scale returns the scale with a ratio and its likeliest noise.
func (s *shrinking) scale(ratio float64) scale {
	_, noise := s.loss(ratio)
	return scale{spread: ratio * noise, noise: noise, weight: 1}
}

const (
	// mostSpread bounds the spread, because few measurements may leave it open.
	mostSpread = 3
	// unlikely is a difference in loss. Scales whose loss exceeds the smallest loss by more are not
	// averaged. averaged is the number of the others.
	unlikely, averaged = 16, 16
	// widest is the largest logarithm of a ratio.
	widest = 32
)

// scales returns the scales that the measurements do not exclude. The prior distribution of the
// spread is uniform from 0 to mostSpread (Gelman, Bayesian Analysis 2006).
func (s *shrinking) scales() []scale {
	at := func(x float64) float64 {
		ratio := math.Exp(x)
		loss, noise := s.loss(ratio)
		if ratio*noise > mostSpread*mostSpread {
			return math.Inf(1)
		}
		// The prior of the logarithm of the ratio is proportional to the spread.
		return loss - math.Log(ratio*noise)
	}
	best, center := math.Inf(1), 0.0
	for x := -widest; x <= widest; x++ {
		if loss := at(float64(x)); loss < best {
			best, center = loss, float64(x)
		}
	}
	center = least(at, center-1, center+1)
	best = at(center)
	end := func(step float64) float64 {
		x := center
		for at(x) < best+unlikely && math.Abs(x) < 2*widest {
			x += step
			step *= 1.5
		}
		return x
	}
	low, high := end(-0.02), end(0.02)
	var out []scale
	sum := 0.0
	for i := range averaged {
		x := low + (high-low)*(float64(i)+0.5)/averaged
		if w := math.Exp((best - at(x)) / 2); w > 0 {
			ratio := math.Exp(x)
			_, noise := s.loss(ratio)
			if freedom := s.freedom(); freedom > 2 {
				noise = s.bound(noise * freedom / (freedom - 2)) // the mean, which exceeds the likeliest noise
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

// least returns the place of the minimum of a function between two numbers, by golden sections.
func least(at func(float64) float64, low, high float64) float64 {
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
