package energy

import (
	"cmp"
	"math"
	"math/bits"
	"path"
	"slices"
	"sort"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A rail is what meters measured of a part of a device, and what is modelled of it, from one
// reading to the next.
//
// What is modelled of a span is scaled to what was measured in it, in whole nanojoules. Who
// drained how much is asked later, in pieces of any size and order; that they add up to the
// measured amount is kept by rounding sums and not pieces. What is measured and not modelled
// is nobody's. It is never spread over those who are known:
//
//   - where the model covers all who use the part, the span's energies are scaled up as well
//     as down, but up by most times only: beyond that the meter jumped, or the model is
//     another device's;
//   - else they are only scaled down.
//
// What lies before the first reading or behind the last one stays as it is modelled.
type rail struct {
	// name is a component, a cluster of the processor, or the device.
	name string
	// tracks are the names of what measures it.
	tracks []string
	// whole says that the model covers all who use the part.
	whole bool
	spans []span
	// outside is what lies outside of all spans.
	outside span
	// capped counts the spans that the model says too little of, empty those that it says
	// nothing of.
	capped, empty int64
	// at is the span that was looked up last.
	at int
}

// A span is the time between two readings.
type span struct {
	begin, end int64
	// measured was drained in it, goal is what of that belongs to what is modelled.
	measured, goal units.Energy
	// modelled is the sum of what is modelled, asked what of it was asked for, in pJ; given
	// is what was said to these.
	modelled, asked uint64
	given           units.Energy
}

// most is how far a model may fall short of a meter, as a factor.
const most = 4

// add adds what is modelled of a time, in pJ, evenly.
func (r *rail) add(begin, end int64, e uint64) {
	r.cut(begin, end, e, func(s *span, part uint64) { s.modelled += part })
}

// settle says that all is modelled.
func (r *rail) settle() {
	for i := range r.spans {
		s := &r.spans[i]
		has := units.Energy(s.modelled / 1000)
		s.goal = min(s.measured, has)
		if r.whole {
			s.goal = s.measured
			if s.measured > most*has {
				s.goal = most * has
				r.capped++
			}
		}
		if s.modelled == 0 && s.measured > 0 {
			r.empty++
		}
	}
	r.outside.goal = units.Energy(r.outside.modelled / 1000)
}

// scale returns what a part of what is modelled of a time comes to, in nJ. It is to be asked
// for no more than was added.
func (r *rail) scale(begin, end int64, e uint64) (sum units.Energy) {
	r.cut(begin, end, e, func(s *span, part uint64) { sum += s.take(part) })
	return sum
}

// take gives a part of what is modelled its share of the goal.
func (s *span) take(part uint64) units.Energy {
	s.asked = min(s.asked+part, s.modelled)
	if s.modelled == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(s.goal), s.asked)
	now, _ := bits.Div64(hi, lo, s.modelled) // asked is no more than modelled, so that it fits
	more := units.Energy(now) - s.given
	s.given = units.Energy(now)
	return more
}

// cuts says whether the model says more than was measured of any span.
func (r *rail) cuts() bool {
	return slices.ContainsFunc(r.spans, func(s span) bool { return uint64(s.goal)*1000 < s.modelled/1000*1000 })
}

// picojoules is an energy in pJ, at most the largest number.
func picojoules(e units.Energy) uint64 { return uint64(min(e, math.MaxInt64/1000)) * 1000 }

// rest is what was measured and not given.
func (r *rail) rest() (sum units.Energy) {
	for i := range r.spans {
		sum += r.spans[i].measured - r.spans[i].given
	}
	return sum
}

// measured is what was measured in all.
func (r *rail) measured() (sum units.Energy) {
	for i := range r.spans {
		sum += r.spans[i].measured
	}
	return sum
}

// modelled is what is modelled of the time that was measured.
func (r *rail) modelled() units.Energy {
	sum := uint64(0)
	for i := range r.spans {
		sum += r.spans[i].modelled
	}
	return units.Energy(sum / 1000)
}

// begin makes the rail ready for another scan.
func (r *rail) begin() {
	r.at = 0
	for i := range r.spans {
		r.spans[i].asked, r.spans[i].given = 0, 0
	}
	r.outside.asked, r.outside.given = 0, 0
}

