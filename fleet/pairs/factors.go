package pairs

import (
	"slices"

	"github.com/diffprof/diffprof/fleet/samples"
)

// A Factor is a condition in a model in which the effects of conditions add up. Strata can hold
// only few conditions constant, because each further condition divides the pairs again. A sum of
// effects can hold many conditions constant, in finer ranges.
type Factor struct {
	// Codes has the value of the condition, by pair. All codes are below Width.
	Codes []int32
	Width int
}

const (
	// pairsOfCode is the minimum number of pairs of a client per code, over the codes of all
	// factors.
	pairsOfCode = 4
	// finestDate is the minimum length of a part of the record, and mostDates is the maximum number
	// of parts. A part is shorter than a day, because the client's midnight is unknown.
	finestDate, mostDates = 6 * hour, 64
	// finestBand is the height of a range of the battery level.
	finestBand = 5 * samples.Percent
)

// Factors returns the conditions of a client's pairs. The first factor has the base strata. Further
// factors follow as long as there are enough pairs. If Options.Clock is set, these are the time of
// day, the level, the date and the charging phase, in coarse ranges. Then come the other features,
// and then finer ranges. On clients with few pairs, Factors and the strata hold different
// conditions constant, because strata begin with the features. Work.Load must have loaded the
// client.
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
	// add appends a factor if place is 0. Otherwise it replaces the coarser factor at place. It
	// returns the place of the factor. If there are too few pairs, it only returns place.
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
		part := max(finestDate, (last-first)/mostDates+1)
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
