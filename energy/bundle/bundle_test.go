package bundle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

const ms = int64(time.Millisecond)

// card is a memory card: a high state while it works, and a tail of 3 s. radio has a ramp before
// its high state.
func card() *model.Component {
	files := []trace.Verb{trace.OpRead, trace.OpWrite}
	return &model.Component{
		Name: "disk",
		States: []model.State{
			{Name: "base"},
			{Name: "high", Kind: model.Productive, Power: 500 * units.Milliwatt},
			{Name: "tail", Kind: model.Tail, Power: 300 * units.Milliwatt},
		},
		Transitions: []model.Transition{
			{From: 0, To: 1, On: files}, {From: 2, To: 1, On: files},
			{From: 1, To: 2, Idle: true}, {From: 2, To: 0, After: 3 * time.Second},
		},
	}
}

func radio() *model.Component {
	all := []trace.Verb{trace.OpSend, trace.OpReceive}
	return &model.Component{
		Name: "cellular",
		States: []model.State{
			{Name: "base"},
			{Name: "ramp", Kind: model.Ramp, Power: 200 * units.Milliwatt},
			{Name: "high", Kind: model.Productive, Power: 800 * units.Milliwatt},
			{Name: "tail", Kind: model.Tail, Power: 400 * units.Milliwatt},
		},
		Transitions: []model.Transition{
			{From: 0, To: 1, On: all}, {From: 3, To: 2, On: all},
			{From: 1, To: 2, After: 2 * time.Second}, {From: 2, To: 3, Idle: true}, {From: 3, To: 0, After: 6 * time.Second},
		},
		Work: []model.Work{{On: all, Fixed: 100 * time.Millisecond}},
	}
}

func gps() *model.Component {
	return &model.Component{
		Name: "gps",
		States: []model.State{
			{Name: "base"},
			{Name: "on", Kind: model.On, Power: 400 * units.Milliwatt},
			{Name: "tail", Kind: model.Tail, Power: 100 * units.Milliwatt},
		},
		Transitions: []model.Transition{
			{From: 0, To: 1, On: []trace.Verb{trace.OpStart}}, {From: 2, To: 1, On: []trace.Verb{trace.OpStart}},
			{From: 1, To: 2, Idle: true}, {From: 2, To: 0, After: 5 * time.Second},
		},
	}
}

