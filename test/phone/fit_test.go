package phone

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	fitting "github.com/diffprof/diffprof/energy/fit"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// A measured is a recording with the operations of a simulated phone, and a rail that supplies one
// component and the base load of the phone.
type measured struct {
	run       *Run
	component string
	always    units.Power
	every     int64 // ms between two readings
}

func (m *measured) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	out := &trace.Trace{Format: "phone", Clock: trace.ThreadCPU | trace.WallClock, Elapsed: time.Duration(int64(len(m.run.Measured)) * ms)}
	trace.Start(sink, out.Clock, trace.NoEnergy)
	signals := trace.Signals(sink)
	out.Tracks = []trace.Track{{Name: "RAIL", Core: -1, UID: -1}}
	if signals == nil {
		return out, nil
	}
	if err := signals.Track(out.Tracks[0]); err != nil {
		return nil, err
	}
	ops := m.run.Operations[m.component]
	drained := units.Energy(0)
	for at := int64(0); at <= int64(len(m.run.Measured)); at++ {
		if at%m.every == 0 {
			if err := signals.Signals([]trace.Signal{{Time: at * ms, Value: int64(drained), Thread: trace.NoThread, Kind: trace.Drain}}); err != nil {
				return nil, err
			}
		}
		for ; len(ops) > 0 && ops[0].Begin < (at+1)*ms; ops = ops[1:] {
			o := trace.Operation{
				Time: max(ops[0].Begin, at*ms), Duration: ops[0].End - ops[0].Begin, Thread: trace.NoThread, Mark: trace.NoRef,
				Verb: ops[0].Verb, Component: m.component, Bytes: ops[0].Bytes, Handle: ops[0].Handle,
			}
			if err := signals.Operations([]trace.Operation{o}); err != nil {
				return nil, err
			}
		}
		if at < int64(len(m.run.Measured)) {
			drained += m.run.Measured[at] + units.Energy(m.always)
		}
	}
	return out, nil
}

// chatter returns an app that sends and receives at random moments.
func chatter(seed uint64) App {
	r := rand.New(rand.NewPCG(seed, 9))
	steps := do("Net.open", Connect)
	for range 25 {
		steps = append(steps, send("Net.send", 1+r.Int64N(100)), receive("Net.receive", time.Duration(r.IntN(300))*time.Millisecond, 1+r.Int64N(400)), sleep(time.Duration(r.IntN(16_000))*time.Millisecond))
	}
	return App{"chatter", []Thread{{Process: "chatter", Name: "net", Steps: steps}}}
}

// wrong returns a device in which a component on a rail has other powers.
func wrong(d *model.Device, component string, factor func(state int) float64) *model.Device {
	out := *d
	out.Components = slices.Clone(d.Components)
	i := slices.IndexFunc(out.Components, func(c model.Component) bool { return c.Name == component })
	c := &out.Components[i]
	c.Rails = []string{"RAIL"}
	c.States = slices.Clone(c.States)
	for k := range c.States {
		c.States[k].Power = units.Power(float64(c.States[k].Power) * factor(k))
	}
	return &out
}

// TestFitsComponents fits the powers of a radio, in an otherwise known phone, to five runs. The
// rail is read each second.
func TestFitsComponents(t *testing.T) {
	d, err := model.Ready("passion")
	if err != nil {
		t.Fatal(err)
	}
	const always = 40 * units.Milliwatt
	for seed := range uint64(6) {
		var runs []trace.Recording
		for n := range uint64(5) {
			m := &measured{run: Simulate(d, 0, chatter(10*seed+n), 10*seed+n), component: "cellular", always: always, every: 1000}
			if err := tracetest.Check(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			runs = append(runs, m)
		}
		factors := []float64{1, 0.5, 2, 1.6, 0.4, 3}
		start := wrong(d, "cellular", func(k int) float64 { return factors[k%len(factors)] })
		made, found, err := fitting.Components(t.Context(), runs, start, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || found[0].Refused != "" {
			t.Fatalf("seed %d: %+v", seed, found)
		}
		c, truth := found[0], d.Component("cellular")
		for _, s := range c.States {
			k := slices.IndexFunc(truth.States, func(state model.State) bool { return state.Name == s.Name })
			want := float64(truth.States[k].Power)
			t.Logf("seed %d: %s %v: %d mW, fitted %d ± %d, truly %.0f; %s", seed, s.Name, s.Time.Round(time.Second), s.Before/1000, s.After/1000, s.Deviation/1000, want/1000, s.Refused)
			if s.Refused == "" && math.Abs(float64(s.After)-want) > 0.06*want {
				t.Errorf("seed %d: %s draws %d µW, truly %.0f", seed, s.Name, s.After, want)
			}
			if made.Component("cellular").States[k].Power != s.After {
				t.Errorf("seed %d: the model of %s is not what was found", seed, s.Name)
			}
		}
		t.Logf("seed %d: off by %.3f, fitted %.3f, of the others %.3f, always %d mW", seed, c.OffBefore, c.OffAfter, c.OffOther, c.Always/1000)
		if c.Runs != 5 || c.OffAfter > c.OffBefore/2 || c.OffAfter > 0.2 || c.OffOther < c.OffAfter || c.OffOther > 0.25 || math.Abs(float64(c.Always-always)) > 0.3*float64(always) {
			t.Errorf("seed %d: %+v", seed, c)
		}
	}
}

// TestFitRefuses checks that no powers are fitted if the runs do not determine them.
func TestFitRefuses(t *testing.T) {
	d, err := model.Ready("passion")
	if err != nil {
		t.Fatal(err)
	}
	run := Simulate(d, 0, chatter(1), 1)
	idle := Simulate(d, 0, App{"idle", []Thread{{Process: "idle", Name: "main", Steps: times(30, compute("Main.run", tenth), sleep(second))}}}, 1)
	start := wrong(d, "cellular", func(int) float64 { return 1 })
	for _, c := range []struct {
		name  string
		run   *measured
		every int64
		want  string
	}{
		{"few readings", &measured{run, "cellular", 0, 60_000}, 0, "intervals between readings are too few"},
		{"another component", &measured{run, "gps", 0, 1000}, 0, ""},
		{"never used", &measured{idle, "cellular", 0, 1000}, 0, ""},
	} {
		_, found, err := fitting.Components(t.Context(), []trace.Recording{c.run}, start, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.want == "" && len(found) > 0, c.want != "" && (len(found) != 1 || !strings.Contains(found[0].Refused, c.want)):
			t.Errorf("%s: %+v", c.name, found)
		}
	}
}
