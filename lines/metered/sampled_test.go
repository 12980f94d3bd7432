package metered

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A sampling is a recording of samples of a world.
type sampling struct {
	*world
	distance time.Duration
	// random is set if samples come at random moments.
	random bool
}

// Scan implements trace.Recording.
func (s *sampling) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	random := rand.New(rand.NewPCG(s.seed, 5+s.run))
	tr := &trace.Trace{Threads: make([]trace.Thread, 1), Elapsed: time.Duration(s.seconds * 1e9), Technique: trace.Sampled, Energy: trace.CPUTime}
	for _, m := range s.methods {
		tr.Methods = append(tr.Methods, s.method(m))
	}
	trace.Start(sink, trace.ThreadCPU|trace.WallClock, trace.CPUTime)
	now, k := float64(s.distance)*random.Float64(), 0
	for {
		for k < len(s.spent) && s.spent[k].end <= now {
			k++
		}
		if k == len(s.spent) {
			break
		}
		if at := &s.spent[k]; at.begin <= now {
			one := trace.Sample{Time: int64(now), Stack: []trace.MethodID{at.at.method}, Lines: []int32{at.at.line}, CPU: int64(s.distance), Count: 1}
			if err := sink.Samples([]trace.Sample{one}); err != nil {
				return nil, err
			}
			tr.Events++
		}
		if s.random {
			now += float64(s.distance) * random.ExpFloat64()
		} else {
			now += float64(s.distance)
		}
	}
	return tr, nil
}