// forget forgets what is modelled.
func (r *rail) forget() {
	for i := range r.spans {
		r.spans[i].modelled = 0
	}
	r.outside.modelled, r.capped, r.empty = 0, 0, 0
}

// cut gives f the parts of an amount that lie in each span, by their times.
func (r *rail) cut(begin, end int64, e uint64, f func(*span, uint64)) {
	if len(r.spans) == 0 {
		f(&r.outside, e)
		return
	}
	if r.at >= len(r.spans) || begin < r.spans[r.at].begin || begin >= r.spans[r.at].end {
		r.at = sort.Search(len(r.spans), func(i int) bool { return r.spans[i].end > begin })
	}
	if i := r.at; i < len(r.spans) && begin >= r.spans[i].begin && end <= r.spans[i].end {
		f(&r.spans[i], e)
		return
	}
	if end <= begin {
		f(&r.outside, e)
		return
	}
	done := uint64(0)
	part := func(to int64) uint64 { // up to a moment
		hi, lo := bits.Mul64(e, uint64(to-begin))
		upto, _ := bits.Div64(hi, lo, uint64(end-begin))
		more := upto - done
		done = upto
		return more
	}
	if first := r.spans[0].begin; begin < first {
		f(&r.outside, part(min(end, first)))
	}
	for i := r.at; i < len(r.spans) && r.spans[i].begin < end; i++ {
		f(&r.spans[i], part(min(end, r.spans[i].end)))
	}
	if done < e {
		f(&r.outside, e-done)
	}
}

// A series is what a track drained up to each of its readings.
type series struct {
	trace.Track
	readings []reading
	// step is how many readings one stands for, skipped how many came since the last one.
	step, skipped int
	last          reading
}

type reading struct{ time, drained int64 }

// maxReadings bounds the readings of a track that are kept; of more every second one goes.
const maxReadings = 1 << 18

// add adds a reading.
func (s *series) add(r reading) {
	if n := len(s.readings); n > 0 && r.drained < s.last.drained {
		r.drained = s.last.drained
	}
	s.last = r
	if s.skipped++; s.skipped < s.step {
		return
	}
	s.skipped = 0
	if len(s.readings) == maxReadings {
		kept := s.readings[:0]
		for i := 0; i < len(s.readings); i += 2 {
			kept = append(kept, s.readings[i])
		}
		s.readings = kept
		s.step = max(1, s.step) * 2
	}
	s.readings = append(s.readings, r)
}

// finish keeps the last reading.
func (s *series) finish() {
	if n := len(s.readings); n > 0 && s.readings[n-1] != s.last {
		s.readings = append(s.readings, s.last)
	}
}

// energy is what was drained from the first reading to the last.
func (s *series) energy() units.Energy { return units.Energy(s.last.drained - s.readings[0].drained) }

// drained is what was drained from the first reading up to a moment, taken to change evenly
// between readings.
func (s *series) drained(moment int64) int64 {
	first := s.readings[0]
	i, _ := slices.BinarySearchFunc(s.readings, moment, func(r reading, t int64) int { return cmp.Compare(r.time, t) })
	switch {
	case i == 0:
		return 0
	case i == len(s.readings):
		return s.readings[i-1].drained - first.drained
	}
	a, b := s.readings[i-1], s.readings[i]
	return a.drained - first.drained + units.MulDiv(b.drained-a.drained, moment-a.time, b.time-a.time)
}

// newRail returns a rail that is measured by the sum of some tracks.
func newRail(name string, whole bool, by []*series) *rail {
	r := &rail{name: name, whole: whole}
	var moments []int64
	for _, s := range by {
		r.tracks = append(r.tracks, s.Name)
		for _, reading := range s.readings {
			moments = append(moments, reading.time)
		}
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	before := int64(0)
	for i := 1; i < len(moments); i++ {
		sum := int64(0)
		for _, s := range by {
			sum += s.drained(moments[i])
		}
		r.spans = append(r.spans, span{begin: moments[i-1], end: moments[i], measured: units.Energy(sum - before)})
		before = sum
	}
	return r
}

// matches says whether a track's name fits one of some patterns.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}
