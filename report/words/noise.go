package words

import (
	"fmt"
	"math"

	"github.com/diffprof/diffprof/repeats"
)

// NoiseTotal says how much a run's energy varies, and the smallest growth that these runs detect.
func NoiseTotal(runs int, deviation float64, least *float64, needed int, sought, power float64) string {
	text := fmt.Sprintf("the energy of a run varies by %s; %d runs on each side show a growth of %s with a probability of %s", Percent(deviation), runs, DetectableGrowth(least), percentOf(power))
	// NoiseSetup already says if no number of runs suffices.
	if needed == 0 || least != nil && *least <= sought {
		return text
	}
	return text + fmt.Sprintf("; to show a growth of %s, record %s runs on each side", Percent(sought), Needed(needed))
}

// DetectableGrowth formats the smallest growth that runs detect, or "–" for nil.
func DetectableGrowth(growth *float64) string {
	if growth == nil {
		return "–"
	}
	return Percent(*growth)
}

// NoiseLegend explains a table of noise.
func NoiseLegend(runs, tested int, sought, power, rate float64) string {
	return fmt.Sprintf("Tasks, most energy first. noise: relative standard deviation between runs; shows: the smallest growth that %d runs on each side show with a probability of %s, "+
		"if it is the only difference among %s tested together (false discovery rate %s); runs for %s: how many runs on each side would show that growth",
		runs, percentOf(power), Some(tested, "task"), percentOf(rate), Percent(sought))
}

// percentOf formats a share, without decimals for whole percents.
func percentOf(share float64) string {
	if p := 100 * share; p == math.Round(p) {
		return fmt.Sprintf("%.0f%%", p)
	}
	return Percent(share)
}

// Needed formats a number of runs. 0 means more than repeats.MostRuns.
func Needed(runs int) string {
	if runs == 0 {
		return fmt.Sprintf(">%d", repeats.MostRuns)
	}
	return Count(runs)
}
