package pairs

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/samples"
)

const (
	// minStratum is the minimum number of pairs of a stratum that a further condition creates.
	// Strata of the same parent with fewer pairs are pooled. A stratum of n pairs loses about 1/n
	// of its information.
	minStratum = 4
	// mostCodes is the maximum number of different values of a condition on one client. Further
	// values count as one value.
	mostCodes = 7
	// An hour is in milliseconds.
	hour = 60 * 60 * 1000
	// hoursOfPart is the length of a part of the day.
	hoursOfPart = 4
	// afterCharge is the length of the first phase of a discharge, which follows charging.
	afterCharge = hour
)

// A refiner splits strata by conditions. Its memory is used again for the next client.
type refiner struct {
	values []uint32 // values has the values of a feature by code.
	codes  []int32  // codes is indexed by pair.
	strata []int32  // strata is indexed by pair.
	count  []int32  // count is indexed by parent and code.
	number []int32  // number is parallel to count. It has the number of the new stratum, plus 1.
	rest   []int32  // rest is indexed by parent. It has the number of the parent's pooled stratum, plus 1.
}

// refine divides the strata of a client by the other conditions. Recorded features come before
// conditions of the clock. A condition divides a stratum only into parts of at least minStratum
// pairs. On clients with few pairs, the last conditions are therefore not held constant. Rare
// values of a condition are pooled with each other, but not with frequent values.
func (w *Work) refine(c *samples.Client) {
	r := &w.refiner
	w.Bases = w.Strata
	for i := range w.Pairs {
		w.Pairs[i].Base = w.Pairs[i].Stratum
	}
	if len(w.Pairs) == 0 || len(c.Rates) > 0 || len(w.Others) == 0 && !w.Clock || w.OnlyWithin {
		return
	}
	r.strata = resized(r.strata, len(w.Pairs))
	for i := range w.Pairs {
		r.strata[i] = int32(w.Pairs[i].Base)
	}
	for _, f := range w.Others {
		if r.ofFeature(w.Pairs, c.Features[f], w.Number) {
			w.Strata = r.split(w.Strata)
		}
	}
	if w.Clock {
		for _, code := range []func(c *samples.Client, p *Pair) int32{dayPartOf, hourOf, bandOf, halfOf} {
			r.ofClock(w.Pairs, c, code)
			w.Strata = r.split(w.Strata)
		}
		r.ofPhase(w.Pairs, c, afterCharge)
		w.Strata = r.split(w.Strata)
	}
	for i := range w.Pairs {
		w.Pairs[i].Stratum = int(r.strata[i])
	}
}

// resized returns a slice of n numbers. It reuses the memory of s if possible.
func resized(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n, n+n/2)
	}
	return s[:n]
}

// ofFeature sets the code of each pair from the values of a feature at both ends of the pair. The
// order of the two values does not matter. If there are many different numbers, their ranges are
// used instead. ofFeature returns false if all pairs have the same values.
func (r *refiner) ofFeature(pairs []Pair, values []uint32, number func(value uint32) float64) bool {
	many := false
	r.values = r.values[:0]
	r.codes = resized(r.codes, len(pairs))
	code := func(v uint32) int32 {
		for i, known := range r.values {
			if known == v {
				return int32(i)
			}
		}
		if len(r.values) < mostCodes {
			r.values = append(r.values, v)
		} else {
			many = true
		}
		return int32(len(r.values) - 1)
	}
	varies := false
	for i := range pairs {
		r.codes[i] = ofBoth(code(values[pairs[i].From]), code(values[pairs[i].To]))
		varies = varies || r.codes[i] != r.codes[0]
		if many && number != nil {
			if r.ofNumbers(pairs, values, number) {
				return true
			}
			number = nil
		}
	}
	return varies
}

// ofBoth returns the code of a pair from the codes at its ends, in any order.
func ofBoth(a, b int32) int32 {
	if a < b {
		a, b = b, a
	}
	return a*(a+1)/2 + b
}

// ranges is the number of ranges of a feature whose values are numbers, such as a temperature.
const ranges = 4

