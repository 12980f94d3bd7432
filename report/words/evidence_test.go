package words_test

import (
	"testing"

	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

func TestChange(t *testing.T) {
	for _, c := range []struct {
		subject, reference units.Energy
		e                  repeats.Estimate
		want               string
	}{
		{1031, 1000, repeats.Estimate{Interval: repeats.Interval{Least: -4, Most: 66}}, "+3.1% (-0.4% to +6.6%), no evidence"},
		{172, 1000, repeats.Estimate{Verdict: repeats.Cheaper, Interval: repeats.Interval{Least: -1518, Most: -138}}, "-82.8% (-100.0% to -13.8%), cheaper"},
		{5, 0, repeats.Estimate{Interval: repeats.Interval{Least: 1, Most: 9}}, "– (– to –), no evidence"},
	} {
		if got := words.Change(c.subject, c.reference, &c.e); got != c.want {
			t.Errorf("%d against %d: %q, want %q", c.subject, c.reference, got, c.want)
		}
	}
}
