package align

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/diffprof/diffprof/trace"
)

const (
	// group is the shortest pause between two groups of bursts. The app makes one group when it
	// starts, and another when the user stops the recording.
	group = int64(4 * time.Second)
	// cell is the time step at which bursts and power are compared. The comparison begins margin
	// before a group of bursts, and ends margin after it.
	cell, margin = int64(20 * time.Millisecond), int64(200 * time.Millisecond)
	// A group of bursts counts as found if its correlation with the power is at least seen. The
	// best correlation must exceed those at distant shifts by at least lead.
	minBurstCorrelation, minBurstLead = 0.6, 0.15
	// maxReadingGap is the longest time between two meter readings at which bursts can still be
	// found.
	maxReadingGap = int64(200 * time.Millisecond)
	// maxDrift limits the drift of a meter's clock.
	maxDrift = 1e-3
)

// alignBursts finds the app's bursts of load in the power of a side recording. With two groups of
// bursts, it also finds the drift of the side recording's clock.
func alignBursts(bursts []trace.Burst, drained *activity) (Place, error) {
	if len(bursts) == 0 {
		return Place{}, errors.New("the recording has no bursts of load: make the app with diffprof instrument --bursts, or set the start, such as --align 1.5s")
	}
	if len(drained.bins) == 0 {
		return Place{}, errors.New("it has no energy in which bursts of load can be found; set its start, such as --align 1.5s")
	}
	if drained.width > maxReadingGap {
		return Place{}, fmt.Errorf("it is too long to find bursts of load: steps of %v; cut it, or set its start, such as --align 1.5s", time.Duration(drained.width))
	}
	first, last := newTemplate(bursts), (*template)(nil)
	for i := len(bursts) - 1; i > 0 && last == nil; i-- {
		if bursts[i].Begin-bursts[i-1].End > group {
			last = newTemplate(bursts[i:])
		}
	}
	power := newPower(drained)
	// Times are accurate only to half of the time between two readings.
	within := time.Duration(max(drained.width, (drained.end-drained.begin)/max(1, 2*drained.readings)))
	step := max(cell, drained.width)
	// Only these shifts let the first group overlap with the side recording.
	low, high := first.begin-power.end, first.end-power.begin
	one := first.all(power, low, high, step)
	if last == nil {
		at, err := choose(one, one, low, step)
		if err != nil {
			return Place{}, err
		}
		shift, r := first.refine(power, low+int64(at)*step, step)
		return Place{Shift: time.Duration(shift), By: "bursts", Residual: within, Correlation: r}, nil
	}
	// The drift makes the shift of the last group differ from the shift of the first.
	reach := int64(maxDrift*float64(last.begin-first.begin)) + step
	other := last.all(power, low-reach, high+reach, step)
	joint, least := make([]float64, len(one)), make([]float64, len(one))
	partner := make([]int, len(one))
	for i := range one {
		joint[i], least[i] = -1, -1
		for k := i; k <= i+2*int(reach/step) && k < len(other); k++ {
			if r := (one[i] + other[k]) / 2; r > joint[i] {
				joint[i], least[i], partner[i] = r, min(one[i], other[k]), k
			}
		}
	}
	at, err := choose(joint, least, low, step)
	if err != nil {
		return Place{}, oneGroup(first, last, power, step, err)
	}
	s1, r1 := first.refine(power, low+int64(at)*step, step)
	s2, r2 := last.refine(power, low-reach+int64(partner[at])*step, step)
	t1, t2 := first.middle(), last.middle()
	// A time u of the side recording is u·(1 + drift) + shift on the run's timeline.
	u1, u2 := float64(t1-s1), float64(t2-s2)
	drift := float64(t2-t1)/(u2-u1) - 1
	shift := float64(t1) - u1*(1+drift)
	return Place{Shift: time.Duration(math.Round(shift)), Drift: drift, DriftResidual: 2 * float64(within) / float64(t2-t1), By: "bursts", Residual: within, Correlation: min(r1, r2)}, nil
}

// oneGroup returns an error with advice if the power shows only one of two groups of bursts. All
// groups look the same, so the advice covers two cases: the first group is missing, or the last. If
// the power shows no group, oneGroup returns err.
func oneGroup(first, last *template, p *power, step int64, err error) error {
	find := func(t *template) (shift int64, found bool) {
		low := t.begin - p.end
		all := t.all(p, low, t.end-p.begin, step)
		at, err := choose(all, all, low, step)
		if err != nil {
			return 0, false
		}
		shift, _ = t.refine(p, low+int64(at)*step, step)
		return shift, true
	}
	early, isFirst := find(first)
	late, isLast := find(last)
	if !isFirst || !isLast || early+p.end >= last.end || late+p.begin <= first.begin {
		return err
	}
	return fmt.Errorf("its power shows just one group of the bursts of load: the meter began after the first bursts, or it ended before the last ones; "+
		"let it run from before the app starts until after the bursts at the end, or set --align %v if the bursts are the last ones, and --align %v if they are the first ones, without a correction of drift",
		rounded(late), rounded(early))
}

