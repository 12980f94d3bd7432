package pairs

import (
	"slices"

	"github.com/diffprof/diffprof/fleet/samples"
)

// A Factor is a condition that is held constant by subtracting its effect. Strata can hold only few
// conditions constant, because each condition divides the pairs again. If effects are assumed to
// add up, many conditions can be held constant, in finer ranges.
type Factor struct {
	// Codes has the value of the condition for each pair. All codes are below Width.
	Codes []int32
	Width int
}

const (
	// pairsOfCode is the minimum number of pairs of a client, for each code of each factor.
	pairsOfCode = 4
	// finestDate is the shortest range of dates, and maxDates is the maximum number of ranges. A
	// range may be shorter than a day, because the client's midnight is unknown.
	finestDate, maxDates = 6 * hour, 64
	// finestBand is the height of a range of the battery level.
	finestBand = 5 * samples.Percent
)

// Factors returns the factors of a client, as far as it has enough pairs for them:
//
//  1. the base strata
//  2. if Options.Clock is set: time of day, level, date and charging phase, in coarse ranges
//  3. the other features
//  4. the conditions of step 2 in finer ranges
//
// Strata instead begin with the features. On a client with few pairs, they hold other conditions
// constant than Factors. Work.Load must have loaded the client.
func (w *Work) Factors(c *samples.Client) []Factor {
	base := Factor{Codes: make([]int32, len(w.Pairs)), Width: w.Bases}
	for i := range w.Pairs {
		base.Codes[i] = int32(w.Pairs[i].Base)
	}
	all := []Factor{base}
	if len(c.Rates) > 0 {
		return all
	}
	left := len(w.Pairs)/pairsOfCode - base.Width
	// add adds a factor if there are enough pairs. If place is not 0, the factor replaces the
	// coarser factor at that index. add returns the index of the factor.
	add := func(place int, codes []int32) int {
		f := pooled(codes)
		coarser := 1
		if place > 0 {
			coarser = all[place].Width
		}
		if f.Width <= 1 || f.Width-coarser > left {
			return place
		}
		left -= f.Width - coarser
		if place == 0 {
			all, place = append(all, f), len(all)
		}
		all[place] = f
		return place
	}
	r := &w.refiner
	clock := func(place int, code func(c *samples.Client, p *Pair) int32) int {
		r.ofClock(w.Pairs, c, code)
		return add(place, r.codes)
	}
	phase := func(place int, limits ...int64) int {
		r.ofPhase(w.Pairs, c, limits...)
		return add(place, r.codes)
	}
	var hours, bands, dates, phases int // These are indices in all, or 0.
	if w.Clock {
		hours, bands, dates, phases = clock(0, dayPartOf), clock(0, bandOf), clock(0, halfOf), phase(0, afterCharge)
	}
	for _, f := range w.Others {
		if r.ofFeature(w.Pairs, c.Features[f], w.Number) {
			add(0, r.codes)
		}
	}
	if w.Clock {
		first, last := c.Times[0], c.Times[c.Len()-1]
		part := max(finestDate, (last-first)/maxDates+1)
		clock(hours, hourOf)
		clock(bands, func(c *samples.Client, p *Pair) int32 { return c.Levels[p.From] / finestBand })
		clock(dates, func(c *samples.Client, p *Pair) int32 { return int32((c.Times[p.From] - first) / part) })
		phase(phases, afterCharge/4, afterCharge/2, afterCharge, 2*afterCharge, 4*afterCharge)
	}
	return all
}

// pooled returns a factor with new codes. Codes with fewer than minStratum pairs become one code.
func pooled(codes []int32) Factor {
	count := make([]int32, slices.Max(codes)+1)
	for _, code := range codes {
		count[code]++
	}
	number, rest := make([]int32, len(count)), int32(-1)
	f := Factor{Codes: make([]int32, len(codes))}
	for code, n := range count {
		switch {
		case n >= minStratum:
			number[code] = int32(f.Width)
			f.Width++
		case n > 0 && rest < 0:
			rest = int32(f.Width)
			f.Width++
			fallthrough
		default:
			number[code] = rest
		}
	}
	for i, code := range codes {
		f.Codes[i] = number[code]
	}
	return f
}
