package within

import "math"

// ObservedShare returns the share of an app's excess that samples show. The rest is not visible
// because the app starts and stops between samples. The arguments are sums over clients: the weight
// d, the time with the app ΣTx/2, and ΣTx².
//
//  1. Let p be the share of time in which the app runs. Let ρ be the correlation of its presence at
//     the two ends of a pair.
//  2. Then d = 4ΣTp(1 − p)·(1 + ρ)/2. This gives ρ.
//  3. If the app starts and stops at a constant rate, then ρ = exp(−a). This gives a.
//  4. The part of a pair in which the app runs is regressed on its presence at the ends. The slope
//     is tanh(a/2)/(a/2). This is the result.
func ObservedShare(d, timeOf, squares float64) float64 {
	const least = 0.05
	follow := 2*d/(4*timeOf-squares+d) - 1
	if !(follow < 1) {
		return 1
	}
	a := -math.Log(max(least, follow))
	return math.Tanh(a/2) / (a / 2)
}
