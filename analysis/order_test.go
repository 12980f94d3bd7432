package analysis

import (
	"testing"
	"time"

	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
)

// TestOrder checks that the order comes from a clock that all runs have. Without one it is unknown.
func TestOrder(t *testing.T) {
	const day = int64(1_700_000_000_000_000_000)
	run := func(clock trace.SystemClock, at int64) Run {
		return Run{Elapsed: 5, starts: starts{readings: []trace.Reading{{Clock: clock, Time: 3, Value: at + 3}}}}
	}
	real := func(at ...int64) (runs []Run) {
		for _, x := range at {
			runs = append(runs, run(trace.Realtime, day+x))
		}
		return runs
	}
	boot := func(at ...int64) (runs []Run) {
		for _, x := range at {
			runs = append(runs, run(trace.Monotonic, x))
		}
		return runs
	}
	named := func(runs []Run, device string) []Run {
		for i := range runs {
			runs[i].starts.device = device
		}
		return runs
	}
	journal := func(at ...int64) (runs []Run) {
		for _, x := range at {
			runs = append(runs, Run{starts: starts{recorded: day + x}})
		}
		return runs
	}
	const decades = int64(30 * 365 * 24 * time.Hour)
	for name, c := range map[string]struct {
		subject, reference []Run
		want               repeats.Sequence
		gap                OrderGap
	}{
		"in turn":                   {real(0, 30, 40), real(10, 20, 50), repeats.InTurn, NoOrderGap},
		"alternating":               {real(0, 20), real(10, 30), repeats.InTurn, NoOrderGap},
		"one after the other":       {real(0, 10, 20), real(30, 40, 50), repeats.OneAfterOther, NoOrderGap},
		"decades apart":             {real(0, 10), real(decades, decades+10), repeats.OneAfterOther, NoOrderGap},
		"one against ten":           {real(55), real(0, 10, 20, 30, 40, 50, 60, 70, 80, 90), repeats.InTurn, NoOrderGap},
		"by the journal":            {journal(0, 30), journal(10, 20), repeats.InTurn, NoOrderGap},
		"one phone":                 {boot(0, 30), boot(10, 20), repeats.InTurn, NoOrderGap},
		"overlapping runs of boots": {boot(0, 20), boot(2, 22), repeats.UnknownOrder, OtherBoots},
		"two phones":                {named(boot(0, 30), "a"), named(boot(10, 20), "b"), repeats.UnknownOrder, OtherBoots},
		"unlike clocks":             {boot(0, 30), real(10, 20), repeats.UnknownOrder, OtherClocks},
		"a missing start":           {append(real(0), Run{}), real(10, 20), repeats.UnknownOrder, NoStarts},
		"a clock that was not set":  {[]Run{run(trace.Realtime, 5), run(trace.Realtime, 15)}, real(10, 20), repeats.UnknownOrder, OtherClocks},
		"equal starts":              {real(0, 0), real(0, 0), repeats.UnknownOrder, EqualStarts},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				if o, gap := order(c.subject, c.reference); o.Sequence != c.want || gap != c.gap {
					t.Errorf("got %v, %q; want %v, %q", o.Sequence, gap, c.want, c.gap)
				}
				c.subject, c.reference = c.reference, c.subject
			}
		})
	}
}
