// Package paper has the statistics of Carat (SenSys 2013) as the paper has them: distributions of
// rates under a condition, and their comparison (§2.2, 2.4). The default method of diffprof is
// package within, which says why this one finds anomalies where there are none.
//
// Laws: a Dist is a sum, so that distributions of shards add up, and that of the complement of a
// condition is the whole less that of the condition (§3.3.1). Rates are whole numbers of
// 10⁻⁹ % a second; floating point begins where a mean is asked for.
package paper

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/fleet/sums"
)

// unit is a rate of 1 % a second.
const unit = 1e9

// A Dist is a distribution of rates under a condition.
type Dist struct {
	// N is the number of rates, Sum their sum, Squares that of their squares.
	N, Sum, Squares sums.Int
}

// Add adds a rate, in 10⁻⁹ % a second.
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

// Without returns the distribution less some of its rates: that of ¬c, if those are of c.
func (d Dist) Without(some Dist) Dist {
	return Dist{N: d.N.Minus(some.N), Sum: d.Sum.Minus(some.Sum), Squares: d.Squares.Minus(some.Squares)}
}

// Mean is the estimate of µ, in % a second; NaN without rates.
func (d Dist) Mean() float64 { return d.Sum.Float() / d.N.Float() / unit }

// Variance is s², with Bessel's correction; NaN for fewer than two rates (§2.2).
func (d Dist) Variance() float64 {
	n := d.N.Float()
	if n < 2 {
		return math.NaN()
	}
	mean := d.Sum.Float() / n
	return max(0, d.Squares.Float()-n*mean*mean) / (n - 1) / (unit * unit)
}

// An H says how many standard errors an interval of 95 % has to each side.
type H int

// The paper takes 1.96 for every number of rates. For two rates Student's distribution asks
// for 12.7.
const (
	Normal H = iota
	Student
)

// Error is ε: the interval is Mean() ± ε (§2.2). NaN for fewer than two rates.
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
	// Distance is d = µ1 − µ2, Error is e: the improvement is d ± e. Gap is d′, what lies
	// between the intervals. All in % a second.
	Distance, Error, Gap float64
	// Reference is µ2, in % a second.
	Reference float64
}

// Compare compares two distributions.
func Compare(subject, reference Dist, h H) Gap {
	d, e := subject.Mean()-reference.Mean(), subject.Error(h)+reference.Error(h)
	return Gap{Distance: d, Error: e, Gap: d - e, Reference: reference.Mean()}
}

// Significant says whether the subject drains more: d′ > 0. Fewer than two rates on a side say
// nothing.
func (g Gap) Significant() bool { return g.Gap > 0 }

// A Prior is the a-priori distribution: rates of pairs that are exact, in classes (§2.3).
type Prior struct {
	counts, rates [Classes]float64
}

// Classes is how many classes of rates there are: 16 in each doubling, the first for 0.
const Classes = 16*32 + 1

// Class is the class of a rate in 10⁻⁹ % a second.
func Class(rate int64) int {
	if rate < 1 {
		return 0
	}
	return min(Classes-1, 1+int(16*math.Log2(float64(rate))))
}

// Middle is the middle of a class, in 10⁻⁹ % a second.
func Middle(class int) float64 {
	if class == 0 {
		return 0
	}
	return math.Exp2((float64(class) - 0.5) / 16)
}

// Add adds rates of a class: how many, and their sum in 10⁻⁹ % a second.
func (p *Prior) Add(class int, count, sum float64) {
	if class >= 0 && class < Classes {
		p.counts[class] += count
		p.rates[class] += sum
	}
}

// Expect returns the expectation of a rate that lies between two: that of the slice of the
// a-priori distribution between them, divided by its mass (Figure 2). A class counts if the
// mean of its rates lies in the slice. False says that the slice is empty: then it is the
// middle.
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
