package flows

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// events collects events. It embeds a nil sink, so other calls panic.
type events struct {
	trace.Sink
	all []trace.Event
}

func (s *events) Events(batch []trace.Event) error {
	s.all = append(s.all, batch...)
	return nil
}

// TestWeave inserts random hand-overs into random events. The expected order is a merge by each
// thread's clock: a hand-over follows the events that are not after it, and has the time of the
// last of these events.
func TestWeave(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	for round := range 200 {
		wall := round%2 == 0
		const threads = 3
		ids := []int64{10, 20, 30}
		// Thread 40 has no events. Each hash has one enqueue before its dispatches.
		var text strings.Builder
		var marks []mark
		add := func(dispatch bool, thread, at int64, hash string, flow int32) {
			verb := "enqueue"
			if dispatch {
				verb = "dispatch"
			}
			fmt.Fprintf(&text, "%s %d %d %s\n", verb, thread, at, hash)
			marks = append(marks, mark{dispatch: dispatch, flow: flow, thread: thread, time: at})
		}
		flows := int32(1 + r.IntN(4))
		for f := range flows {
			add(false, ids[r.IntN(threads)], int64(f), fmt.Sprint("h", f), f)
			for range 1 + r.IntN(3) {
				add(true, append(ids, 40)[r.IntN(threads+1)], 4+r.Int64N(40), fmt.Sprint("h", f), f)
			}
		}
		orphans := r.IntN(3)
		for i := range orphans {
			fmt.Fprintf(&text, "dispatch 10 %d none%d\n", i, i)
		}
		f, err := Read(strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(marks, func(a, b mark) int { return int(a.time - b.time) })

		var in []trace.Event
		clock := []int64{1000, 2000, 3000} // clock has the clock of each thread, in nanoseconds.
		first := slices.Clone(clock)
		now := int64(0)
		var skew int64
		newest := int64(0)
		for range r.IntN(40) {
			now += r.Int64N(3000)
			e := trace.Event{Thread: trace.ThreadID(r.IntN(threads)), Kind: trace.Enter, Time: now, CPU: r.Int64N(2000)}
			if r.IntN(5) == 0 {
				e.Time = max(0, e.Time-1500)
			}
			newest = max(newest, e.Time)
			in = append(in, e)
		}
		// The oracle merges the events and the hand-overs of each thread separately.
		want := make([][]string, threads)
		lost := 0
		for th := range threads {
			var own []mark
			for _, m := range marks {
				if m.thread == ids[th] {
					own = append(own, m)
				}
			}
			seen, last := false, int64(0)
			put := func(m mark) {
				kind := trace.Enqueue
				if m.dispatch {
					kind = trace.Dispatch
				}
				want[th] = append(want[th], fmt.Sprint(kind, " at ", last, " flow ", m.flow))
			}
			for _, e := range in {
				if int(e.Thread) != th {
					continue
				}
				if !seen {
					seen, last = true, e.Time
				}
				clock[th] += e.CPU
				at := clock[th]
				if wall {
					at = e.Time
				}
				for len(own) > 0 && own[0].time*1000 < at {
					put(own[0])
					own = own[1:]
				}
				last = e.Time
				want[th] = append(want[th], fmt.Sprint(e.Kind, " at ", e.Time))
			}
			if !seen {
				lost += len(own)
				continue
			}
			for _, m := range own {
				put(m)
			}
		}
		for _, m := range marks {
			if m.thread == 40 {
				lost++
			}
		}

		clocks := trace.ThreadCPU
		if wall {
			clocks = trace.WallClock
		}
		var sink events
		w := f.Weave(&sink, clocks, func(id trace.ThreadID) (int64, int64) { return ids[id], first[id] })
		if err := w.Events(in); err != nil {
			t.Fatal(err)
		}
		tr := &trace.Trace{Threads: make([]trace.Thread, threads)}
		if err := w.Finish(tr); err != nil {
			t.Fatal(err)
		}
		got := make([][]string, threads)
		newest = 0
		for _, e := range sink.all {
			line := fmt.Sprint(e.Kind, " at ", e.Time)
			if e.Kind == trace.Enqueue || e.Kind == trace.Dispatch {
				line += fmt.Sprint(" flow ", e.Ref)
			}
			got[e.Thread] = append(got[e.Thread], line)
			newest = max(newest, e.Time)
			skew = max(skew, newest-e.Time)
		}
		for th := range threads {
			if !slices.Equal(got[th], want[th]) {
				t.Fatalf("thread %d, wall %v\n%s\nhas\n%s\nwant\n%s", th, wall, text.String(), strings.Join(got[th], "\n"), strings.Join(want[th], "\n"))
			}
			added := int64(0)
			for _, line := range want[th] {
				if strings.Contains(line, "flow") {
					added++
				}
			}
			if tr.Threads[th].Events != added {
				t.Fatalf("thread %d has %d more events, want %d", th, tr.Threads[th].Events, added)
			}
		}
		if tr.Skew != time.Duration(skew) || tr.Events != int64(len(sink.all)-len(in)) {
			t.Fatalf("skew %v, want %d; %d events more, want %d", tr.Skew, skew, tr.Events, len(sink.all)-len(in))
		}
		warnings := ""
		for _, w := range tr.Warnings {
			warnings += w.Code + " " + strings.Fields(w.Message)[0] + "\n"
		}
		wanted := ""
		if orphans > 0 {
			wanted += fmt.Sprintf("unresolved-flows %d\n", orphans)
		}
		if lost > 0 {
			wanted += fmt.Sprintf("unplaced-flows %d\n", lost)
		}
		if warnings != wanted {
			t.Fatalf("warnings\n%swant\n%s", warnings, wanted)
		}
	}
}
