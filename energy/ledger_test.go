package energy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

const second = int64(time.Second)

// handset has a disk that works at 200 mW and idles at 100 mW for three seconds after, a lock
// that draws 50 mW while it is held, and a receiver that draws 300 mW while it is on.
func handset() *model.Device {
	return &model.Device{
		Name: "phone",
		Components: []model.Component{
			{
				Name:   "disk",
				States: []model.State{{Name: "base"}, {Name: "d1", Kind: model.Productive, Power: 200_000}, {Name: "d2", Kind: model.Tail, Power: 100_000}},
				Transitions: []model.Transition{
					{From: 0, To: 1, On: []trace.Verb{trace.OpRead, trace.OpWrite}},
					{From: 1, To: 2, Idle: true},
					{From: 2, To: 1, On: []trace.Verb{trace.OpRead, trace.OpWrite}},
					{From: 2, To: 0, After: 3 * time.Second},
				},
			},
			onOff("wakelock", 50_000, trace.OpAcquire, trace.OpRelease),
			onOff("gps", 300_000, trace.OpStart, trace.OpStop),
		},
	}
}

func onOff(component string, power units.Power, on, off trace.Verb) model.Component {
	return model.Component{
		Name:        component,
		States:      []model.State{{Name: "off"}, {Name: "on", Kind: model.On, Power: power}},
		Transitions: []model.Transition{{From: 0, To: 1, On: []trace.Verb{on}}, {From: 1, To: 0, Idle: true}},
	}
}

// A tape is a run written as lines, one second apart:
//
//	5 main +app.A.run     at second 5, thread main calls app.A.run
//	6 main -app.A.run
//	7 main read disk      the recording has an operation of thread main
//
// A line without a time happens at the time of the previous line.
type tape struct {
	lines []string
	clock trace.Clock
	names map[string]trace.MethodID
}

func newTape(text string) *tape {
	t := &tape{clock: trace.ThreadCPU | trace.WallClock, names: make(map[string]trace.MethodID)}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			t.lines = append(t.lines, line)
		}
	}
	return t
}

