package words

import (
	"fmt"
	"math"

	"github.com/diffprof/diffprof/repeats"
)

// NoiseTotal says how much all that a run drains varies, and what difference so many runs a
// side would show.
func NoiseTotal(runs int, deviation float64, least *float64, needed int, sought, power float64) string {
	said := fmt.Sprintf("a run varies by %s; %d runs a side show a growth of %s, with a probability of %s", Percent(deviation), runs, Least(least), percentOf(power))
	if least != nil && *least <= sought {
		return said
	}
	return said + fmt.Sprintf("; %s takes %s runs a side", Percent(sought), Needed(needed))
}

// Least writes the least growth that runs show, nil for none.
func Least(growth *float64) string {
	if growth == nil {
		return "–"
	}
	return Percent(*growth)
}

// NoiseLegend explains a table of noise.
func NoiseLegend(runs, tested int, sought, power, rate float64) string {
	return fmt.Sprintf("Tasks, the dearest first. noise: the relative standard deviation of a run; shows: the least growth that %d runs a side show with a probability of %s, "+
		"if no other of the %s differs that are tested together (false discovery rate %s); runs for %s: how many a side show that",
		runs, percentOf(power), Some(tested, "task"), percentOf(rate), Percent(sought))
}

// percentOf writes a share without decimals where it has none.
func percentOf(share float64) string {
	if p := 100 * share; p == math.Round(p) {
		return fmt.Sprintf("%.0f%%", p)
	}
	return Percent(share)
}

// Needed writes a number of runs, 0 for more than anybody makes.
func Needed(runs int) string {
	if runs == 0 {
		return fmt.Sprintf(">%d", repeats.MostRuns)
	}
	return Count(runs)
}
