package words

import (
	"testing"

	"github.com/diffprof/diffprof/units"
)

// TestTrendWords checks the sentence for each case of a trend.
func TestTrendWords(t *testing.T) {
	milli := units.Milli
	s := ScaleFor(&milli, 0, 0)
	energy := func(x units.Energy) *units.Energy { e := x * 1_000_000; return &e }
	growth := func(x float64) *float64 { return &x }
	for got, want := range map[string]string{
		LastingChange(*energy(4), energy(3), energy(5), growth(0.321), s):   "4.00 mJ more (3.00 to 5.00), +32.1%",
		LastingChange(*energy(-4), energy(-5), energy(-3), growth(-0.5), s): "4.00 mJ less (3.00 to 5.00), -50.0%",
		LastingChange(*energy(-4), energy(-5), energy(1), nil, s):           "4.00 mJ less (-1.00 to 5.00)",
		LastingChange(*energy(4), nil, nil, growth(30), s):                  "4.00 mJ more, ×31",
		LastingChange(*energy(4), nil, nil, nil, ScalePerFigure(nil, 0)):    "4.00 mJ more",
		Since("b", "b", "b"):                                    "since b",
		Since("b", "a", "c"):                                    "since b (or since some entry from a to c)",
		SteadyTrend(1, 5, 1):                                    "no evidence that it costs more or less: 1 entry, 5 runs; a change needs two entries or more",
		SteadyTrend(3, 1, 0.342):                                "no evidence that it costs more or less: 3 entries, 1 run; chance alone gives such a difference in 34.2% of cases",
		Chance(0.0001):                                          "chance alone gives such a difference in 0.01% of cases",
		Between(0, "a", "b", "", 0):                             "b has the change, since no commit is between a and b",
		Between(1, "a", "b", "m", 1):                            "measure m: it is the only commit between a and b",
		Between(6, "a", "b", "m", 3):                            "measure m: it is in the middle of 6 commits between a and b; 3 measurements find the commit",
		Repeats([]string{Repeat(1, "a"), Repeat(2, "b")}, true): "1 more run of a and 2 more runs of b would show more exactly where the change is, if they vary like the runs so far",
		Repeats([]string{Repeat(3, "a")}, false):                "3 more runs of a would show a change, if they vary like the runs so far",
		Growth(nil):                                             "new",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
