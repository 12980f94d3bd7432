package speedscope

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// samples reads the samples and the events of the chosen profiles.
func (d *decoder) samples(ctx context.Context) error {
	return d.eachChosen(func(p *profile) error {
		r := run{decoder: d, profile: p, opened: make(map[int32]int)}
		r.limit, _ = units.Decimal(r.profile.end, r.num, r.den)
		return d.in.Members(func(name []byte) error {
			switch string(name) {
			case "samples":
				return d.in.Elements(func() error { return r.sample(ctx) })
			case "events":
				if err := d.in.Elements(func() error { return r.event(ctx) }); err != nil {
					return err
				}
				return r.close(ctx)
			}
			return d.in.Skip()
		})
	})
}

// eachChosen calls read for each chosen profile, at the start of its object.
func (d *decoder) eachChosen(read func(*profile) error) error {
	at := 0
	return d.in.Members(func(name []byte) error {
		if string(name) != "profiles" {
			return d.in.Skip()
		}
		return d.in.Elements(func() error {
			at++
			if at > len(d.profiles) || !d.profiles[at-1].chosen {
				return d.in.Skip()
			}
			return read(&d.profiles[at-1])
		})
	})
}

// A run is the state of reading one profile.
type run struct {
	*decoder
	*profile
	// seen counts the samples of the profile. time is their total duration.
	seen int
	time int64
	// did is the activity of the pushed stack.
	did trace.Activity
	// open has the open frames. opened counts how often each frame is open.
	open   []int32
	opened map[int32]int
	// first and last are the values of the first and the latest event. They are valid once begun is
	// set.
	first, last int64
	begun       bool
	// limit is the value at the end of the profile, or 0 if the profile does not state it.
	limit int64
}

// sample reads a stack. The previous pass read its weight.
func (r *run) sample(ctx context.Context) error {
	if r.seen >= len(r.weights) {
		return errors.New("a profile has more samples than weights")
	}
	if err := r.in.Elements(func() error {
		frame, err := r.in.Index()
		if err != nil {
			return err
		}
		return r.push(frame)
	}); err != nil {
		return err
	}
	r.seen++
	return r.add(ctx, r.weights[r.seen-1], 1)
}

// push adds a frame to the stack.
func (r *run) push(frame int32) error {
	switch {
	case frame < 0 || int(frame) >= len(r.methods):
		return fmt.Errorf("a stack refers to unknown frame %d (the file has %d)", frame, len(r.methods))
	case r.batch.Depth() >= maxDepth:
		return errors.New("a stack has more than 1,048,576 frames")
	}
	if role := r.roles[frame]; role != method {
		r.did = activities[role]
		return nil
	}
	line := int32(0)
	if r.lined {
		line = r.lines[frame]
	}
	r.batch.Push(r.methods[frame], line)
	return nil
}

// add adds a sample with the pushed stack, or several equal samples. value is their sum.
func (r *run) add(ctx context.Context, value, samples int64) error {
	if err := r.count(value); err != nil {
		return err
	}
	s := trace.Sample{Thread: r.thread, Count: samples, Activity: r.did}
	r.did = trace.UnknownActivity
	th := &r.trace.Threads[r.thread]
	th.Events++
	switch r.trace.Clock {
	case trace.ThreadCPU:
		s.CPU = value
		th.CPU += time.Duration(value)
	case trace.WallClock:
		s.Time, s.Wall = r.time, value
		r.moment(s.Time)
		r.time += value
		th.Wall += time.Duration(value)
		r.trace.Elapsed = max(r.trace.Elapsed, time.Duration(r.time))
	default:
		s.Energy = units.Energy(value)
	}
	r.batch.Add(s)
	r.trace.Events++
	if r.batch.Full() {
		if err := ctx.Err(); err != nil {
			return err
		}
		return r.batch.Flush()
	}
	return nil
}

// count adds a value to the sum over the file.
func (d *decoder) count(value int64) error {
	if value > math.MaxInt64-d.sum {
		return errors.New("the sum of the values up to here is too large")
	}
	d.sum += value
	return nil
}