func (t *tape) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	out := &trace.Trace{Format: "tape", Clock: t.clock, Calls: trace.CountedCalls}
	trace.Start(sink, t.clock, trace.NoEnergy)
	trace.GiveNames(sink, func(id trace.MethodID) (name.Method, bool) { return out.Methods[id], true })
	signals := trace.Signals(sink)
	methods, threads := make(map[string]int), make(map[string]int)
	latest := make(map[int]int64)
	for _, line := range t.lines {
		f := strings.Fields(line)
		var seconds float64
		if _, err := fmt.Sscan(f[0], &seconds); err != nil {
			return nil, err
		}
		at := int64(seconds * float64(second))
		id, ok := threads[f[1]]
		if !ok {
			id = len(out.Threads)
			threads[f[1]] = id
			out.Threads = append(out.Threads, trace.Thread{ID: int64(id), Name: f[1]})
			latest[id] = at
		}
		if len(f) > 3 {
			verb, _ := trace.VerbOf(f[2])
			if signals != nil {
				if err := signals.Operations([]trace.Operation{{Time: at, Duration: second / 2, Thread: trace.ThreadID(id), Mark: trace.NoRef, Verb: verb, Component: f[3]}}); err != nil {
					return nil, err
				}
			}
			continue
		}
		label := f[2][1:]
		m, ok := methods[label]
		if !ok {
			m = len(out.Methods)
			methods[label] = m
			out.Methods = append(out.Methods, name.Parse(label, name.JVM))
		}
		e := trace.Event{Time: at, CPU: (at - latest[id]) / 1000, Ref: trace.Ref(m), Thread: trace.ThreadID(id)}
		if f[2][0] == '-' {
			e.Kind = trace.Exit
		}
		if t.clock&trace.WallClock == 0 {
			e.Time = 0
		}
		th := &out.Threads[id]
		th.Events++
		th.CPU += time.Duration(e.CPU)
		if t.clock&trace.WallClock != 0 {
			th.Wall += time.Duration(at - latest[id])
		}
		latest[id] = at
		out.Events++
		if err := sink.Events([]trace.Event{e}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A bill is a sink that sums energy by call path and account. It is the oracle for trees.
type bill struct {
	names   trace.Names
	stacks  map[trace.ThreadID][]string
	marked  map[trace.Ref]string
	drained map[string]units.Energy
	total   units.Energy
}

func newBill() *bill {
	return &bill{stacks: make(map[trace.ThreadID][]string), marked: make(map[trace.Ref]string), drained: make(map[string]units.Energy)}
}

func (b *bill) TakeNames(names trace.Names) { b.names = names }

func (b *bill) Samples([]trace.Sample) error { return nil }

func (b *bill) Events(batch []trace.Event) error {
	for _, e := range batch {
		b.total += e.Energy
		stack := b.stacks[e.Thread]
		to := strings.Join(stack, ";")
		switch e.Kind {
		case trace.Enter:
			m, _ := b.names(trace.MethodID(e.Ref))
			b.stacks[e.Thread] = append(stack, m.Type+"."+m.Name)
		case trace.Exit:
			b.stacks[e.Thread] = stack[:len(stack)-1]
		case trace.Mark:
			b.marked[e.Ref] = to
		case trace.Charge:
			to = b.marked[e.Ref]
			if e.Ref == trace.NoRef {
				to = "nobody"
			}
		}
		if e.Account > 0 && e.Energy != 0 {
			b.drained[fmt.Sprintf("%s %d", to, e.Account)] += e.Energy
		}
	}
	return nil
}

// charged meters a tape with a handset and returns the energies as text.
func charged(t *testing.T, text string, o energy.Options) string {
	t.Helper()
	triggers, err := trigger.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	if o.Triggers != nil {
		triggers = triggers.With(o.Triggers)
	}
	if o.Device == nil {
		o.Device = handset()
	}
	o.CPU, o.Triggers = 1_000_000, triggers
	metered := energy.Meter(newTape(text), o)
	if err := tracetest.Check(t.Context(), metered); err != nil {
		t.Error(err)
	}
	b := newBill()
	tr, err := metered.Scan(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	var sum units.Energy
	for key, e := range b.drained {
		var to string
		var account int
		fmt.Sscan(key, &to, &account)
		a := tr.Accounts[account]
		lines = append(lines, fmt.Sprintf("%s %s %v: %s mJ", to, a.Component, a.Part, units.Milli.Format(e, 0)))
		sum += e
	}
	slices.Sort(lines)
	for _, c := range metered.Components() {
		var states units.Energy
		for _, s := range c.States {
			states += s.Energy
		}
		if states != c.Energy() {
			t.Errorf("%s: the states drain %d nJ and the owners %d", c.Name, states, c.Energy())
		}
		sum -= c.Energy()
	}
	if sum != 0 {
		t.Errorf("charges and components differ by %d nJ", sum)
	}
	for _, w := range tr.Warnings {
		lines = append(lines, w.Code+": "+w.Message)
	}
	for _, c := range metered.Components() {
		if r := c.Range; r != nil {
			lines = append(lines, fmt.Sprintf("%s: %s to %s mJ, by a timeout %v", c.Name, units.Milli.Format(r.Least, 0), units.Milli.Format(r.Most, 0), r.Timeout))
		}
	}
	return strings.Join(lines, "\n")
}

func TestComponents(t *testing.T) {
	for _, c := range []struct {
		what, run string
		options   energy.Options
		want      string
	}{
		{
			// eprof, Section 4.2.1 and Figure 5: (u1, n1), (u2, 0), (u3, n2).
			what: "tail",
			run: `0 main +app.A.f1
				1 main +java.io.FileInputStream.read
				2 main -java.io.FileInputStream.read
				4 main +java.io.FileInputStream.read
				5 main -java.io.FileInputStream.read
				5 main -app.A.f1
				5 main +app.A.f2
				5 main +java.io.FileOutputStream.write
				6 main -java.io.FileOutputStream.write
				7 main -app.A.f2`,
			want: `A.f1;FileInputStream.read disk tail: 200 mJ
A.f1;FileInputStream.read disk use: 400 mJ
A.f2;FileOutputStream.write disk tail: 300 mJ
A.f2;FileOutputStream.write disk use: 200 mJ
assumed-operations: calls do not show all their parameters; assumed: files are in the device's storage, and not in memory, a pipe or /proc
beyond-the-end: the components use 200 mJ after the recording ended, in tails or work that had begun; this energy is included`,
		},
		{
			what: "calls inside of others",
			run: `0 main +app.A.f1
				1 main +java.io.FileOutputStream.write
				1 main +libcore.io.IoBridge.write
				1 main +libcore.io.Linux.write
				2 main -libcore.io.Linux.write
				2 main -libcore.io.IoBridge.write
				2 main -java.io.FileOutputStream.write
				9 main -app.A.f1`,
			want: `A.f1;FileOutputStream.write disk tail: 300 mJ
A.f1;FileOutputStream.write disk use: 200 mJ
assumed-operations: calls do not show all their parameters; assumed: files are in the device's storage, and not in memory, a pipe or /proc`,
		},
		{
			what: "held to the end",
			run: `0 main +app.A.start
				1 main +android.os.PowerManager$WakeLock.acquire
				1 main -android.os.PowerManager$WakeLock.acquire
				2 main -app.A.start
				21 main +app.B.other
				21 main -app.B.other`,
			want: `A.start;PowerManager$WakeLock.acquire wakelock use: 1000 mJ
assumed-operations: calls do not show all their parameters; assumed: a wakelock is counted, as it is unless setReferenceCounted says otherwise
held-to-end: wakelock: 1 operation was still open when the recording ended, and is counted until then`,
		},
		{
			// The first lock may have released itself at any time. The release of the second lock
			// proves that the second lock was held from 1 s to 3 s.
			what: "timeouts",
			run: `0 main +app.A.start
				0 main +android.os.PowerManager$WakeLock.acquire(J)V
				0 main -android.os.PowerManager$WakeLock.acquire(J)V
				1 main -app.A.start
				1 other +app.B.start
				1 other +android.os.PowerManager$WakeLock.acquire(J)V
				1 other -android.os.PowerManager$WakeLock.acquire(J)V
				3 other +android.os.PowerManager$WakeLock.release
				3 other -android.os.PowerManager$WakeLock.release
				3 other -app.B.start
				23 main +app.B.other
				23 main -app.B.other`,
			want: `A.start;PowerManager$WakeLock.acquire wakelock use: 1100 mJ
B.start;PowerManager$WakeLock.acquire wakelock use: 50.0 mJ
assumed-operations: calls do not show all their parameters; assumed: a wakelock is counted, as it is unless setReferenceCounted says otherwise; a wakelock with a timeout is held until its release or the end of the recording
timed-to-end: wakelock: 1 use ends by itself after a timeout that the recording does not show, and is counted at most until the recording ended: up to 1050 mJ is uncertain
wakelock: 100 to 1150 mJ, by a timeout true`,
		},
		{
			// Two classes hold a lock. Each class releases its own lock, in any order.
			what: "released by class",
			run: `0 main +app.A.run
				0 main +android.os.PowerManager$WakeLock.acquire
				0 main -android.os.PowerManager$WakeLock.acquire
				0 main -app.A.run
				10 main +app.B.run
				10 main +android.os.PowerManager$WakeLock.acquire
				10 main -android.os.PowerManager$WakeLock.acquire
				10 main -app.B.run
				20 main +app.A.stop
				20 main +android.os.PowerManager$WakeLock.release
				20 main -android.os.PowerManager$WakeLock.release
				20 main -app.A.stop
				40 main +app.B.stop
				40 main +android.os.PowerManager$WakeLock.release
				40 main -android.os.PowerManager$WakeLock.release
				40 main -app.B.stop`,
			want: `A.run;PowerManager$WakeLock.acquire wakelock use: 750 mJ
B.run;PowerManager$WakeLock.acquire wakelock use: 1250 mJ
assumed-operations: calls do not show all their parameters; assumed: a wakelock is counted, as it is unless setReferenceCounted says otherwise`,
		},
		{
			// Listening twice, to two providers, ends with one removal.
			what: "started twice",
			run: `0 main +app.Map.onResume
				0 main +android.location.LocationManager.requestLocationUpdates
				0 main -android.location.LocationManager.requestLocationUpdates
				1 main +android.location.LocationManager.requestLocationUpdates
				1 main -android.location.LocationManager.requestLocationUpdates
				1 main -app.Map.onResume
				10 main +app.Map.onPause
				10 main +android.location.LocationManager.removeUpdates
				10 main -android.location.LocationManager.removeUpdates
				50 main -app.Map.onPause`,
			want: `Map.onResume;LocationManager.requestLocationUpdates gps use: 3000 mJ
assumed-operations: calls do not show all their parameters; assumed: each request for the location asks the GPS receiver
started-again: gps: 1 operation is repeated by a class that had already started it, and counted once`,
		},
		{
			what: "operations that the recording states",
			run: `0 main +app.A.run
				1 main +app.A.load
				2 main read disk
				3 main -app.A.load
				8 main -app.A.run
				9 idle read disk
				9 idle read screen
				20 main +app.A.run
				20 main -app.A.run`,
			want: `A.run;A.load disk tail: 300 mJ
A.run;A.load disk use: 100 mJ
nobody disk rest: 400 mJ
nobody-s-operations: 1 operation is without a call in the recording; their energy is unattributed
unmodelled-components: the power model phone lacks components that the run used: screen 1`,
		},
		{
			what: "operations without any calls",
			run: `0 idle read disk
				1 idle read disk`,
			want: `nobody-s-operations: the recording has no calls and no stacks that could get the energy of 2 component operations, so this energy is omitted`,
		},
		{
			what:    "first trigger",
			options: energy.Options{Policy: machine.FirstTrigger},
			run: `0 main +app.A.f1
				0 main +java.io.FileInputStream.read
				1 main -java.io.FileInputStream.read
				1 main -app.A.f1
				2 main +app.A.f2
				2 main +java.io.FileInputStream.read
				3 main -java.io.FileInputStream.read
				9 main -app.A.f2`,
			want: `A.f1;FileInputStream.read disk tail: 400 mJ
A.f1;FileInputStream.read disk use: 200 mJ
A.f2;FileInputStream.read disk use: 200 mJ
assumed-operations: calls do not show all their parameters; assumed: files are in the device's storage, and not in memory, a pipe or /proc`,
		},
		{
			// While the disk reads, the reader runs for a millisecond at the end. In the disk's
			// tail, another thread runs in two slots of a millisecond. All other energy is
			// unattributed.
			what:    "split time",
			options: energy.Options{Policy: machine.SplitTime},
			run: `0 main +app.A.f1
				1 main +java.io.FileInputStream.read
				1.9995 other +app.B.run
				2 main -java.io.FileInputStream.read
				3.0005 other -app.B.run
				9 main -app.A.f1`,
			want: `A.f1;FileInputStream.read disk use: 0.200 mJ
B.run disk tail: 0.200 mJ
nobody disk rest: 500 mJ
assumed-operations: calls do not show all their parameters; assumed: files are in the device's storage, and not in memory, a pipe or /proc`,
		},
		{
			what: "lost exits and open calls",
			run: `0 main +app.A.run
				1 main +java.io.FileInputStream.read
				1 main +app.A.lost
				2 main -app.A.run
				9 main +app.A.run
				9 main +android.location.LocationManager.requestLocationUpdates`,
			want: `A.run;FileInputStream.read disk tail: 300 mJ
A.run;FileInputStream.read disk use: 200 mJ
assumed-operations: calls do not show all their parameters; assumed: each request for the location asks the GPS receiver; files are in the device's storage, and not in memory, a pipe or /proc
held-to-end: gps: 1 operation was still open when the recording ended, and is counted until then`,
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := charged(t, c.run, c.options); got != c.want {
				t.Errorf("charged\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
