package ftrace

import (
	"maps"
	"math"
	"slices"
)

const (
	// bucketBits is the binary logarithm of the length of a bucket in nanoseconds. A bucket is
	// about a second long.
	bucketBits = 30
	// maxBuckets limits the number of buckets of a Span. They suffice for 18 hours of continuous
	// events.
	maxBuckets = 1 << 16
	// A pause between events separates damaged times from the recording. It must be longer than
	// minPause (nanoseconds), and longer than minFactor times the recording.
	minPause  = 30_000_000_000
	minFactor = 4
	// At most one in 50 times may be damaged.
	damaged = 50
)

// A Span finds the first and the last time of a recording, in spite of damaged times. A damaged
// clock reading moves an event by minutes or years. Such events are few, and far from all others.
// The zero Span has no events.
type Span struct {
	buckets map[int64]*bucket
	number  int64
	current *bucket
	full    bool
}

// A bucket describes the events within about one second: their number, first and last time.
type bucket struct{ n, first, last int64 }

// Add adds the time of an event.
func (s *Span) Add(moment int64) {
	number := moment >> bucketBits
	b := s.current
	if b == nil || number != s.number {
		if b = s.bucket(number); b == nil {
			return
		}
	}
	b.n++
	b.first, b.last = min(b.first, moment), max(b.last, moment)
}

// bucket returns a bucket by number and makes it the current one. It returns nil if there are too
// many buckets.
func (s *Span) bucket(number int64) *bucket {
	b := s.buckets[number]
	if b == nil {
		if len(s.buckets) >= maxBuckets {
			s.full = true
			return nil
		}
		if s.buckets == nil {
			s.buckets = make(map[int64]*bucket)
		}
		b = &bucket{first: math.MaxInt64, last: math.MinInt64}
		s.buckets[number] = b
	}
	s.number, s.current = number, b
	return b
}

// Bounds returns the first and the last time of the recording, without damaged times. outside
// counts the events with damaged times.
func (s *Span) Bounds() (first, last, outside int64) {
	if s.full || len(s.buckets) == 0 {
		return math.MinInt64, math.MaxInt64, 0
	}
	var parts []bucket
	all := int64(0)
	for _, number := range slices.Sorted(maps.Keys(s.buckets)) {
		b := s.buckets[number]
		all += b.n
		if n := len(parts); n > 0 && !apart(&parts[n-1], b, minPause) {
			parts[n-1].n += b.n
			parts[n-1].last = b.last
			continue
		}
		parts = append(parts, *b)
	}
	largest := 0
	for i := range parts {
		if parts[i].n > parts[largest].n {
			largest = i
		}
	}
	run := parts[largest]
	pause := int64(minPause)
	if length := run.last - run.first; length > pause/minFactor {
		pause = math.MaxInt64
		if length < math.MaxInt64/minFactor {
			pause = minFactor * length
		}
	}
	for i := largest - 1; i >= 0 && !apart(&parts[i], &run, pause); i-- {
		run.n, run.first = run.n+parts[i].n, parts[i].first
	}
	for i := largest + 1; i < len(parts) && !apart(&run, &parts[i], pause); i++ {
		run.n, run.last = run.n+parts[i].n, parts[i].last
	}
	if outside = all - run.n; outside > all/damaged {
		return parts[0].first, parts[len(parts)-1].last, 0
	}
	return run.first, run.last, outside
}

// apart reports whether more than the given pause lies between a and b.
func apart(a, b *bucket, pause int64) bool {
	return a.last < math.MaxInt64-pause && b.first > a.last+pause
}
