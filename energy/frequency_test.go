package energy_test

import (
	"context"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// wattson reads the curves of a device that Perfetto's Wattson has, as milliwatts.
func wattson(t *testing.T, name string) *model.CPU {
	t.Helper()
	cpu := &model.CPU{}
	clusters := map[string]*model.Cluster{}
	milliwatts := func(s string) units.Power {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return units.Power(f*1000 + 0.5)
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, kind := range []string{"1d", "2d"} {
		f, err := os.Open(filepath.Join("../../shared/data/wattson", name+"-cpu_"+kind+".csv"))
		if err != nil {
			t.Skip("no curves: ", err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			c := clusters[row[1]]
			if c == nil {
				c = &model.Cluster{Name: "policy " + row[1], Cores: []int{number(row[1])}}
				clusters[row[1]] = c
			}
			p := model.Point{Frequency: units.Frequency(number(row[2])) * 1000, Beside: -1}
			if kind == "2d" {
				p.Beside, p.With = number(row[3]), units.Frequency(number(row[4]))*1000
				row = row[2:]
			}
			p.Shared, p.Active = milliwatts(row[3]), milliwatts(row[4])
			p.Idle = []units.Power{milliwatts(row[5]), milliwatts(row[6])}
			c.Points = append(c.Points, p)
		}
	}
	for _, policy := range []string{"0", "4", "6"} {
		c := clusters[policy]
		slices.SortStableFunc(c.Points, func(a, b model.Point) int {
			if a.Frequency != b.Frequency {
				return int(min(1, max(-1, a.Frequency-b.Frequency)))
			}
			if a.Beside != b.Beside {
				return a.Beside - b.Beside
			}
			return int(min(1, max(-1, a.With-b.With)))
		})
		cpu.Clusters = append(cpu.Clusters, *c)
	}
	cpu.Clusters[0].Cores, cpu.Clusters[1].Cores, cpu.Clusters[2].Cores = []int{0, 1, 2, 3}, []int{4, 5}, []int{6, 7}
	for i, rail := range []string{"S4M_VDD_CPUCL0", "S3M_VDD_CPUCL1", "S2M_VDD_CPUCL2"} {
		cpu.Clusters[i].Rails = []string{rail}
	}
	return cpu
}

// api32 opens the real trace with power rails.
func api32(t *testing.T) *ingest.File {
	t.Helper()
	const path = "../../shared/data/perfetto/api32_startup_warm.perfetto-trace"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no real trace: ", err)
	}
	f, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestRealProcessor holds the curves of Tensor to the rails of a phone with that processor.
// Read as milliwatts they say 489 mJ where the rails measured 452 mJ, if what the cores of a
// cluster share does not count, and 503 mJ if it does.
func TestRealProcessor(t *testing.T) {
	f := api32(t)
	for _, test := range []struct {
		what   string
		shared bool
		least  units.Energy
		most   units.Energy
	}{
		{"without what is shared", false, 485e6, 493e6},
		{"with it", true, 498e6, 508e6},
	} {
		cpu := wattson(t, "Tensor")
		for i := range cpu.Clusters[0].Points {
			if !test.shared {
				cpu.Clusters[0].Points[i].Shared = 0
			}
		}
		r, err := energy.ReadRails(t.Context(), f, &model.Device{Name: "tensor", CPU: cpu})
		if err != nil {
			t.Fatal(err)
		}
		var measured, modelled units.Energy
		for _, a := range r.Agreements() {
			t.Logf("%s: %s measured %.1f mJ, modelled %.1f mJ", test.what, a.Name, float64(a.Measured)/1e6, float64(a.Modelled)/1e6)
			measured += a.Measured
			modelled += a.Modelled
		}
		if measured != 452404000 {
			t.Errorf("the rails measured %d nJ, want 452404000", measured)
		}
		if modelled < test.least || modelled > test.most {
			t.Errorf("%s: modelled %d nJ, want %d to %d", test.what, modelled, test.least, test.most)
		}
	}
}

// TestRealTotal charges the real trace: the accounts add up to what the rails measured, and
// what is modelled of the time outside of their readings.
func TestRealTotal(t *testing.T) {
	f := api32(t)
	d := &model.Device{Name: "tensor", CPU: wattson(t, "Tensor")}
	r, err := energy.ReadRails(t.Context(), f, d)
	if err != nil {
		t.Fatal(err)
	}
	measured := energy.Measure(f)
	rec := energy.Meter(energy.Frequency(measured, r), energy.Options{CPU: 444_000, Device: d, Rails: r})
	tree, tr, err := cct.Build(t.Context(), rec, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if tr.Energy != trace.Scaled {
		t.Errorf("energy is %v", tr.Energy)
	}
	outside := units.Energy(0)
	for _, a := range r.Agreements() {
		if a.Charged+a.Rest != a.Measured {
			t.Errorf("%s: charged %d, rest %d, measured %d", a.Name, a.Charged, a.Rest, a.Measured)
		}
		outside += a.Outside
	}
	want, by := energy.Total(measured.Tracks())
	got := tree.Energy.Total() - outside
	t.Logf("%d rails measured %d nJ; the accounts have %d nJ, and %d nJ outside of the readings", len(by), want, got, outside)
	if got != want {
		t.Errorf("accounts have %d nJ, rails measured %d", got, want)
	}
	if err := tracetest.Check(context.Background(), rec); err != nil {
		t.Error(err)
	}
}

// TestRealBound charges the real trace by processor time, with a model that has no operating
// points: what the app drains lies within what the clusters' rails measured.
func TestRealBound(t *testing.T) {
	f := api32(t)
	d, err := model.Ready("lte")
	if err != nil {
		t.Fatal(err)
	}
	r, err := energy.ReadRails(t.Context(), f, d)
	if err != nil {
		t.Fatal(err)
	}
	measured := energy.Measure(f)
	tree, tr, err := cct.Build(t.Context(), energy.Meter(energy.Frequency(measured, r), energy.Options{CPU: 444_000, Device: d, Rails: r}), cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	of := func(a trace.AccountID) units.Energy { return tree.On(cct.Key{What: cct.Energy, Account: a}).Total() }
	want, _ := energy.Total(measured.Tracks())
	if got, alone := r.Accounted(tr.Accounts, of); got != want || alone != 0 || tree.Energy.Total() != want {
		t.Errorf("accounts have %d nJ and %d beside, rails measured %d", got, alone, want)
	}
	cpu := r.Agreements()[0]
	if cpu.Measured != 452_404_000 || cpu.Charged != of(0) || cpu.Charged+cpu.Rest != cpu.Measured || cpu.Charged == 0 {
		t.Errorf("processor: %+v, and its use %d nJ", cpu, of(0))
	}
}

// A chip has two cores that share a clock, and a third one whose power depends on that.
func chip() *model.Device {
	points := func(beside int, base units.Power) []model.Point {
		var out []model.Point
		for f := range 3 {
			for w := range 2 {
				if beside < 0 && w > 0 {
					continue
				}
				out = append(out, model.Point{
					Frequency: units.Frequency(100 * (f + 1)), Beside: beside, With: units.Frequency(100 + 200*w),
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

// A load is a made-up run on a chip: events of threads, each with its place in time, and signals.
type load struct {
	events  []trace.Event
	signals []trace.Signal
	end     int64
	// batch is how long batches are, in time; late says that signals come behind events, and
	// promises behind both.
	batch int64
	late  bool
	// cpu is what each event says that its thread ran before it, in ns.
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
				continue // who runs does not idle
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

// Scan implements trace.Recording. Events of different threads are in disorder within a batch.
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

// slowly says what each thread drained up to each of its events, and what was nobody's, in
// µW·ns, by going through the run a nanosecond at a time.
func (l load) slowly(d *model.Device) (drained map[trace.ThreadID]map[int64]int64, nobodys int64) {
	drained = make(map[trace.ThreadID]map[int64]int64)
	sums := make([]int64, threads)
	type core struct {
		frequency units.Frequency
		idle      int64
		thread    trace.ThreadID
		told      bool
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
			switch c.told = c.told || s.Kind != trace.Frequency; s.Kind {
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
				if cores[0].told && cores[0].idle < 0 || cores[1].told && cores[1].idle < 0 {
					return cores[0].frequency
				}
				return 0
			})
			deepest := true
			for _, n := range cluster.Cores {
				c := cores[n]
				deepest = deepest && (!c.told || c.idle >= 1)
				switch {
				case !c.told || c.idle > 1:
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

// TestFrequency charges made-up runs, and holds each event to what its thread drained before.
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

// TestUnseenSwitches has threads run for longer, by their own clocks, than switches show: a
// warning says so.
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
