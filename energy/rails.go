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

// A rail scales modelled energy of a part of a device to its measured energy. It does so for each
// span, the period between two readings of the meter.
//
// Owners get their shares later, in pieces of any size and in any order. The pieces add up to the
// measured energy exactly, in whole nanojoules, because only cumulative sums are rounded. Measured
// energy without any modelled energy is unattributed. The scale is limited:
//
//   - If the model covers all users of the part, the span may be scaled up as well as down. It is
//     scaled up by at most the factor most. A larger factor means that the meter jumped, or that
//     the model describes another device.
//   - Otherwise the span is only scaled down.
//
// Modelled energy before the first reading and after the last reading is not scaled.
type rail struct {
	// name is a component, a cluster of the processor, or the device.
	name string
	// tracks are the names of the tracks that measure it.
	tracks []string
	// whole means that the model covers all users of the measured part.
	whole bool
	spans []span
	// outside has the energy at times that are in no span.
	outside span
	// capped counts the spans that would have to be scaled up by more than the allowed factor.
	// empty counts the spans that have measured energy but no modelled energy.
	capped, empty int64
	// at is the index of the span that was found last. A search begins there.
	at int
}

// A span is the time between two readings.
type span struct {
	begin, end int64
	// goal is how much of the measured energy is distributed, in proportion to the modelled energy.
	measured, goal units.Energy
	// modelled is the modelled energy in pJ. asked is how much of it was scaled so far, and given
	// is the result of that.
	modelled, asked uint64
	given           units.Energy
}

// maxScale limits the factor by which modelled energy is increased.
const maxScale = 4

// add adds modelled energy in pJ, spread evenly from begin to end.
func (r *rail) add(begin, end int64, e uint64) {
	r.cut(begin, end, e, func(s *span, part uint64) { s.modelled += part })
}

// settle computes how much energy each span will distribute. All modelled energy must have been
// added.
func (r *rail) settle() {
	for i := range r.spans {
		s := &r.spans[i]
		has := units.Energy(s.modelled / 1000)
		s.goal = min(s.measured, has)
		if r.whole {
			s.goal = s.measured
			if s.measured > maxScale*has {
				s.goal = maxScale * has
				r.capped++
			}
		}
		if s.modelled == 0 && s.measured > 0 {
			r.empty++
		}
	}
	r.outside.goal = units.Energy(r.outside.modelled / 1000)
}

// scale returns the scaled energy, in nJ, for a modelled energy of e pJ. The calls together must
// not ask for more than was passed to add.
func (r *rail) scale(begin, end int64, e uint64) (sum units.Energy) {
	r.cut(begin, end, e, func(s *span, part uint64) { sum += s.take(part) })
	return sum
}

// take scales a part of the modelled energy.
func (s *span) take(part uint64) units.Energy {
	s.asked = min(s.asked+part, s.modelled)
	if s.modelled == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(s.goal), s.asked)
	now, _ := bits.Div64(hi, lo, s.modelled) // The quotient fits, because asked is at most modelled.
	more := units.Energy(now) - s.given
	s.given = units.Energy(now)
	return more
}

// cuts reports whether any span has more modelled than measured energy.
func (r *rail) cuts() bool {
	return slices.ContainsFunc(r.spans, func(s span) bool { return uint64(s.goal)*1000 < s.modelled/1000*1000 })
}

// picojoules converts e to pJ, at most math.MaxInt64.
func picojoules(e units.Energy) uint64 { return uint64(min(e, math.MaxInt64/1000)) * 1000 }

// rest returns the measured energy that was not distributed.
func (r *rail) rest() (sum units.Energy) {
	for i := range r.spans {
		sum += r.spans[i].measured - r.spans[i].given
	}
	return sum
}

// measured returns the total measured energy.
func (r *rail) measured() (sum units.Energy) {
	for i := range r.spans {
		sum += r.spans[i].measured
	}
	return sum
}

// modelled returns the modelled energy within the spans.
func (r *rail) modelled() units.Energy {
	sum := uint64(0)
	for i := range r.spans {
		sum += r.spans[i].modelled
	}
	return units.Energy(sum / 1000)
}

// begin prepares the rail for another scan.
func (r *rail) begin() {
	r.at = 0
	for i := range r.spans {
		r.spans[i].asked, r.spans[i].given = 0, 0
	}
	r.outside.asked, r.outside.given = 0, 0
}

// forget discards the modelled energy.
func (r *rail) forget() {
	for i := range r.spans {
		r.spans[i].modelled = 0
	}
	r.outside.modelled, r.capped, r.empty = 0, 0, 0
}

// cut divides an amount among the spans in proportion to time. It calls f with each part.
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
	part := func(to int64) uint64 { // amount up to a moment
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

// A series is the cumulative energy of a track at each of its readings.
type series struct {
	trace.Track
	readings []reading
	// step is the number of readings of which one is stored. skipped counts the readings since the
	// last stored reading.
	step, skipped int
	last          reading
}

type reading struct{ time, drained int64 }

// maxReadings limits the stored readings of a track. At the limit, every second reading is dropped.
const maxReadings = 1 << 18

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

// finish stores the last reading.
func (s *series) finish() {
	if n := len(s.readings); n > 0 && s.readings[n-1] != s.last {
		s.readings = append(s.readings, s.last)
	}
}

// energy returns the energy between the first and the last reading.
func (s *series) energy() units.Energy { return units.Energy(s.last.drained - s.readings[0].drained) }

// drained returns the energy from the first reading up to moment. It interpolates linearly between
// two readings.
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

// newRail returns a rail that is measured by the sum of the given tracks.
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

// matches reports whether a track's name matches any of the patterns.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}
