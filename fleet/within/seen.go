package within

import "math"

// Seen returns the share of an app's excess that samples show if the app starts and stops between
// samples. Its arguments are sums over clients: d, the time with the app ΣTx/2, and ΣTx². They show
// how often an app at one end of a pair is not at the other end. If the app runs for the share p of
// the time, and its presence at the two ends has the correlation ρ, then d is 4ΣTp(1 − p)·(1 +
// ρ)/2. If the app starts and stops at a constant rate, then ρ = exp(−a). The regression of its
// share of the time between the ends on its presence at the ends is then tanh(a/2)/(a/2).
func Seen(d, timeOf, squares float64) float64 {
	const least = 0.05
	follow := 2*d/(4*timeOf-squares+d) - 1
	if !(follow < 1) {
		return 1
	}
	a := -math.Log(max(least, follow))
	return math.Tanh(a/2) / (a / 2)
}
