package petra

import (
	"cmp"
	"math/bits"
	"slices"
)

// A rest is what a division leaves over for a call, by its index, or for what a call has by
// itself, -1.
type rest struct {
	of   int32
	left uint64
}

// share gives each of the collected calls what it has, the outer ones first.
func (d *decoder) share() {
	for i := range d.calls {
		c := &d.calls[i]
		if c.parent < 0 {
			c.all = c.stated
		}
		if c.inner > c.stated {
			d.excess++
		}
		d.divide(c)
	}
}

// divide shares out what a call has among the calls right within it and itself. What it has
// is no more than it states, and what they state no more than the weight, so that nothing
// overflows.
func (d *decoder) divide(c *call) {
	weight := uint64(max(c.stated, c.inner))
	if weight == 0 {
		return
	}
	d.rests = d.rests[:0]
	left := c.all
	portion := func(of int32, stated int64) int64 {
		hi, lo := bits.Mul64(uint64(c.all), uint64(stated))
		part, over := bits.Div64(hi, lo, weight)
		if over > 0 {
			d.rests = append(d.rests, rest{of, over})
		}
		left -= int64(part)
		return int64(part)
	}
	for i := c.first; i > 0; i = d.calls[i].next {
		d.calls[i].all = portion(i, d.calls[i].stated)
	}
	c.own = portion(-1, max(0, c.stated-c.inner))
	slices.SortStableFunc(d.rests, func(a, b rest) int { return cmp.Compare(b.left, a.left) })
	for _, r := range d.rests[:left] {
		if r.of < 0 {
			c.own++
		} else {
			d.calls[r.of].all++
		}
	}
}
