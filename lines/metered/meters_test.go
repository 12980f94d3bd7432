package metered

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A changedMeter has the readings of a world with changes.
type changedMeter []trace.Signal

// Scan implements trace.Recording.
func (b changedMeter) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	if s := trace.Signals(sink); s != nil {
		if err := s.Track(trace.Track{Name: "meter", Component: "device"}); err != nil {
			return nil, err
		}
		if err := s.Signals(b); err != nil {
			return nil, err
		}
	}
	return &trace.Trace{}, nil
}

// increments calls change with the energies of all periods and each index. It returns the meter
// with the changed energies.
func increments(signals []trace.Signal, change func(i int, energy []int64) int64) changedMeter {
	energy := make([]int64, len(signals))
	for i := 1; i < len(signals); i++ {
		energy[i] = signals[i].Value - signals[i-1].Value
	}
	out := make(changedMeter, len(signals))
	sum := int64(0)
	for i, s := range signals {
		if i > 0 {
			sum += change(i, energy)
		}
		s.Value = sum
		out[i] = s
	}
	return out
}

// TestMeters has meters that could lead to wrong figures. A result must have a reason and no lines,
// or its intervals must contain the true energies.
func TestMeters(t *testing.T) {
	w := simulate(simulation{seed: 21, rate: 20, seconds: 25, spread: 0.3, power: 0.1, methodCount: 10, noise: 0.01, busy: 0.5})
	still := func(from, to int) func(int, []int64) int64 {
		return func(i int, energy []int64) int64 {
			if from <= i && i < to {
				return 0
			}
			return energy[i]
		}
	}
	at := func(e []int64, i int) int64 { return e[min(max(i, 1), len(e)-1)] }
	for _, c := range []struct {
		name   string
		change func(i int, energy []int64) int64
		// want is a part of the reason. It is empty if there are figures.
		want string
	}{
		{"as measured", still(0, 0), ""},
		{"constant power", func(int, []int64) int64 { return 45e6 }, "hardly more energy while paths ran"},
		{"charged for a moment", still(100, 106), ""},
		{"charged for three seconds", still(200, 260), ""},
		{"charged for half of the run", still(100, 350), "standing"},
		{"powers at moments, interpolated", func(i int, e []int64) int64 { return (at(e, i-1) + 2*at(e, i) + at(e, i+1)) / 4 }, "blend"},
		{"an average over five periods", func(i int, e []int64) int64 {
			return (at(e, i-2) + at(e, i-1) + at(e, i) + at(e, i+1) + at(e, i+2)) / 5
		}, "blend"},
		{"late by a fifth of a period", func(i int, e []int64) int64 { return (4*at(e, i) + at(e, i-1)) / 5 }, "blend"},
		{"late by a twentieth of a period", func(i int, e []int64) int64 { return (19*at(e, i) + at(e, i-1)) / 20 }, ""},
		{"coarse steps", func(i int, e []int64) int64 {
			const step = 200e6
			sum := int64(0)
			for k := 1; k <= i; k++ {
				sum += e[k]
			}
			return sum/step*step - (sum-e[i])/step*step
		}, "any"},
		{"another device", func(i int, _ []int64) int64 { return 30e6 + int64(i*7919%31)*1e6 }, "hardly more energy while paths ran"},
	} {
		d, err := Read(t.Context(), w, increments(w.signals(), c.change), nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r := New(d, Options{})
		check(t, r)
		sc := w.score(r)
		t.Logf("%s: reason %q, blend %.2f, %d of %d lines shown, %d hold the truth", c.name, r.Reason, r.Blend, sc.shown, sc.lines, sc.held)
		if c.want == "any" || c.want == "" && r.Reason == "" {
			// If a phone is charged, some runs are not measured. They are not in the figures, so
			// only the energy of one execution is compared.
			if float64(r.Window) > 0.97e9*w.seconds && float64(sc.held) < 0.88*float64(sc.shown) {
				t.Errorf("%s: %d of %d intervals hold the truth", c.name, sc.held, sc.shown)
			}
			continue
		}
		if c.want == "" || !strings.Contains(r.Reason, c.want) || sc.shown > 0 {
			t.Errorf("%s: reason %q, want %q", c.name, r.Reason, c.want)
		}
	}
}

// TestBursts has bursts of load by the recorder, at the start and at the end. Lines must not get
// the energy of bursts, and must have figures that are as close as without bursts.
func TestBursts(t *testing.T) {
	for seed := range uint64(2) {
		o := simulation{seed: 25 + seed, rate: 20, seconds: 40, spread: 0.3, power: 0.1, methodCount: 10, noise: 0.01, busy: 0.5}
		w := simulate(o)
		plain := w.score(fitted(t, w, Options{}))
		for k := range int64(12) {
			for _, start := range []int64{500e6, 34e9} {
				at := start + k*450e6
				w.bursts = append(w.bursts, trace.Burst{Begin: at, End: at + 300e6})
			}
		}
		slices.SortFunc(w.bursts, func(a, b trace.Burst) int { return cmp.Compare(a.Begin, b.Begin) })
		r := fitted(t, w, Options{})
		sc := w.score(r)
		t.Logf("reason %q, %d of %d lines shown (%d without bursts), %d hold the truth of the whole run", r.Reason, sc.shown, sc.lines, plain.shown, sc.held)
		if r.Reason != "" || sc.shown < plain.shown*2/3 {
			t.Errorf("reason %q, %d lines shown, and %d without bursts", r.Reason, sc.shown, plain.shown)
		}
		if got := float64(r.IdlePower) / 1e6; math.Abs(got-idleWatt) > 0.05*idleWatt {
			t.Errorf("the idle device uses %v W, want %v", got, idleWatt)
		}
	}
}

// TestCut cuts off a run's meter at each of its readings, and the paths at each of its runs.
func TestCut(t *testing.T) {
	w := simulate(simulation{seed: 22, rate: 40, seconds: 1.2, spread: 0.3, power: 0.1, methodCount: 4, noise: 0.01, busy: 0.5})
	signals, times := w.signals(), w.times
	for n := range signals {
		if testing.Short() && n > 4 && n%4 > 0 {
			continue
		}
		if d, err := Read(t.Context(), w, changedMeter(signals[:n]), nil); err == nil {
			check(t, New(d, Options{}))
		} else if n > 2 {
			t.Errorf("%d readings: %v", n, err)
		}
	}
	for n := 1; n < len(times); n += 1 + len(times)/shorten.Count(30) {
		w.times = times[:n]
		d, err := Read(t.Context(), w, changedMeter(signals), nil)
		if err != nil {
			t.Fatal(err)
		}
		check(t, New(d, Options{}))
	}
}

// FuzzNew divides any runs by any meter. No figure may be negative or infinite, and the parts must
// add up.
func FuzzNew(f *testing.F) {
	f.Add([]byte("\x03\x02ab\x01c\x00\x10\x20\x30"), []byte("0123456789abcdefghijklmnopqrstuvwxyz"))
	f.Add([]byte{1, 1, 7, 0, 5, 5, 0, 5, 5, 0, 5, 5}, []byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 200, 1})
	f.Add([]byte{9, 3, 1, 2, 3, 255, 255, 128, 64}, []byte{255, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, app, readings []byte) {
		next := func() int64 {
			if len(app) == 0 {
				return 0
			}
			v := app[0]
			app = app[1:]
			return int64(v)
		}
		d := &Data{methods: []name.Method{name.OfClass("A", "f", "()V"), name.OfClass("A", "g", "()V")}, Tracks: []string{"meter"}}
		for range 1 + next()%8 {
			p := trace.Path{Thread: trace.ThreadID(next() % 3), Method: trace.MethodID(next() % 2), End: trace.PathEnd(next() % 4), Count: 1}
			for range next() % 5 {
				p.Lines, p.Opcodes = append(p.Lines, int32(next()%6)), append(p.Opcodes, make([]byte, next()%4))
			}
			d.paths = append(d.paths, p)
		}
		now := int64(0)
		for len(app) > 0 && len(d.runs) < 1000 {
			now += next() << (next() % 40)
			at := run{int32(next() % int64(len(d.paths))), now, now + next()<<(next()%30)}
			d.runs, d.elapsed = append(d.runs, at), max(d.elapsed, at.exit)
		}
		var all []reading
		moment, value := int64(0), int64(0)
		unit := d.elapsed/int64(len(readings)+1) + 1
		for i, b := range readings {
			moment += unit
			if value += int64(b) << (b % 32); i%7 == 6 {
				moment += int64(b) * unit
			}
			all = append(all, reading{moment, value})
		}
		m, err := newMeter(all)
		if err != nil || len(d.runs) == 0 {
			return
		}
		d.meter = m
		if d.setWindow(); d.end <= d.begin {
			return
		}
		check(t, New(d, Options{}))
		check(t, New(d, Options{Printed: true}))
	})
}

// TestBlend checks how much the meter shows the power of paths in neighbouring periods.
func TestBlend(t *testing.T) {
	for _, share := range []float64{0, 0.1, 0.3} {
		w := simulate(simulation{seed: 23, rate: 20, seconds: 30, spread: 0.3, power: 0.1, methodCount: 10, noise: 0.01, busy: 0.5})
		d, err := Read(t.Context(), w, increments(w.signals(), func(i int, e []int64) int64 {
			return int64((1-share)*float64(e[i]) + share*float64(e[max(i-1, 1)]))
		}), nil)
		if err != nil {
			t.Fatal(err)
		}
		s := newSheet(d)
		b, err := s.findBase(func(int) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		// The expected part is the relative difference between the true power and the fit of single
		// periods.
		got, want := s.findBlend(b), math.Max(0, 1-b.busy/busyWatt)
		if share == 0 && got > 0.01 || share > 0 && math.Abs(got-want) > 0.04 {
			t.Errorf("%v of a reading is in the next one: %v is missing, estimated %v", share, want, got)
		}
	}
}
