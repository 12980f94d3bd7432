package pairs

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/samples"
)

const (
	// minStratum is the minimum number of pairs of a new stratum. Smaller parts of a stratum are
	// pooled into one. A stratum of n pairs loses about 1/n of its information.
	minStratum = 4
	// maxCodes is the maximum number of values of a condition on one client. Further values are
	// treated as one.
	maxCodes = 7
	// hour is the length of an hour in milliseconds.
	hour = 60 * 60 * 1000
	// hoursOfPart is the length of a part of the day.
	hoursOfPart = 4
	// afterCharge is the length of the first phase of a discharge, which follows charging.
	afterCharge = hour
)

// A refiner splits strata by conditions. Its memory is used again for the next client.
type refiner struct {
	values []uint32 // values maps a code to the value of a feature.
	codes  []int32  // codes has the value of the current condition, by pair.
	strata []int32  // strata is indexed by pair.
	count  []int32  // count is the number of pairs, by old stratum and code.
	number []int32  // number is parallel to count. It is the new stratum plus 1, or 0.
	rest   []int32  // rest has the pooled stratum of each old stratum, plus 1, or 0.
}

// refine divides the strata of a client by more conditions: first features, then those of the
// clock. Parts with fewer than minStratum pairs are pooled into one. On a client with few pairs,
// the last conditions are therefore not held constant.
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

// ofFeature sets the code of each pair from the two values of a feature, in any order. If there are
// many different numbers, it uses ranges of numbers. It returns false if all pairs have the same
// values.
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
		if len(r.values) < maxCodes {
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

// ofNumbers sets the code of each pair from the ranges of its two numbers. Each range has about the
// same number of samples. An empty value has its own code. ofNumbers returns false if a value is
// not a number.
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

// dayPartOf returns the part of the day at the middle of a pair. The client's time zone is unknown,
// but a part is at the same local time on each day.
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

// halfOf returns 0 in the first half of the client's record, by time, and 1 in the second half.
func halfOf(c *samples.Client, p *Pair) int32 {
	if c.Times[p.From]-c.Times[0] < (c.Times[len(c.Times)-1]-c.Times[0])/2 {
		return 0
	}
	return 1
}

// ofPhase sets the code of each pair from the time since the device was unplugged: the number of
// limits that it exceeds. In the first hour, the battery's reading often falls at a different rate.
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
