package metered

import "testing"

// BenchmarkTenMinutes reads and fits a run of ten minutes with a meter of 1 kHz.
func BenchmarkTenMinutes(b *testing.B) {
	w := simulate(simulation{seed: 1, rate: 1000, seconds: 600, spread: 0.3, power: 0.1, methodCount: 20, noise: 0.015, busy: 0.4})
	runs := 0
	for b.Loop() {
		d, err := Read(b.Context(), w, w, nil)
		if err != nil {
			b.Fatal(err)
		}
		New(d, Options{})
		runs = len(d.runs)
	}
	b.ReportMetric(float64(runs), "runs")
}
