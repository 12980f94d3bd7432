package clock

import (
	"math"
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A bound lowers the times of a recording that states more work than is possible. A thread can work
// at most for the elapsed time, and all threads together at most for the time that [MaxWorking]
// returns. Thanks to the bound, a damaged time cannot become a large energy.
type bound struct {
	// threads says how much to lower each thread's times. They stay unchanged if stated is 0.
	threads []share
	warning trace.Warning
	// kept is the total time of the threads whose times stay unchanged. lowered is the total time
	// of the others, after lowering. How much of that is work is unknown.
	kept, lowered time.Duration
}

// A share lowers the total time of a thread from stated to allowed.
type share struct{ allowed, stated int64 }

// newBound returns the bound of a recording, or nil if its times are possible. The slice worked has
// the time of each thread.
func newBound(t *trace.Trace, worked []time.Duration) *bound {
	warning := impossible(t, worked)
	if warning == nil {
		return nil
	}
	b := &bound{threads: make([]share, len(worked)), warning: *warning}
	var sum time.Duration
	for i, stated := range worked {
		allowed := stated
		if one := longest(t); Exceeds(t, stated, one) {
			allowed = one
		}
		b.threads[i] = share{int64(allowed), int64(stated)}
		sum = add(sum, int64(allowed))
	}
	if most := MaxWorking(t); Exceeds(t, sum, most) {
		for i := range b.threads {
			b.threads[i].allowed = units.MulDiv(b.threads[i].allowed, int64(most), int64(sum))
		}
	}
	for i, s := range b.threads {
		if s.allowed == s.stated {
			b.threads[i] = share{}
			b.kept = add(b.kept, s.stated)
		} else {
			b.lowered = add(b.lowered, s.allowed)
		}
	}
	return b
}

// thread returns how to lower a thread's times, or false if they stay unchanged.
func (b *bound) thread(id trace.ThreadID) (share, bool) {
	if b == nil || id < 0 || int(id) >= len(b.threads) || b.threads[id].stated == 0 {
		return share{}, false
	}
	return b.threads[id], true
}

// lower returns the lowered time for a thread's next ns nanoseconds. The thread's stated time so
// far is in before, and lower adds ns to it. All lowered times of a thread add up to s.allowed.
func (s share) lower(before *int64, ns int64) int64 {
	ns = min(max(ns, 0), math.MaxInt64-*before)
	was := units.MulDiv(*before, s.allowed, s.stated)
	*before += ns
	return units.MulDiv(*before, s.allowed, s.stated) - was
}

// finish completes a trace whose times were lowered.
func (b *bound) finish(t *trace.Trace) {
	t.Warnings = append(t.Warnings, b.warning)
	if t.Clock&trace.ThreadCPU == 0 {
		return
	}
	t.Threads = slices.Clone(t.Threads)
	for i := range t.Threads {
		if s, ok := b.thread(trace.ThreadID(i)); ok {
			t.Threads[i].CPU = time.Duration(s.allowed)
		}
	}
	unknown := min(t.Usage.Unknown, b.kept)
	t.Usage.Working, t.Usage.Unknown = b.kept-unknown, add(b.lowered, int64(unknown))
}
