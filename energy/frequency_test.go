package energy_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// A chip has two cores that share a clock, and a third one whose power depends on that clock.
func chip() *model.Device {
	points := func(policy int, base units.Power) []model.Point {
		var out []model.Point
		for f := range 3 {
			for w := range 2 {
				if policy < 0 && w > 0 {
					continue
				}
				out = append(out, model.Point{
					Frequency: units.Frequency(100 * (f + 1)), DepPolicy: policy, DepFrequency: units.Frequency(100 + 200*w),
					Shared: base * units.Power(7+f+10*w), Active: base * units.Power(101*(f+1)+w), Idle: []units.Power{base * 3, base},
				})
			}
		}
		return out
	}
	return &model.Device{Name: "chip", CPU: &model.CPU{Clusters: []model.Cluster{
		{Name: "big", Cores: []int{0, 1}, Points: points(-1, 1e6)},
		{Name: "little", Cores: []int{2}, Points: points(0, 1e5)},
	}}}
}

// A load is a generated run on a chip. It has the events of threads, in order of time, and signals.
type load struct {
	events  []trace.Event
	signals []trace.Signal
	end     int64
	// batch is the duration of batches. late means that signals come after events, and promises
	// after both.
	batch int64
	late  bool
	// cpu is the running time of the thread before each event, in ns.
	cpu int64
}

const threads = 4

func newLoad(rng *rand.Rand) load {
	l := load{end: 400, batch: 1 + rng.Int64N(100), late: rng.IntN(2) == 0}
	on := [3]trace.ThreadID{trace.NoThread, trace.NoThread, trace.NoThread}
	for c := range 3 {
		l.signals = append(l.signals, trace.Signal{Track: trace.TrackID(c), Kind: trace.Frequency, Value: 100, Thread: trace.NoThread})
	}
	for at := int64(0); at < l.end; at += rng.Int64N(12) {
		core := trace.TrackID(rng.IntN(3))
		s := trace.Signal{Time: at, Track: core, Thread: trace.NoThread}
		switch rng.IntN(4) {
		case 0:
			s.Kind, s.Value = trace.Frequency, int64(100*(1+rng.IntN(3)))
		case 1:
			if on[core] != trace.NoThread {
				continue // A core that runs a thread is not idle.
			}
			s.Kind, s.Value = trace.Idle, int64(rng.IntN(3)-1)
		default:
			s.Kind = trace.Switch
			if id := trace.ThreadID(rng.IntN(threads)); !slices.Contains(on[:], id) && rng.IntN(3) > 0 {
				s.Thread = id
			}
			on[core] = s.Thread
		}
		l.signals = append(l.signals, s)
	}
	for id := range threads {
		for at := rng.Int64N(50); at < l.end; at += 1 + rng.Int64N(60) {
			l.events = append(l.events, trace.Event{Time: at, Thread: trace.ThreadID(id)})
		}
	}
	slices.SortStableFunc(l.events, func(a, b trace.Event) int { return int(a.Time - b.Time) })
	return l
}

// Scan implements trace.Recording. Within a batch, events of different threads are not in order of
// time.
func (l load) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	t := &trace.Trace{
		Clock: trace.WallClock, Methods: []name.Method{{Name: "m"}}, Calls: trace.CountedCalls, Threads: make([]trace.Thread, threads),
		Elapsed: time.Duration(l.end), Skew: time.Duration(l.batch),
	}
	if l.cpu > 0 {
		t.Clock |= trace.ThreadCPU
	}
	trace.Start(sink, t.Clock, trace.NoEnergy)
	to := trace.Signals(sink)
	for c := range 3 {
		t.Tracks = append(t.Tracks, trace.Track{Core: c, UID: -1})
		if err := to.Track(t.Tracks[c]); err != nil {
			return nil, err
		}
	}
	events, signals := l.events, l.signals
	for at := l.batch; len(events)+len(signals) > 0; at += l.batch {
		var e []trace.Event
		for len(events) > 0 && events[0].Time < at {
			e = append(e, events[0])
			if l.cpu > 0 {
				e[len(e)-1].CPU = l.cpu
				t.Threads[events[0].Thread].CPU += time.Duration(l.cpu)
			}
			t.Threads[events[0].Thread].Events++
			t.Events++
			events = events[1:]
		}
		slices.SortStableFunc(e, func(a, b trace.Event) int { return int(b.Thread - a.Thread) })
		var s []trace.Signal
		for len(signals) > 0 && signals[0].Time < at {
			s = append(s, signals[0])
			signals = signals[1:]
		}
		give := []func() error{
			func() error { return sink.Events(e) },
			func() error { return to.Signals(s) },
		}
		if !l.late {
			slices.Reverse(give)
		}
		for i, f := range give {
			if len(e) == 0 && (i == 0) == l.late || len(s) == 0 && (i == 1) == l.late {
				continue
			}
			if err := f(); err != nil {
				return nil, err
			}
		}
		if l.late {
			if err := to.Until(at); err != nil {
				return nil, err
			}
		}
	}
	wall := make([]int64, threads)
	for i := range wall {
		wall[i] = -1
	}
	for _, e := range l.events {
		if wall[e.Thread] < 0 {
			wall[e.Thread] = e.Time
		}
		t.Threads[e.Thread].Wall = time.Duration(e.Time - wall[e.Thread])
	}
	return t, nil
}

