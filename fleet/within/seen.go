package within

import "math"

// Seen returns the share of an app's excess that the samples show if the app starts and stops
// between samples. It uses sums over clients: d, the time with the app ΣTx/2, and ΣTx². They show
// how often an app at one end of a pair is missing at the other: d is 4ΣTp(1 − p)·(1 + ρ)/2 for an
// app that runs for the share p of the time and whose ends have the correlation ρ. If the app
// starts and stops at a constant rate, ρ = exp(−a), and the regression of its share of the time
// between the ends on its presence at the ends is tanh(a/2)/(a/2).
func Seen(d, timeOf, squares float64) float64 {
	const least = 0.05
	follow := 2*d/(4*timeOf-squares+d) - 1
	if !(follow < 1) {
		return 1
	}
	a := -math.Log(max(least, follow))
	return math.Tanh(a/2) / (a / 2)
}