// moment records the time of a sample or an event. Profiles follow each other on the timeline,
// regardless of when they were recorded.
func (d *decoder) moment(at int64) {
	d.newest = max(d.newest, at)
	d.trace.Skew = max(d.trace.Skew, time.Duration(d.newest-at))
	d.trace.Elapsed = max(d.trace.Elapsed, time.Duration(at))
}

// flush sends the events to the sink.
func (d *decoder) flush() error {
	if len(d.events) == 0 {
		return nil
	}
	err := d.sink.Events(d.events)
	d.events = d.events[:0]
	return err
}

// event reads the opening or the closing of a frame.
func (r *run) event(ctx context.Context) error {
	var at int64
	frame, closes := int32(-1), false
	if err := r.in.Members(func(name []byte) (err error) {
		switch string(name) {
		case "type":
			var text []byte
			text, err = r.in.Text()
			closes = string(text) == "C"
		case "frame":
			frame, err = r.in.Index()
		case "at":
			at, err = r.in.Scaled(r.num, r.den)
		default:
			err = r.in.Skip()
		}
		return err
	}); err != nil {
		return err
	}
	if frame < 0 || int(frame) >= len(r.methods) {
		return fmt.Errorf("an event refers to unknown frame %d (the file has %d)", frame, len(r.methods))
	}
	if r.moments++; at > r.limit {
		r.late++
	}
	since := r.until(at)
	if err := r.sendStack(ctx, since); err != nil {
		return err
	}
	if !closes {
		r.open = append(r.open, frame)
		r.opened[frame]++
		return r.sendEvent(ctx, trace.Enter, frame, since)
	}
	if r.opened[frame] == 0 {
		r.stray++
		return nil
	}
	// Open frames inside the closing frame end with it.
	for ended := false; !ended; since = 0 {
		if ended = r.open[len(r.open)-1] == frame; !ended {
			r.left++
		}
		if err := r.end(ctx, since); err != nil {
			return err
		}
	}
	return nil
}

// until advances to the value of an event, and returns the difference from the previous event's
// value. That difference belongs to the stack between the two events.
func (r *run) until(at int64) int64 {
	if !r.begun {
		r.begun, r.first, r.last = true, at, at
	}
	since := at - r.last
	if since < 0 {
		r.backward++
		return 0
	}
	r.last = at
	if len(r.open) == 0 {
		return 0
	}
	return since
}

// end ends the innermost open frame.
func (r *run) end(ctx context.Context, since int64) error {
	frame := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	r.opened[frame]--
	return r.sendEvent(ctx, trace.Exit, frame, since)
}

// sendEvent sends an event. since is its difference from the previous event.
func (r *run) sendEvent(ctx context.Context, kind trace.Kind, frame int32, since int64) error {
	if r.dotNet {
		return nil // sendStack has sent the time in a sample.
	}
	e := trace.Event{Kind: kind, Ref: trace.Ref(r.methods[frame]), Thread: r.thread}
	th := &r.trace.Threads[r.thread]
	switch r.trace.Clock {
	case trace.ThreadCPU:
		e.CPU = since
		th.CPU += time.Duration(since)
	case trace.WallClock:
		e.Time = r.last - r.first
		th.Wall = time.Duration(e.Time)
		r.moment(e.Time)
	default:
		e.Energy = units.Energy(since)
	}
	if err := r.count(since); err != nil {
		return err
	}
	th.Events++
	r.trace.Events++
	r.trace.Calls = trace.EstimatedCalls
	r.events = append(r.events, e)
	if len(r.events) < maxEvents {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.flush()
}

// close ends the frames that are open at the end of the profile.
func (r *run) close(ctx context.Context) error {
	end, err := units.Decimal(r.profile.end, r.num, r.den)
	if err != nil {
		end = r.last // The profile does not state its end.
	}
	r.left += len(r.open)
	since := r.until(max(end, r.last))
	if err := r.sendStack(ctx, since); err != nil {
		return err
	}
	for ; len(r.open) > 0; since = 0 {
		if err := r.end(ctx, since); err != nil {
			return err
		}
	}
	return nil
}