// keep runs operations of component c and adds their bundles to book. The call path of owner n has
// the methods 0 and n.
func keep(t testing.TB, book *Set, c *model.Component, end int64, ops ...machine.Operation) units.Energy {
	t.Helper()
	l := book.Log(c, func(o machine.Owner) (Context, trace.ThreadID) {
		return book.Context([]trace.MethodID{0, trace.MethodID(o)}), 1
	})
	total := units.Energy(0)
	m := machine.New(c, machine.LastTrigger, machine.Options{
		Begun: l.Begun, Held: l.Held, Emit: func(s *machine.Interval) error { total += s.Energy; return l.Interval(s) },
	})
	for _, op := range ops {
		if err := m.Do(op); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Finish(end); err != nil {
		t.Fatal(err)
	}
	return total
}

// show formats bundles.
func show(t testing.TB, book *Set) string {
	t.Helper()
	bundles, err := book.Bundles()
	if err != nil {
		t.Fatal(err)
	}
	mJ := func(e units.Energy) string { return fmt.Sprint(float64(e)/1e6, " mJ") }
	var s strings.Builder
	for _, b := range bundles {
		fmt.Fprintf(&s, "%s ×%d from %v, %v (longest %v): %s = use %s + tail %s; waits %d (%v), rests %d (%v to %v)\n",
			b.Component, b.Count, time.Duration(b.Begin), b.Time, b.Longest, mJ(b.Energy), mJ(b.Use), mJ(b.Tail), b.Waits, b.Waited, b.Rests, b.ShortestRest, b.LongestRest)
		if b.Replayed {
			fmt.Fprintf(&s, "  together %s, saves %s\n", mJ(b.Drafted), mJ(b.Saved()))
		}
		for _, st := range b.States {
			fmt.Fprintf(&s, "  %s ×%d %v %s", st.Name, st.Visits, st.Time, mJ(st.Energy))
			for _, d := range st.Drivers {
				fmt.Fprintf(&s, " | %v %d %v %s", book.Path(d.Context), d.Operations, d.Verbs, mJ(d.Energy))
			}
			for _, i := range st.Tails {
				tail := book.Tails()[i]
				fmt.Fprintf(&s, " [%v %v]", time.Duration(tail.Begin), time.Duration(tail.End))
			}
			s.WriteByte('\n')
		}
	}
	for _, h := range book.Holds() {
		fmt.Fprintf(&s, "hold %s by %v %v-%v released %v by %v\n", h.Component, book.Path(h.By), time.Duration(h.Begin), time.Duration(h.End), h.Released, book.Path(h.Releaser))
	}
	return s.String()
}

func check(t *testing.T, book *Set, want string) {
	t.Helper()
	if got := show(t, book); strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func op(verb trace.Verb, begin, end int64, o machine.Owner) machine.Operation {
	return machine.Operation{Begin: begin * ms, End: end * ms, Verb: verb, Owner: o}
}

// TestPslide is eprof's Figure 19: the app reads a photo, shows it for 5 s, reads the next one, and
// so on. Each bundle has a tail of 3 s. Batched reads would need only one tail.
func TestPslide(t *testing.T) {
	book := New()
	keep(t, book, card(), 20000*ms, op(trace.OpRead, 0, 400, 1), op(trace.OpRead, 5400, 5800, 1), op(trace.OpRead, 10800, 11200, 1))
	check(t, book, `
disk ×3 from 0s, 10.2s (longest 3.4s): 3300 mJ = use 600 mJ + tail 2700 mJ; waits 0 (0s), rests 2 (2s to 2s)
  together 1500 mJ, saves 1800 mJ
  high ×3 1.2s 600 mJ | [0 1] 3 [read] 600 mJ
  tail ×3 9s 2700 mJ | [0 1] 0 [] 2700 mJ [400ms 3.4s] [5.8s 8.8s] [11.2s 14.2s]
`)
}

// TestPup is eprof's Figure 17: the app sends photos and works between the sends, which makes one
// long bundle. If the app batched the sends, one ramp and one tail would remain.
func TestPup(t *testing.T) {
	book := New()
	keep(t, book, radio(), 30000*ms, op(trace.OpSend, 0, 1, 1), op(trace.OpSend, 5000, 5001, 1), op(trace.OpReceive, 9000, 9500, 2))
	check(t, book, `
cellular ×1 from 0s, 15.5s (longest 15.5s): 5920 mJ = use 640 mJ + tail 5280 mJ; waits 2 (7.2s), rests 0 (0s to 0s)
  together 3040 mJ, saves 2880 mJ
  ramp ×1 2s 400 mJ | [0 1] 0 [] 400 mJ
  high ×3 300ms 240 mJ | [0 1] 2 [send] 160 mJ | [0 2] 1 [receive] 80 mJ
  tail ×3 13.2s 5280 mJ | [0 1] 0 [] 2880 mJ | [0 2] 0 [] 2400 mJ [2.1s 5s] [5.1s 9.4s] [9.5s 15.5s]
`)
}

// TestBundlesAndHolds checks that batching also saves the ramps of later bundles. Different calls
// make different bundles. A hold is not a tail.
func TestBundlesAndHolds(t *testing.T) {
	book := New()
	keep(t, book, radio(), 60000*ms, op(trace.OpSend, 0, 1, 1), op(trace.OpSend, 20000, 20001, 2), op(trace.OpSend, 40000, 40001, 1))
	keep(t, book, gps(), 60000*ms, op(trace.OpStart, 1000, 1001, 1), op(trace.OpStop, 3000, 3001, 2), op(trace.OpStart, 50000, -1, 3))
	check(t, book, `
cellular ×2 from 0s, 16.2s (longest 8.1s): 5760 mJ = use 960 mJ + tail 4800 mJ; waits 0 (0s), rests 1 (11.9s to 11.9s)
  together 2960 mJ, saves 2800 mJ
  ramp ×2 4s 800 mJ | [0 1] 0 [] 800 mJ
  high ×2 200ms 160 mJ | [0 1] 2 [send] 160 mJ
  tail ×2 12s 4800 mJ | [0 1] 0 [] 4800 mJ [2.1s 8.1s] [42.1s 48.1s]
cellular ×1 from 20s, 8.1s (longest 8.1s): 2880 mJ = use 480 mJ + tail 2400 mJ; waits 0 (0s), rests 1 (11.9s to 11.9s)
  together 2880 mJ, saves 0 mJ
  ramp ×1 2s 400 mJ | [0 2] 0 [] 400 mJ
  high ×1 100ms 80 mJ | [0 2] 1 [send] 80 mJ
  tail ×1 6s 2400 mJ | [0 2] 0 [] 2400 mJ [22.1s 28.1s]
gps ×1 from 1s, 7s (longest 7s): 1300 mJ = use 800 mJ + tail 500 mJ; waits 0 (0s), rests 0 (0s to 0s)
  together 1300 mJ, saves 0 mJ
  on ×1 2s 800 mJ | [0 1] 1 [start] 800 mJ | [0 2] 1 [stop] 0 mJ
  tail ×1 5s 500 mJ | [0 1] 0 [] 500 mJ [3s 8s]
gps ×1 from 50s, 10s (longest 10s): 4000 mJ = use 4000 mJ + tail 0 mJ; waits 0 (0s), rests 1 (42s to 42s)
  together 4000 mJ, saves 0 mJ
  on ×1 10s 4000 mJ | [0 3] 1 [start] 4000 mJ
hold gps by [0 1] 1s-3s released true by [0 2]
hold gps by [0 3] 50s-1m0s released false by []
`)
}

// TestLaws checks with random operations that the bundles add up to the whole energy, and that
// Drafted is the energy of a machine that gets the operations without waits.
func TestLaws(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		book, c := New(), []*model.Component{card(), radio()}[seed%2]
		verbs := c.Transitions[0].On
		var ops, together []machine.Operation
		at, now := int64(0), int64(0)
		for range 1 + r.IntN(20) {
			o := op(verbs[0], at, at+100, machine.Owner(1))
			ops = append(ops, o)
			o.Begin, o.End = now*ms, (now+100)*ms
			together = append(together, o)
			if at += 100 + r.Int64N(15000); c.Name == "cellular" && len(ops) == 1 {
				at, now = at+2000, now+2000
			}
			now += 100
		}
		total := keep(t, book, c, at*ms, ops...)
		bundles, err := book.Bundles()
		if again, _ := book.Bundles(); err != nil || len(again) != len(bundles) {
			t.Fatal(again, err)
		}
		sum, all, parts := units.Energy(0), units.Energy(0), units.Energy(0)
		for _, b := range bundles {
			sum += b.Energy
			parts += b.Use + b.Tail
			for _, s := range b.States {
				all += s.Energy
			}
			if b.Saved() < 0 || b.Energy < b.Drafted {
				t.Errorf("seed %d: together they drain more: %+v", seed, b)
			}
		}
		if sum != total || all != total || parts != total {
			t.Errorf("seed %d: bundles have %d, their states %d, use and tail %d, the machine %d nJ", seed, sum, all, parts, total)
		}
		if len(bundles) != 1 || !slices.ContainsFunc(bundles[0].States, func(s State) bool { return s.Name == "high" }) {
			t.Fatalf("seed %d: %d bundles of one call", seed, len(bundles))
		}
		if want := keep(t, New(), c, now*ms, together...); bundles[0].Drafted != want {
			t.Errorf("seed %d: together they drain %d nJ, a machine says %d", seed, bundles[0].Drafted, want)
		}
	}
}

// TestLimits checks that different bundles are merged if there are too many, and that operations
// are not replayed if there are too many.
func TestLimits(t *testing.T) {
	book, c := New(), card()
	var ops []machine.Operation
	for i := range int64(maxBundles + 10) {
		ops = append(ops, op(trace.OpRead, i*5000, i*5000+1, machine.Owner(i)))
	}
	total := keep(t, book, c, 0, ops...)
	ops = ops[:0]
	for i := range int64(maxReplayed + 1) {
		ops = append(ops, op(trace.OpRead, i*1000, i*1000+1, 0))
	}
	total += keep(t, book, c, 0, ops...)
	bundles, err := book.Bundles()
	if err != nil || len(bundles) != maxBundles+2 {
		t.Fatal(len(bundles), err)
	}
	others, long := bundles[maxBundles], bundles[maxBundles+1]
	if !others.Others || others.Count != 10 || others.Replayed || long.Replayed || long.Saved() != 0 || long.Waits != maxReplayed {
		t.Errorf("the others are %+v, the long one %+v", others, long)
	}
	for _, b := range bundles {
		total -= b.Energy
	}
	if total != 0 || book.Unseen() == 0 {
		t.Errorf("bundles lack %d nJ; %d tails are not listed", total, book.Unseen())
	}
}
