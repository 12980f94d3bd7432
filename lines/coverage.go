package lines

import (
	"cmp"
	"context"
	"errors"

	"github.com/diffprof/diffprof/trace"
)

// Coverage counts the samples of a recording, and the samples whose line is known. Only the line of
// the innermost frame matters. The zero value is for a recording without samples.
type Coverage struct {
	// Samples counts all samples. Lines counts the samples with a known line, and Positions the
	// samples with a position in DEX code instead. First counts the positions at the beginning of a
	// method. If the recording does not count samples, all four are times or energies instead.
	Samples, Lines, Positions, First int64
}

// Plus adds the counts of another run.
func (k Coverage) Plus(other Coverage) Coverage {
	return Coverage{k.Samples + other.Samples, k.Lines + other.Lines, k.Positions + other.Positions, k.First + other.First}
}

// Share returns the share of the samples that have a line.
func (k Coverage) Share() float64 { return share(k.Lines, k.Samples) }

// PositionShare returns the share of the samples that have a position in DEX code. It is 0 if
// nearly all positions are the beginning of a method, because the recorder then did not know the
// positions.
func (k Coverage) PositionShare() float64 {
	if k.PositionsUnknown() {
		return 0
	}
	return share(k.Positions, k.Samples)
}

// PositionsUnknown reports whether the recorder did not know the positions. It then gave the
// beginning of the method as at least 95 % of the positions.
func (k Coverage) PositionsUnknown() bool { return k.Positions > 0 && k.First*20 >= k.Positions*19 }

func share(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// errFound ends a scan that has found a line.
var errFound = errors.New("found a line")

// A Counter is a recording that counts the samples with a known own line during a scan. It must not
// be scanned concurrently.
type Counter struct {
	rec trace.Recording
	// Coverage has the counts of the last scan.
	Known Coverage
	// If Until is set, a scan ends with an error at the first frame with a line or a position.
	// Found is set at that frame.
	Until, Found bool
}

// Count returns a Counter of rec.
func Count(rec trace.Recording) *Counter { return &Counter{rec: rec} }

// Scan implements trace.Recording.
func (c *Counter) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	s := &counting{sink: sink, c: c}
	tr, err := c.rec.Scan(ctx, s)
	if c.Known = s.amounts; s.counts.Samples > 0 {
		c.Known = s.counts
	}
	return tr, err
}

// A counting is the sink of a Counter.
type counting struct {
	sink trace.Sink
	c    *Counter
	// counts has numbers of samples. amounts has their times or energies.
	counts, amounts Coverage
}

// Start implements trace.StartSink.
func (s *counting) Start(clock trace.Clock, energy trace.Provenance) {
	trace.Start(s.sink, clock, energy)
}

// Events implements trace.Sink.
func (s *counting) Events(batch []trace.Event) error { return s.sink.Events(batch) }

// Samples implements trace.Sink.
func (s *counting) Samples(batch []trace.Sample) error {
	counts := s.counts
	for i := range batch {
		sample := &batch[i]
		if s.c.Until && !s.c.Found {
			for _, line := range sample.Lines {
				s.c.Found = s.c.Found || line != 0 && line <= maxLine
			}
		}
		if sample.Account != 0 {
			continue // energy of a component, and not a sample of the run
		}
		own := int32(0)
		if n := len(sample.Stack); n > 0 && n <= len(sample.Lines) {
			own = sample.Lines[n-1]
		}
		switch {
		case sample.Count > 0:
			counts.add(own, sample.Count)
		case counts.Samples == 0: // amounts matter only if the recording does not count samples
			s.amounts.add(own, cmp.Or(int64(sample.Energy), sample.CPU, sample.Wall, sample.Weight))
		}
	}
	s.counts = counts
	if s.c.Until && s.c.Found {
		return errFound
	}
	return s.sink.Samples(batch)
}

// add counts n samples whose innermost frame is at a line. A negative line is the complement (^) of
// a position in DEX code.
func (k *Coverage) add(line int32, n int64) {
	k.Samples += n
	switch {
	case line > 0 && line <= maxLine:
		k.Lines += n
	case line < 0:
		k.Positions += n
		if line == ^0 {
			k.First += n
		}
	}
}
