package repeats

import (
	"math"
	"testing"
)

// TestPOfBothNoises checks the p-value of a difference if there is both noise of runs and noise
// between builds. It must never be smaller than with only one of the two, and must be the
// probability at which the interval begins to contain 0. If one of the noises approaches 0, the
// p-value must approach that for the other noise alone.
func TestPOfBothNoises(t *testing.T) {
	for _, runs := range []float64{2, 3, 8} {
		for _, common := range []float64{1e-6, 1e-4, 1e-3} {
			for _, builds := range []float64{0.001, 0.01, 0.03} {
				for _, subject := range []float64{1010, 1050, 1200} {
					r := &row{subject: side{mean: subject, runs: runs}, reference: side{mean: 1000, runs: runs}, mean: (subject + 1000) / 2, freedom: 2*runs - 2, own: common}
					noise := func(common, builds float64) *Noise {
						r.own = common
						return &Noise{Common: common, Tasks: 1, Runs: 2*runs - 2, shift: 1, builds: builds}
					}
					both := noise(common, builds)
					p := both.testP(r)
					within, between := both.variance(r)
					half := math.Hypot(quantile(p, both.freedom(r))*math.Sqrt(within), math.Sqrt2*math.Erfcinv(p)*math.Sqrt(between))
					if difference := math.Abs(r.difference()); p < 1 && p > 1e-12 && math.Abs(half/difference-1) > 1e-4 {
						t.Errorf("%v runs, noises %v and %v, %v: at p = %v the interval reaches %v, want %v", runs, common, builds, subject, p, half, difference)
					}
					for what, one := range map[string]*Noise{"runs": noise(common, 0), "builds": noise(0, builds)} {
						if alone := one.testP(r); p < alone*(1-1e-6) {
							t.Errorf("%v runs, noises %v and %v, %v: p = %v, and %v with the noise of %s alone", runs, common, builds, subject, p, alone, what)
						}
					}
					alone := noise(common, 0).testP(r)
					if near := noise(common, 1e-9).testP(r); math.Abs(near-alone) > 1e-3*alone+1e-9 {
						t.Errorf("%v runs, noise %v, %v: p = %v with little noise between builds, and %v with none", runs, common, subject, near, alone)
					}
				}
			}
		}
	}
}
