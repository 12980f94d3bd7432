package align

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// maxKept is the largest number of kept signals, tracks and operations. They use 40 MB.
const maxKept = 1 << 20

// A kept recording keeps what its first scan reads, if it has few signals and neither events nor
// samples. Later scans then need not decode the file again. The table of a power meter is such a
// recording.
type kept struct {
	trace.Recording
	trace *trace.Trace
	// start gives the clock to a sink.
	start func(to trace.Sink)
	steps []step
	size  int
	// decoded is set if later scans must decode the recording.
	decoded bool
}

// A step is a call of a trace.SignalSink. It has one of its four fields.
type step struct {
	track      *trace.Track
	signals    []trace.Signal
	operations []trace.Operation
	until      *int64
}

// first scans the recording for the first time.
func (k *kept) first(ctx context.Context, to trace.Sink) (*trace.Trace, error) {
	t, err := k.Recording.Scan(ctx, &keeper{kept: k, to: to})
	if k.trace = t; err != nil || k.start == nil {
		k.drop()
	}
	return t, err
}

// drop ends the keeping.
func (k *kept) drop() { k.decoded, k.steps = true, nil }

// Scan implements trace.Recording.
func (k *kept) Scan(ctx context.Context, to trace.Sink) (*trace.Trace, error) {
	if k.decoded {
		return k.Recording.Scan(ctx, to)
	}
	k.start(to)
	signals := trace.Signals(to)
	var batch []trace.Signal // a sink may change a batch
	for _, s := range k.steps {
		if signals == nil {
			break
		}
		err := ctx.Err()
		switch {
		case err != nil:
		case s.track != nil:
			err = signals.Track(*s.track)
		case s.until != nil:
			err = signals.Until(*s.until)
		case s.operations != nil:
			err = signals.Operations(slices.Clone(s.operations))
		default:
			batch = append(batch[:0], s.signals...)
			err = signals.Signals(batch)
		}
		if err != nil {
			return nil, err
		}
	}
	t := *k.trace
	return &t, nil
}

// A keeper is a sink that keeps what it forwards.
type keeper struct {
	*kept
	to      trace.Sink
	signals trace.SignalSink
}

// Start implements trace.StartSink.
func (k *keeper) Start(clock trace.Clock, energy trace.Provenance) {
	k.start = func(to trace.Sink) { trace.Start(to, clock, energy) }
	k.start(k.to)
}

// TakeNames implements trace.NameTaker.
func (k *keeper) TakeNames(names trace.Names) { trace.GiveNames(k.to, names) }

// Events implements trace.Sink.
func (k *keeper) Events(batch []trace.Event) error {
	k.drop()
	return k.to.Events(batch)
}

// Samples implements trace.Sink.
func (k *keeper) Samples(batch []trace.Sample) error {
	k.drop()
	return k.to.Samples(batch)
}

// TakeSignals implements trace.SignalTaker.
func (k *keeper) TakeSignals() trace.SignalSink {
	if k.signals = trace.Signals(k.to); k.signals == nil {
		k.drop()
		return nil
	}
	return k
}

// keep keeps a step of the given size.
func (k *keeper) keep(size int, s func() step) {
	if k.size += size; k.size > maxKept {
		k.drop()
	}
	if !k.decoded {
		k.steps = append(k.steps, s())
	}
}

// Track implements trace.SignalSink.
func (k *keeper) Track(t trace.Track) error {
	k.keep(1, func() step { return step{track: &t} })
	return k.signals.Track(t)
}

// Signals implements trace.SignalSink.
func (k *keeper) Signals(batch []trace.Signal) error {
	if len(batch) > 0 {
		k.keep(len(batch), func() step { return step{signals: slices.Clone(batch)} })
	}
	return k.signals.Signals(batch)
}

// Operations implements trace.SignalSink.
func (k *keeper) Operations(batch []trace.Operation) error {
	if len(batch) > 0 {
		k.keep(4*len(batch), func() step { return step{operations: slices.Clone(batch)} })
	}
	return k.signals.Operations(batch)
}

// Until implements trace.SignalSink.
func (k *keeper) Until(moment int64) error {
	k.keep(1, func() step { return step{until: &moment} })
	return k.signals.Until(moment)
}