// divided returns the table of a world by samples, and checks the laws.
func (s *sampling) divided(t *testing.T) (*lines.Table, *Charged) {
	t.Helper()
	c := Charge(s, s.world)
	rec := lines.Split(c)
	tree, _, err := cct.Build(t.Context(), rec, cct.Limits{Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	r := c.Result
	if r == nil {
		t.Fatal("no measured energy")
	}
	if r.Reason == "" {
		if sum := r.Lined + r.Idle + r.Rest; sum != r.Metered || tree.Energy.Total() != r.Lined || r.Idle < 0 || r.Rest < 0 {
			t.Fatalf("lines %d of %d, idle %d, rest %d, metered %d", r.Lined, tree.Energy.Total(), r.Idle, r.Rest, r.Metered)
		}
	}
	seen := func(v int32) float64 { return float64(tree.Seen.Self(v)) }
	all := func(v int32) float64 { return float64(tree.Seen.All(v)) }
	table := lines.New(tree, seen, all, rec.Each, rec.Together, rec.Errors, 1)
	table.Powers, table.Doubt = max(r.Powers, lines.Power), c.Deviation
	return table, c
}

// script writes the samples as perf script does, with the lines of the innermost functions.
func (s *sampling) script() []byte {
	w := &scriptWriter{s: s}
	if _, err := s.Scan(context.Background(), w); err != nil {
		panic(err)
	}
	return w.b.Bytes()
}

// A scriptWriter is a sink that writes a perf script.
type scriptWriter struct {
	tracetest.Discard
	s *sampling
	b bytes.Buffer
}

// Samples implements trace.Sink.
func (w *scriptWriter) Samples(batch []trace.Sample) error {
	for _, at := range batch {
		m := w.s.methods[at.Stack[0]]
		fmt.Fprintf(&w.b, "sim 4711 %d.%06d: %d cpu-clock:\n\t%x %s+0x%x (/sim)\n  Sim.c:%d\n\n",
			1000+at.Time/1e9, at.Time%1e9/1000, at.CPU, 0x1000*(int(m.id)+1)+int(at.Lines[0]), m.name(), at.Lines[0], sourceLine(m, at.Lines[0]))
	}
	return nil
}

// truthOf returns the true energy of a row.
func (w *world) truthOf(label string, line int) float64 {
	for _, m := range w.methods {
		if mm := w.method(m); mm.Label() == label {
			return w.truth[place{m.id, int32(line)}]
		}
	}
	return math.NaN()
}

// TestSampledIntervals checks that the intervals of sampled lines contain the true energy. It has
// recorders and meters of several rates, powers of lines that vary by 10 to 50 %, and work that is
// shorter or longer than the distance between samples. The seeds were not used for choosing
// constants.
func TestSampledIntervals(t *testing.T) {
	const seeds = 2
	for i, c := range []struct {
		rate, seconds float64 // the rate of the meter in Hz, and the length of the run
		distance      time.Duration
		random        bool
		power         float64
		cost          float64 // the energy of an opcode
		busy          float64
	}{
		{4, 100, time.Millisecond, false, 0.1, 0, 0.4},
		{10, 60, time.Millisecond, false, 0.5, 0, 0.4},
		{10, 60, 10 * time.Millisecond, false, 0.1, 0, 0.4},
		{100, 40, time.Millisecond, false, 0.1, 0, 0.05},
		{100, 40, time.Millisecond, false, 0.3, 0, 0.4},
		{100, 40, 20 * time.Millisecond, false, 0.1, 0, 0.9},
		{1000, 30, time.Millisecond, true, 0.1, 0, 0.4},
		{1000, 60, 10 * time.Millisecond, false, 0.1, 4e5, 0.4},
		{10000, 12, time.Millisecond, false, 0.1, 0, 0.4},
		{10000, 20, time.Millisecond, false, 0.3, 4e5, 0.4},
	} {
		if testing.Short() && i%4 > 0 {
			continue
		}
		held, shown, energy, truth := 0, 0, 0.0, 0.0
		var off []float64
		for seed := range uint64(seeds) {
			w := simulate(simulation{seed: 7300 + 10*uint64(i) + seed, rate: c.rate, seconds: c.seconds, spread: 0.5, power: c.power, methodCount: 20, noise: 0.015, busy: c.busy, cost: c.cost})
			table, by := (&sampling{world: w, distance: c.distance, random: c.random}).divided(t)
			if by.Result.Reason != "" {
				t.Errorf("%+v: %s", c, by.Result.Reason)
				continue
			}
			energy += float64(by.Result.Lined)
			for _, e := range w.truth {
				truth += e
			}
			for i := range table.Rows {
				r := &table.Rows[i]
				own, ok := table.Own(r)
				if !ok {
					continue
				}
				exact := w.truthOf(r.Method.Label(), r.Line)
				off = append(off, math.Abs(float64(r.Own)/exact-1))
				if shown++; float64(own.Least) <= exact && exact <= float64(own.Most) {
					held++
				}
			}
		}
		slices.Sort(off)
		share := float64(held) / float64(max(shown, 1))
		t.Logf("meter %5.0f Hz, samples %v, power %.1f: %d of %d held (%.1f %%), median error %.1f %%, all lines %.3f of the truth",
			c.rate, c.distance, c.power, held, shown, 100*share, 100*off[len(off)/2], energy/truth)
		if chance := 2 * math.Sqrt(0.9*0.1/float64(max(shown, 1))); share < 0.90-chance || shown < 50 {
			t.Errorf("%+v: %d of %d intervals hold the truth", c, held, shown)
		}
	}
}

// TestSampledMeters has samples whose meter does not determine figures, and samples without a
// meter.
func TestSampledMeters(t *testing.T) {
	plain := simulation{seed: 1, rate: 100, seconds: 5, spread: 0.3, power: 0.1, methodCount: 5, noise: 0.01, busy: 0.4}
	changed := func(change func(*simulation)) *sampling {
		o := plain
		change(&o)
		return &sampling{world: simulate(o), distance: time.Millisecond}
	}
	for _, c := range []struct {
		name, want string
		s          *sampling
	}{
		{"few", "few", changed(func(o *simulation) { o.rate = 2 })},
		{"late", "shift", changed(func(o *simulation) { o.late = 2e8; o.seconds = 20 })},
		{"good", "", changed(func(*simulation) {})},
	} {
		if _, by := c.s.divided(t); by.Result.Reason != c.want {
			t.Errorf("%s: reason %q, want %q", c.name, by.Result.Reason, c.want)
		}
	}
	// This meter was recorded on another day.
	s := changed(func(o *simulation) { o.late = 3600e9 })
	by := Charge(s, s.world)
	if _, err := by.Scan(t.Context(), tracetest.Discard{}); err != nil || !strings.Contains(by.Result.Reason, "no time in common") {
		t.Errorf("%v, %v, want no time in common", err, by.Result)
	}
	// Without a meter, and in a recording of calls, energies do not change.
	for _, by := range []*Charged{Charge(s, s), Charge(s.world, s.world)} {
		if _, err := by.Scan(t.Context(), tracetest.Discard{}); err != nil || by.Result != nil {
			t.Errorf("%v, %v", by.Result, err)
		}
	}
}
