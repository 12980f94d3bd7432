package within

import "math"

// Seen returns the share of an app's excess that samples show if the app starts and stops between
// samples. The arguments are sums over clients: d, the time with the app ΣTx/2, and ΣTx². They show
// how often an app at one end of a pair is not at the other end. Let p be the share of time for
// which the app runs, and ρ the correlation of its presence at the two ends. Then d is 4ΣTp(1 −
// p)·(1 + ρ)/2. If the app starts and stops at a constant rate, then ρ = exp(−a). Let the share of
// the time between the ends for which the app runs be regressed on its presence at the ends. The
// slope is then tanh(a/2)/(a/2).
func Seen(d, timeOf, squares float64) float64 {
	const least = 0.05
	follow := 2*d/(4*timeOf-squares+d) - 1
	if !(follow < 1) {
		return 1
	}
	a := -math.Log(max(least, follow))
	return math.Tanh(a/2) / (a / 2)
}
