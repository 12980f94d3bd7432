package metered

import (
	"math"
	"testing"

	"github.com/diffprof/diffprof/repeats"
)

// visit calls do with each statement of a list, and with the statements inside it.
func visit(list []*statement, do func(s *statement)) {
	for _, s := range list {
		do(s)
		visit(s.then, do)
		visit(s.no, do)
		visit(s.loop, do)
	}
}

// TestPairs compares two runs of one simulated app. In the second run, some lines use twice as much
// energy. The seeds were not used for choosing constants.
func TestPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 8 runs")
	}
	for _, c := range []struct{ rate, seconds, power float64 }{{20, 40, 0.1}, {1000, 15, 0.1}} {
		var same, falseEach, falseMore, wrongWay, changed, found int
		for seed := range uint64(2) {
			twice := make(map[place]bool)
			o := simulation{seed: 300 + seed, rate: c.rate, seconds: c.seconds, spread: 0.3, power: c.power, methodCount: 20, noise: 0.015, busy: 0.4, run: 1}
			there := fitted(t, simulate(o), Options{})
			o.run, o.change = 2, func(w *world) {
				for _, m := range w.methods {
					visit(m.body, func(s *statement) {
						if s.line%10 == 3 {
							s.energy *= 2
							twice[place{m.id, s.line}] = true
						}
					})
				}
			}
			w := simulate(o)
			here := fitted(t, w, Options{})
			for _, p := range Compare(here, there, false, nil).Pairs {
				if p.Subject == nil || p.Reference == nil {
					continue
				}
				var id int
				for i := range w.methods {
					if w.methods[i].name() == p.Subject.Method.Name {
						id = i
					}
				}
				if twice[place{w.methods[id].id, int32(p.Subject.Line)}] {
					changed++
					switch p.Each {
					case repeats.Costlier:
						found++
					case repeats.Cheaper:
						wrongWay++
					}
					continue
				}
				same++
				if p.Each != repeats.NoEvidence {
					falseEach++
				}
				if p.Estimate.Verdict != repeats.NoEvidence && p.CompareExecutions() == 0 {
					falseMore++
				}
			}
		}
		t.Logf("%v Hz, powers vary by %v: %d lines alike, %d differ each, %d differ without more executions; %d cost twice as much, %d found, %d the wrong way",
			c.rate, c.power, same, falseEach, falseMore, changed, found, wrongWay)
		if wrongWay > 0 || float64(falseEach) > 0.05*float64(same)+2*math.Sqrt(0.05*0.95*float64(same)) {
			t.Errorf("%v Hz, powers vary by %v: %d of %d equal lines differ, and %d differ the wrong way", c.rate, c.power, falseEach, same, wrongWay)
		}
	}
}
