package change

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/repeats"
)

// shift returns how much the figures after a change exceed those before it. It is the estimate of
// Hodges and Lehmann, with its 95 % interval.
func shift(before, after []float64) (float64, repeats.Interval) {
	differences := make([]float64, 0, len(before)*len(after))
	for _, a := range after {
		for _, b := range before {
			differences = append(differences, a-b)
		}
	}
	slices.Sort(differences)
	middle := repeats.Median(differences)
	below := pairs(len(before), len(after))
	outside := 0
	for outside < len(differences)/2 && below(outside) <= Rate/2 {
		outside++
	}
	if outside == 0 {
		return middle, repeats.Interval{Least: math.Inf(-1), Most: math.Inf(1)}
	}
	return middle, repeats.Interval{Least: differences[outside-1], Most: differences[len(differences)-outside]}
}

// mannWhitney returns the p-value of the Mann-Whitney test that two samples have the same
// distribution.
func mannWhitney(a, b []float64) float64 {
	// smaller is twice the number of pairs in which the figure of a is smaller. A pair of equal
	// figures counts as half a pair.
	smaller := 0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x < y:
				smaller += 2
			case x == y:
				smaller++
			}
		}
	}
	few := min(smaller, 2*len(a)*len(b)-smaller)
	return min(1, 2*pairs(len(a), len(b))((few+1)/2))
}

// pairs returns the cumulative distribution of the Mann-Whitney statistic. Compare each of m
// figures with each of n figures from the same distribution. At k, the result is the probability
// that the first figure is smaller in at most k of the m·n pairs.
func pairs(m, n int) func(k int) float64 {
	// For large samples, use the normal distribution.
	const mostExact = 1 << 12
	if m*n > mostExact {
		normal := distuv.Normal{Mu: float64(m*n) / 2, Sigma: math.Sqrt(float64(m*n) * float64(m+n+1) / 12)}
		return func(k int) float64 { return normal.CDF(float64(k) + 0.5) }
	}
	// Consider the largest of i+j figures. With probability i/(i+j), it is one of the first i, and
	// smaller than none of the others. Otherwise it is one of the j, and all i figures are smaller.
	// with[i] has the probability of each k for i figures and the j figures so far.
	with := make([][]float64, m+1)
	for i := range with {
		with[i] = []float64{1}
	}
	for j := 1; j <= n; j++ {
		for i := 1; i <= m; i++ {
			both := make([]float64, i*j+1)
			for k, p := range with[i-1] {
				both[k] += p * float64(i) / float64(i+j)
			}
			for k, p := range with[i] {
				both[k+i] += p * float64(j) / float64(i+j)
			}
			with[i] = both
		}
	}
	sums := with[m]
	for k := 1; k < len(sums); k++ {
		sums[k] += sums[k-1]
	}
	return func(k int) float64 { return sums[min(k, len(sums)-1)] }
}
