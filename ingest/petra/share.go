package petra

import (
	"cmp"
	"math/bits"
	"slices"
)

// A rest is what remains of one division. account is the callee that receives the quotient, as an
// index, or -1 for the call itself.
type rest struct {
	account int32
	left    uint64
}

// share computes the energies of the collected calls, callers before callees.
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

// divide divides the energy of a call among its direct callees and the call itself, in proportion
// to the stated energies. Parts are rounded down, and the missing nanojoules go to the largest
// rests. The division cannot overflow, because no callee states more than weight.
func (d *decoder) divide(c *call) {
	weight := uint64(max(c.stated, c.inner))
	if weight == 0 {
		return
	}
	d.rests = d.rests[:0]
	left := c.all
	portion := func(account int32, stated int64) int64 {
		hi, lo := bits.Mul64(uint64(c.all), uint64(stated))
		part, over := bits.Div64(hi, lo, weight)
		if over > 0 {
			d.rests = append(d.rests, rest{account, over})
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
		if r.account < 0 {
			c.own++
		} else {
			d.calls[r.account].all++
		}
	}
}
