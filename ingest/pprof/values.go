package pprof

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// A quantity states what the values of a sample type measure.
type quantity uint8

const (
	plain  quantity = iota // a number in another unit
	wall                   // elapsed time in nanoseconds
	cpu                    // processor time in nanoseconds
	energy                 // energy in nanojoules
)

// A reading states how to read the values of a sample type.
type reading struct {
	quantity quantity
	// at is the index of the sample type.
	at int
	// scale is the number of nanoseconds or nanojoules per unit of the type.
	scale int64
	// counts is the index of the sample type that counts samples, or -1 if there is none.
	counts int
	heap   heap
}

// A heap states how memory was sampled: on average once per rate bytes. objects and space are the
// indices of the sample types with the numbers and the sizes of allocations. rate is 0 if the
// values are not memory.
//
// Writers scale the values to all allocations: an allocation of size s is sampled with the
// probability 1 − exp(−s/rate), and is counted 1/probability times. Few samples can therefore have
// large values.
type heap struct {
	objects, space int
	rate           int64
}

// count returns the number of samples behind the values of a stack.
func (h *heap) count(values []int64) int64 {
	objects, space := float64(values[h.objects]), float64(values[h.space])
	if objects <= 0 || space <= 0 {
		return 0
	}
	return max(1, int64(math.Round(-objects*math.Expm1(-space/objects/float64(h.rate)))))
}

// value returns the value of a sample: nanoseconds, nanojoules, or a number in the type's own unit.
func (r *reading) value(values []int64) (int64, error) {
	v := values[r.at]
	if v < 0 {
		return 0, errors.New("a value is negative, as in the difference of two profiles; read the two profiles")
	}
	if v > math.MaxInt64/r.scale {
		return 0, errors.New("a value is too large")
	}
	return v * r.scale, nil
}

// count returns the number of times that a stack was sampled, or 0 if unknown.
func (r *reading) count(values []int64) int64 {
	switch {
	case r.heap.rate > 0:
		return r.heap.count(values)
	case r.counts < 0:
		return 0
	}
	return max(0, values[r.counts])
}

// choose chooses the sample type to read. asked is a type such as cpu or cpu/nanoseconds, or "". If
// it is "", the order of preference is energy, processor time, the profile's default, the last
// type.
func (t *tables) choose(asked string) (reading, error) {
	if len(t.types) == 0 {
		return reading{}, errors.New("the profile has no sample types")
	}
	counts := -1
	for i := range t.types {
		if t.isCount(i) {
			counts = i
			break
		}
	}
	best, rank := -1, -1
	var names []string
	for i, v := range t.types {
		kind := t.text(v.kind)
		name := kind + "/" + t.text(v.unit)
		names = append(names, name)
		r := 0
		switch q := t.reading(i).quantity; {
		case asked != "" && asked != kind && asked != name:
			continue
		case q == energy:
			r = 5
		case q == cpu && !t.isCount(i):
			r = 4
		case q == cpu:
			r = 3
		case v.kind == t.defaultType && t.text(t.defaultType) != "":
			r = 2
		case !t.isCount(i):
			r = 1
		}
		if r >= rank {
			best, rank = i, r
		}
	}
	if best < 0 {
		return reading{}, fmt.Errorf("unknown sample type %q; the sample types are %s", asked, strings.Join(names, ", "))
	}
	if asked == "" && t.text(t.types[best].kind) == "difference" {
		return reading{}, fmt.Errorf("the profile compares two runs; choose one with --sample-type: %s", strings.Join(names, ", "))
	}
	r := t.reading(best)
	r.counts = counts
	if r.quantity == plain {
		r.heap = t.heap(best)
	}
	return r, nil
}

// heap returns how the memory in sample type i was sampled. Its rate is 0 if the type is not memory.
// Types of memory come in pairs, such as alloc_objects and alloc_space.
func (t *tables) heap(i int) heap {
	kind := t.text(t.types[i].kind)
	which, isSpace := strings.CutSuffix(kind, "space")
	if !isSpace {
		which, _ = strings.CutSuffix(kind, "objects")
	}
	h := heap{-1, -1, t.period}
	for i, v := range t.types {
		switch t.text(v.kind) {
		case which + "objects":
			h.objects = i
		case which + "space":
			h.space = i
		}
	}
	if h.objects < 0 || h.space < 0 || i != h.objects && i != h.space || t.text(t.periodType.unit) != "bytes" {
		return heap{}
	}
	return h
}

// isCount reports whether a sample type counts samples.
func (t *tables) isCount(i int) bool {
	kind := t.text(t.types[i].kind)
	return (kind == "samples" || kind == "sample") && t.text(t.types[i].unit) == "count"
}

// reading returns how to read sample type i. If the type counts samples, each sample represents one
// sampling period.
func (t *tables) reading(i int) reading {
	v := t.types[i]
	r := reading{at: i, scale: 1}
	times := int64(1)
	if t.isCount(i) && t.period > 0 {
		v, times = t.periodType, t.period
	}
	kind, unit := t.text(v.kind), t.text(v.unit)
	if n := scale(times, unit, timeUnits[:]); n > 0 {
		r.quantity, r.scale = wall, n
		if strings.Contains(strings.ToLower(kind), "cpu") {
			r.quantity = cpu
		}
	}
	if n := scale(times, unit, energyUnits[:]); n > 0 {
		r.quantity, r.scale = energy, n
	}
	return r
}

// weight describes the values of sample type i, such as "inuse_space in bytes". It is "" if the
// type is called value, as in the profiles that diffprof writes for numbers without a unit.
func (t *tables) weight(i int) string {
	v := t.types[i]
	kind, unit := strings.ToValidUTF8(t.text(v.kind), "\uFFFD"), strings.ToValidUTF8(t.text(v.unit), "\uFFFD")
	switch {
	case kind == "value":
		return ""
	case unit == "count" || unit == "":
		return kind
	}
	return kind + " in " + unit
}

// A unit is a unit of time or energy. names has its names, separated by spaces. holds is its size
// in nanoseconds or nanojoules.
type unit struct {
	names string
	holds int64
}

var timeUnits = [...]unit{
	{"ns nanosecond nanoseconds", 1},
	{"us µs microsecond microseconds", 1e3},
	{"ms millisecond milliseconds", 1e6},
	{"s second seconds", 1e9},
}

var energyUnits = [...]unit{
	{"nJ nanojoule nanojoules", 1},
	{"uJ µJ microjoule microjoules", 1e3},
	{"mJ millijoule millijoules", 1e6},
	{"J joule joules", 1e9},
}

// scale converts a number of units to nanoseconds or nanojoules. It returns 0 if the list lacks the
// unit, or if the result is too large.
func scale(times int64, name string, list []unit) int64 {
	for _, u := range list {
		for n := range strings.FieldsSeq(u.names) {
			if n == name && times <= math.MaxInt64/u.holds {
				return times * u.holds
			}
		}
	}
	return 0
}
