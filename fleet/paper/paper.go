// Package paper implements the statistics of Carat (SenSys 2013) without changes. It computes
// distributions of rates under a condition, and compares them (§2.2, 2.4). They are not diffprof's
// default, because they find false anomalies, as the documentation of package within explains.
//
// The following laws hold:
//
//   - A Dist is a sum, so the distributions of shards can be added.
//   - The rates without a condition are all rates minus the rates under the condition (§3.3.1).
//   - Rates are whole numbers of 10⁻⁹ % per second. Only means and errors are floating-point.
package paper

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/fleet/sums"
)

// unit is 1 % per second.
const unit = 1e9

// A Dist is a distribution of rates. Only its mean and variance are known.
type Dist struct {
	// N is the number of rates. Sum is their sum, and Squares is the sum of their squares.
	N, Sum, Squares sums.Int
}

// Add adds a rate, in 10⁻⁹ % per second.
func (d *Dist) Add(rate int64) {
	d.N.Add(1)
	d.Sum.Add(rate)
	d.Squares.AddProduct(rate, rate)
}

// Plus adds the rates of another distribution.
func (d *Dist) Plus(other Dist) {
	d.N.Plus(other.N)
	d.Sum.Plus(other.Sum)
	d.Squares.Plus(other.Squares)
}

// Without returns the distribution without some of its rates. For example, all rates without those
// under a condition c are the rates under ¬c.
func (d Dist) Without(some Dist) Dist {
	return Dist{N: d.N.Minus(some.N), Sum: d.Sum.Minus(some.Sum), Squares: d.Squares.Minus(some.Squares)}
}

// Mean returns the estimate of µ, in % per second. It is NaN if there are no rates.
func (d Dist) Mean() float64 { return d.Sum.Float() / d.N.Float() / unit }

// Variance returns s² with Bessel's correction. It is NaN for fewer than two rates (§2.2).
func (d Dist) Variance() float64 {
	n := d.N.Float()
	if n < 2 {
		return math.NaN()
	}
	mean := d.Sum.Float() / n
	return max(0, d.Squares.Float()-n*mean*mean) / (n - 1) / (unit * unit)
}

// An H is a way to compute 95 % intervals from standard errors.
type H int

// Normal uses 1.96 standard errors for any number of rates, as the paper does. Student uses
// Student's distribution, which requires 12.7 for two rates.
const (
	Normal H = iota
	Student
)

// Error returns ε. The interval is Mean() ± ε (§2.2). It is NaN for fewer than two rates.
func (d Dist) Error(h H) float64 {
	n := d.N.Float()
	times := 1.96
	if h == Student && n >= 2 {
		times = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	}
	return times * math.Sqrt(d.Variance()/n)
}

// A Gap compares a subject with a reference (§2.4, Figure 3).
type Gap struct {
	// Distance is d = µ1 − µ2, the improvement, and Error is its error e. Gap is d′, the distance
	// between the intervals. All are in % per second.
	Distance, Error, Gap float64
	// Reference is µ2, in % per second.
	Reference float64
}

// Compare compares two distributions.
func Compare(subject, reference Dist, h H) Gap {
	d, e := subject.Mean()-reference.Mean(), subject.Error(h)+reference.Error(h)
	return Gap{Distance: d, Error: e, Gap: d - e, Reference: reference.Mean()}
}

// Significant reports whether the subject uses significantly more energy than the reference: d′ >
// 0. It is false if either has fewer than two rates.
func (g Gap) Significant() bool { return g.Gap > 0 }

// A Prior is the a-priori distribution of rates (§2.3): a histogram of the rates of exact pairs.
type Prior struct {
	counts, rates [Classes]float64
}

// Classes is the number of bars of the histogram. Each doubling of the rate has 16 classes. The
// first class is for the rate 0.
const Classes = 16*32 + 1

// Class returns the class of a rate in 10⁻⁹ % per second.
func Class(rate int64) int {
	if rate < 1 {
		return 0
	}
	return min(Classes-1, 1+int(16*math.Log2(float64(rate))))
}

// Middle returns the middle of a class, in 10⁻⁹ % per second.
func Middle(class int) float64 {
	if class == 0 {
		return 0
	}
	return math.Exp2((float64(class) - 0.5) / 16)
}

// Add adds rates to a class: count rates with the given sum in 10⁻⁹ % per second.
func (p *Prior) Add(class int, count, sum float64) {
	if class >= 0 && class < Classes {
		p.counts[class] += count
		p.rates[class] += sum
	}
}

// Expect returns the expected rate between two bounds (Figure 2). It is the mean of the classes
// whose mean rates are between the bounds. If there is no such class, Expect returns the middle of
// the bounds and false.
func (p *Prior) Expect(least, most int64) (int64, bool) {
	count, sum := 0.0, 0.0
	for c := Class(least); c <= Class(most); c++ {
		if p.counts[c] > 0 {
			if mean := p.rates[c] / p.counts[c]; mean >= float64(least) && mean <= float64(most) {
				count += p.counts[c]
				sum += p.rates[c]
			}
		}
	}
	if count == 0 {
		return least + (most-least)/2, false
	}
	return int64(math.Round(sum / count)), true
}