// ofNumbers sets the code of each pair from the ranges of the numbers at both ends. Each range has
// about the same number of samples of the client. An empty value has a code of its own. ofNumbers
// returns false if a value is not a number.
func (r *refiner) ofNumbers(pairs []Pair, values []uint32, number func(value uint32) float64) bool {
	numbers := make([]float64, 0, len(pairs))
	for i := range pairs {
		v := values[pairs[i].To]
		if v == 0 {
			continue
		}
		n := number(v)
		if math.IsNaN(n) {
			return false
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return false
	}
	slices.Sort(numbers)
	var limits [ranges - 1]float64
	for i := range limits {
		limits[i] = numbers[(i+1)*len(numbers)/ranges]
	}
	code := func(v uint32) int32 {
		if v == 0 {
			return ranges
		}
		n, in := number(v), int32(0)
		for _, limit := range limits {
			if n >= limit {
				in++
			}
		}
		return in
	}
	for i := range pairs {
		r.codes[i] = ofBoth(code(values[pairs[i].From]), code(values[pairs[i].To]))
	}
	return true
}

func (r *refiner) ofClock(pairs []Pair, c *samples.Client, code func(*samples.Client, *Pair) int32) {
	r.codes = resized(r.codes, len(pairs))
	for i := range pairs {
		r.codes[i] = code(c, &pairs[i])
	}
}

// dayPartOf returns the part of the day at the middle of a pair. The client's time zone is unknown.
// For one client, however, a part of the day is the same time on each day.
func dayPartOf(c *samples.Client, p *Pair) int32 {
	return int32((c.Times[p.From] + p.Time/2) / (hoursOfPart * hour) % (24 / hoursOfPart))
}

// hourOf returns the hour at the middle of a pair.
func hourOf(c *samples.Client, p *Pair) int32 {
	return int32((c.Times[p.From] + p.Time/2) / hour % 24)
}

// bandOf returns the quarter of the battery level at the beginning of a pair.
func bandOf(c *samples.Client, p *Pair) int32 {
	return min(3, c.Levels[p.From]/(25*samples.Percent))
}

// halfOf returns 0 if a pair is in the first half of the client's record, and 1 if it is in the
// second half. The halves are equally long.
func halfOf(c *samples.Client, p *Pair) int32 {
	if c.Times[p.From]-c.Times[0] < (c.Times[len(c.Times)-1]-c.Times[0])/2 {
		return 0
	}
	return 1
}

// ofPhase sets the code of each pair to the number of limits that were exceeded by the time since
// the device was unplugged. In the first hour, the battery's reading often falls at a different
// rate.
func (r *refiner) ofPhase(pairs []Pair, c *samples.Client, limits ...int64) {
	r.codes = resized(r.codes, len(pairs))
	begins := int64(0)
	for i := range pairs {
		p := &pairs[i]
		if i == 0 || pairs[i-1].To != p.From {
			begins = c.Times[p.From]
		}
		r.codes[i] = 0
		for _, limit := range limits {
			if c.Times[p.From]-begins >= limit {
				r.codes[i]++
			}
		}
	}
}

// split splits n strata by the codes of a condition. It returns the new number of strata.
func (r *refiner) split(n int) int {
	width := slices.Max(r.codes) + 1
	if width < 2 {
		return n
	}
	r.count = resized(r.count, n*int(width))
	r.number = resized(r.number, n*int(width))
	r.rest = resized(r.rest, n)
	clear(r.count)
	clear(r.number)
	clear(r.rest)
	strata, count := r.strata[:len(r.codes)], r.count
	for i, c := range r.codes {
		count[strata[i]*width+c]++
	}
	made := int32(0)
	for i, c := range r.codes {
		parent := strata[i]
		number := &r.rest[parent]
		if at := parent*width + c; count[at] >= minStratum {
			number = &r.number[at]
		}
		if *number == 0 {
			made++
			*number = made
		}
		strata[i] = *number - 1
	}
	return int(made)
}