// choose returns the index of the best correlation in all. Index i is the shift low + i·step. It
// fails in two cases:
//
//   - At the best shift, the power does not show the bursts of every group. The slice least has the
//     correlation of the worst group at each shift.
//   - A distant shift is nearly as good.
func choose(all, least []float64, low, step int64) (at int, err error) {
	for i, r := range all {
		if r > all[at] {
			at = i
		}
	}
	second := -1.0
	near := int(int64(time.Second)/step) + 1
	for i, r := range all {
		if i < at-near || i > at+near {
			second = max(second, r)
		}
	}
	if least[at] < minBurstCorrelation || all[at]-second < minBurstLead {
		return 0, fmt.Errorf("the bursts of load are not seen in its power: the best place, at %v, has correlation %.2f and the next one %.2f; set the start, such as --align 1.5s",
			rounded(low+int64(at)*step), least[at], second)
	}
	return at, nil
}

// A template is the load over time that a group of bursts should cause.
type template struct {
	begin, end int64
	load       []float64 // for each cell
}

// newTemplate returns the template of the first group in bursts.
func newTemplate(bursts []trace.Burst) *template {
	n := 1
	for n < len(bursts) && bursts[n].Begin-bursts[n-1].End <= group {
		n++
	}
	bursts = bursts[:n]
	t := &template{begin: bursts[0].Begin - margin, end: bursts[n-1].End + margin}
	t.load = make([]float64, min((t.end-t.begin)/cell+1, 1<<12))
	for i := range t.load {
		from := t.begin + int64(i)*cell
		for _, b := range bursts {
			t.load[i] += float64(max(0, min(b.End, from+cell)-max(b.Begin, from))) / float64(cell)
		}
	}
	return t
}

func (t *template) middle() int64 { return t.begin + (t.end-t.begin)/2 }

// at returns the correlation of the expected load with the power at a shift. The shift is added to
// the times of the side recording. If the group is then outside of the recording, at returns -1.
func (t *template) at(p *power, shift int64) float64 {
	if t.begin-shift < p.begin || t.end-shift > p.end {
		return -1
	}
	var n, x, y, xx, yy, xy float64
	before := p.until(t.begin - shift)
	for i, load := range t.load {
		after := p.until(t.begin + int64(i+1)*cell - shift)
		e := after - before
		before = after
		n, x, y, xx, yy, xy = n+1, x+load, y+e, xx+load*load, yy+e*e, xy+load*e
	}
	a, b := xx-x*x/n, yy-y*y/n
	if a <= 0 || b <= 1e-12*yy {
		return -1
	}
	return (xy - x*y/n) / math.Sqrt(a*b)
}

// all returns the correlations at the shifts low, low+step and so on, up to high.
func (t *template) all(p *power, low, high, step int64) []float64 {
	out := make([]float64, 0, (high-low)/step+1)
	for s := low; s <= high; s += step {
		out = append(out, t.at(p, s))
	}
	return out
}

// refine searches for a better shift around the given one, in smaller and smaller steps. It returns
// the best shift and its correlation.
func (t *template) refine(p *power, near, step int64) (int64, float64) {
	r := t.at(p, near)
	for step /= 2; step > int64(10*time.Microsecond); step /= 2 {
		for _, s := range []int64{near - step, near + step} {
			if q := t.at(p, s); q > r {
				near, r = s, q
			}
		}
	}
	return near, r
}

// A power has the energy that a side recording used up to each bin.
type power struct {
	begin, end, width int64
	sums              []float64
}

func newPower(a *activity) *power {
	p := &power{begin: max(0, a.begin), end: a.end, width: a.width, sums: make([]float64, len(a.bins)+1)}
	for i, e := range a.bins {
		p.sums[i+1] = p.sums[i] + e
	}
	return p
}

// until returns the energy used up to a time, interpolated within a bin.
func (p *power) until(moment int64) float64 {
	i := moment / p.width
	switch {
	case moment <= 0:
		return 0
	case int(i) >= len(p.sums)-1:
		return p.sums[len(p.sums)-1]
	}
	part := float64(moment-i*p.width) / float64(p.width)
	return p.sums[i] + part*(p.sums[i+1]-p.sums[i])
}
