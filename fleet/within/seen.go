package within

import "math"

// Seen is the share of an app's excess that is seen if it comes and goes between samples, of its sums
// over clients: d, the time with it ΣTx/2, and ΣTx². What tells that is how often an app at one end of a
// pair is not at the other: d is 4ΣTp(1 − p)·(1 + ρ)/2 for an app that runs the share p of the time and
// whose ends correlate by ρ. One that comes and goes at any moment alike has ρ = exp(−a), and the share of
// the time between that it ran follows its ends by tanh(a/2)/(a/2).
func Seen(d, timeOf, squares float64) float64 {
	const least = 0.05
	follow := 2*d/(4*timeOf-squares+d) - 1
	if !(follow < 1) {
		return 1
	}
	a := -math.Log(max(least, follow))
	return math.Tanh(a/2) / (a / 2)
}
