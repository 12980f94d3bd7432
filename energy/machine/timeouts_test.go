package machine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestUnproven compares the energy of timed holds with an oracle that looks at each nanosecond. The
// energy is unproven while all active holds are timed and none of them is released in the
// recording.
func TestUnproven(t *testing.T) {
	const end, power = 200, 1_000_000_000 // The component uses 1000 nJ per nanosecond.
	c := &model.Component{
		Name:   "wakelock",
		States: []model.State{{Name: "off"}, {Name: "on", Kind: model.On, Power: power}},
		Transitions: []model.Transition{
			{From: 0, To: 1, On: []trace.Verb{trace.OpAcquire}}, {From: 1, To: 0, Idle: true},
		},
	}
	partly := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var ops []Operation
		type hold struct {
			from, to int64
			timed    bool
		}
		var holds []hold
		for i := range int64(1 + r.IntN(6)) {
			h := hold{from: r.Int64N(end), to: end + 1, timed: r.IntN(3) > 0}
			ops = append(ops, Operation{Begin: h.from, End: h.from, Verb: trace.OpAcquire, Handle: i + 1, Owner: 0, Timed: h.timed})
			if r.IntN(2) == 0 {
				h.to = h.from + r.Int64N(end-h.from)
				ops = append(ops, Operation{Begin: h.to, End: h.to, Verb: trace.OpRelease, Handle: i + 1, Owner: 0})
			}
			holds = append(holds, h)
		}
		slices.SortStableFunc(ops, func(a, b Operation) int { return int(a.Begin - b.Begin) })
		var all, want units.Energy
		for at := range int64(end) {
			active, proven := false, false
			for _, h := range holds {
				if h.from <= at && at < h.to {
					active = true
					proven = proven || !h.timed || h.to <= end
				}
			}
			if active {
				all += power / 1_000_000
				if !proven {
					want += power / 1_000_000
				}
			}
		}
		for p := LastTrigger; p <= Utilisation; p++ {
			m, total := New(c, p, Options{}), units.Energy(0)
			m.opts.Emit = func(s *Interval) error { total += s.Energy; return nil }
			for _, op := range ops {
				if err := m.Do(op); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.Finish(end); err != nil {
				t.Fatal(err)
			}
			if got := m.Tally().Unproven; got != want || total != all {
				t.Fatalf("seed %d, %v: %d of %d nJ are unproven, want %d of %d\n%+v", seed, p, got, total, want, all, ops)
			}
		}
		if 0 < want && want < all {
			partly++
		}
	}
	if partly < 200 {
		t.Errorf("only %d runs are partly unproven", partly)
	}
}