// slowly simulates the run one nanosecond at a time. drained has the energy of each thread up to
// each of its events, and nobodys is the unattributed energy. Both are in µW·ns.
func (l load) slowly(d *model.Device) (drained map[trace.ThreadID]map[int64]int64, nobodys int64) {
	drained = make(map[trace.ThreadID]map[int64]int64)
	sums := make([]int64, threads)
	type core struct {
		frequency units.Frequency
		idle      int64
		thread    trace.ThreadID
		known     bool
	}
	cores := make([]core, 3)
	for i := range cores {
		cores[i] = core{idle: -1, thread: trace.NoThread}
	}
	for now := int64(0); now <= l.end; now++ {
		for _, e := range l.events {
			if e.Time == now {
				if drained[e.Thread] == nil {
					drained[e.Thread] = make(map[int64]int64)
				}
				drained[e.Thread][now] = sums[e.Thread]
			}
		}
		for _, s := range l.signals {
			if s.Time != now {
				continue
			}
			c := &cores[s.Track]
			switch c.known = c.known || s.Kind != trace.Frequency; s.Kind {
			case trace.Frequency:
				c.frequency = units.Frequency(s.Value)
				if s.Track < 2 {
					cores[0].frequency, cores[1].frequency = c.frequency, c.frequency
				}
			case trace.Idle:
				c.idle = s.Value
			case trace.Switch:
				if c.thread = s.Thread; s.Thread >= 0 {
					c.idle = -1
				}
			}
		}
		if now == l.end {
			break
		}
		for i := range d.CPU.Clusters {
			cluster := &d.CPU.Clusters[i]
			own := cores[cluster.Cores[0]].frequency
			p := cluster.Point(own, func(int) units.Frequency {
				if cores[0].known && cores[0].idle < 0 || cores[1].known && cores[1].idle < 0 {
					return cores[0].frequency
				}
				return 0
			})
			deepest := true
			for _, n := range cluster.Cores {
				c := cores[n]
				deepest = deepest && (!c.known || c.idle >= 1)
				switch {
				case !c.known || c.idle > 1:
				case c.idle >= 0:
					nobodys += int64(p.Idle[c.idle])
				case c.thread < 0:
					nobodys += int64(p.Active)
				default:
					sums[c.thread] += int64(p.Active)
				}
			}
			if !deepest {
				nobodys += int64(p.Shared)
			}
		}
	}
	for id := range threads {
		if drained[trace.ThreadID(id)] == nil {
			drained[trace.ThreadID(id)] = make(map[int64]int64)
		}
		drained[trace.ThreadID(id)][-1] = sums[id]
	}
	return drained, nobodys
}

// TestFrequency charges generated runs, and compares each event with the energy of its thread.
func TestFrequency(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 5))
	for range 200 {
		l, d := newLoad(rng), chip()
		r, err := energy.ReadRails(t.Context(), l, d)
		if err != nil {
			t.Fatal(err)
		}
		rec := energy.Frequency(l, r)
		c, tr, err := scan(rec)
		if err != nil {
			t.Fatal(err)
		}
		drained, nobodys := l.slowly(d)
		sums := make([]units.Energy, threads)
		var charged, rest units.Energy
		for _, e := range c.events {
			switch {
			case e.Kind == trace.Charge && e.Account == 1:
				rest += e.Energy
			case e.Kind == trace.Charge:
				charged += e.Energy
			default:
				sums[e.Thread] += e.Energy
				if want := units.Energy(drained[e.Thread][e.Time] / 1e6); sums[e.Thread] != want {
					t.Fatalf("thread %d drained %d nJ up to %d, want %d", e.Thread, sums[e.Thread], e.Time, want)
				}
			}
		}
		left := units.Energy(0)
		for id := range threads {
			left += units.Energy(drained[trace.ThreadID(id)][-1]/1e6) - sums[id]
		}
		if charged != left || rest != units.Energy(nobodys/1e6) {
			t.Fatalf("%d nJ behind the last events and %d nJ of nobody, want %d and %d", charged, rest, left, nobodys/1e6)
		}
		if tr.Energy != trace.Modelled || len(tr.Accounts) != 2 {
			t.Fatalf("energy %v, accounts %v", tr.Energy, tr.Accounts)
		}
		if err := tracetest.Check(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOtherDevice charges a run with the model of another device, which gives a warning.
func TestOtherDevice(t *testing.T) {
	l, d := newLoad(rand.New(rand.NewPCG(14, 8))), chip()
	for i := range d.CPU.Clusters {
		for j := range d.CPU.Clusters[i].Points {
			d.CPU.Clusters[i].Points[j].Frequency *= 7
		}
	}
	for _, d := range []*model.Device{chip(), d} {
		r, err := energy.ReadRails(t.Context(), l, d)
		if err != nil {
			t.Fatal(err)
		}
		_, tr, err := scan(energy.Meter(energy.Frequency(l, r), energy.Options{Device: d, Rails: r}))
		if err != nil {
			t.Fatal(err)
		}
		other := d.CPU.Clusters[0].Points[0].Frequency != 100
		if warned := slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "other-frequencies" }); warned != other {
			t.Errorf("other device: %v, warnings %v", other, tr.Warnings)
		}
	}
}

// TestUnseenSwitches has threads that ran longer by their clocks than by the switches. This gives a
// warning.
func TestUnseenSwitches(t *testing.T) {
	l := newLoad(rand.New(rand.NewPCG(14, 7)))
	for _, cpu := range []int64{0, 1_000_000} {
		l.cpu = cpu
		r, err := energy.ReadRails(t.Context(), l, chip())
		if err != nil {
			t.Fatal(err)
		}
		_, tr, err := scan(energy.Frequency(l, r))
		if err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "unseen-switches" })
		if warned != (cpu > 0) {
			t.Errorf("with %d ns before each event: %v", cpu, tr.Warnings)
		}
	}
}
