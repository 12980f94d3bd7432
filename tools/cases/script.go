package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
)

// A script is a run in which it matters when calls happen, because components of the phone stay on
// after calls. Scripts are for the case studies of eprof (EuroSys 2012, Section 7).
type script struct {
	name    string
	length  time.Duration
	threads []*actor
	// radio is the time at which the cellular radio finishes its work. It is never if the radio
	// rests.
	radio time.Duration
	awake bool
}

// An actor is a thread with its steps.
type actor struct {
	name string
	// base has the calls that last as long as the thread.
	base  []string
	steps []step
	// work is processor time to use while no other step runs.
	work []step
}

// A step is a call with its callers below the base. It lasts for wall and uses cpu.
type step struct {
	at, wall, cpu time.Duration
	path          []string
}

// Properties of the passion's 3G radio in the built-in model, and the current of its processor in
// eprof/power_profile.xml.
const (
	rampTime   = 2500 * time.Millisecond
	tailTime   = 6 * time.Second
	packetTime = 19675 * time.Microsecond // 1460 bytes at 13.8 ms/KiB
	tailMA     = 120
	gpsMA      = 170
	processor  = 168.4 // mA
)

// lasts returns how long a current in mA takes to use the given charge.
func lasts(uAh, mA float64) time.Duration {
	return time.Duration(uAh * 3.6 / mA * float64(time.Second)).Round(time.Microsecond)
}

// thread adds a thread. Its base calls last as long as the thread.
func (s *script) thread(name string, base ...string) *actor {
	a := &actor{name: name, base: base}
	s.threads = append(s.threads, a)
	return a
}

// do adds a call at the time at.
func (a *actor) do(at, wall time.Duration, path ...string) {
	a.steps = append(a.steps, step{at: at, wall: wall, path: path})
}

// compute adds processor time that uses the given charge.
func (a *actor) compute(uAh float64, path ...string) {
	a.work = append(a.work, step{cpu: lasts(uAh, processor), path: path})
}

// send sends packets immediately. The radio must be idle. It then stays in its tail for some time. The last call of the path sends them.
func (s *script) send(a *actor, packets int, tail time.Duration, path ...string) {
	if tail > tailTime {
		panic(s.name + ": the tail is over before")
	}
	for i := range packets {
		a.do(s.radio+time.Duration(i)*200*time.Microsecond, 100*time.Microsecond, path...)
	}
	if !s.awake {
		s.radio += rampTime
	}
	s.radio += time.Duration(packets)*packetTime + tail
	s.awake = tail < tailTime
}

// connect opens a connection through the last call of the path, when the radio is at rest. It lasts
// as long as the ramp and a handshake.
func (s *script) connect(a *actor, path ...string) {
	const handshake = 156 * time.Millisecond
	a.do(s.radio, rampTime+100*time.Millisecond, path...)
	s.radio += rampTime + handshake
	s.awake = true
}

// rest leaves the radio at rest for a while after a tail.
func (s *script) rest() { s.radio += time.Second }

// locate keeps GPS on for the given charge.
func (a *actor) locate(at time.Duration, uAh float64, path ...string) {
	const start = "android.location.LocationManager.requestLocationUpdates(Ljava/lang/String;JFLandroid/location/LocationListener;)V"
	const stop = "android.location.LocationManager.removeUpdates(Landroid/location/LocationListener;)V"
	a.do(at, 100*time.Microsecond, append(slices.Clone(path), start)...)
	// GPS is on from the beginning of the first call to the end of the second.
	a.do(at+lasts(uAh, gpsMA), 100*time.Microsecond, append(slices.Clone(path), stop)...)
}

// files returns the trace of a script.
func (s *script) files() ([]file, error) {
	t := &artwrite.Trace{Elapsed: s.length, PID: 4000, Start: 4000 * time.Second}
	ids := map[string]int{}
	method := func(label string) int {
		id, ok := ids[label]
		if !ok {
			id = len(t.Methods)
			ids[label] = id
			m := name.Parse(label, name.JVM)
			m.File = sourceFile(m.Class())
			t.Methods = append(t.Methods, m)
		}
		return id
	}
	var events []artwrite.Event
	for i, a := range s.threads {
		id := uint32(4000)
		if i > 0 {
			id += uint32(3 + 2*i)
		}
		t.Threads = append(t.Threads, artwrite.Thread{ID: id, Name: a.name})
		steps, err := a.plan(s.length)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", s.name, a.name, err)
		}
		var cpu time.Duration
		add := func(action artwrite.Action, label string, wall time.Duration) {
			events = append(events, artwrite.Event{Thread: i, Method: method(label), Action: action, CPU: cpu, Wall: wall})
		}
		for _, label := range a.base {
			add(artwrite.Enter, label, 0)
		}
		for _, p := range steps {
			// Nested calls begin and end a microsecond apart.
			for j, label := range p.path {
				add(artwrite.Enter, label, p.at+time.Duration(j)*time.Microsecond)
			}
			cpu += p.cpu
			for j, label := range slices.Backward(p.path) {
				add(artwrite.Exit, label, p.at+p.wall-time.Duration(j)*time.Microsecond)
			}
		}
		for _, label := range slices.Backward(a.base) {
			add(artwrite.Exit, label, s.length)
		}
	}
	slices.SortStableFunc(events, func(a, b artwrite.Event) int { return cmp.Compare(a.Wall, b.Wall) })
	t.Events = slices.Values(events)
	var b bytes.Buffer
	if err := artwrite.Write(&b, t, artwrite.Form{}); err != nil {
		return nil, err
	}
	return []file{{"eprof/" + s.name + ".trace.gz", compress(b.Bytes())}}, nil
}

// plan places a thread's work between its other steps.
func (a *actor) plan(length time.Duration) ([]step, error) {
	steps := slices.Clone(a.steps)
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	const margin = 50 * time.Microsecond
	var out []step
	work := slices.Clone(a.work)
	now := time.Millisecond
	fill := func(until time.Duration) {
		for len(work) > 0 && until-now > 3*margin {
			w := &work[0]
			part := min(w.cpu, until-now-margin)
			out = append(out, step{at: now, wall: max(part, margin), cpu: part, path: w.path})
			now += max(part, margin)
			if w.cpu -= part; w.cpu == 0 {
				work = work[1:]
			}
		}
	}
	for _, p := range steps {
		fill(p.at)
		if p.at < now {
			return nil, fmt.Errorf("%s at %v comes before the call before it ends, at %v", strings.Join(p.path, " > "), p.at, now)
		}
		out = append(out, p)
		now = p.at + p.wall
	}
	fill(length - time.Millisecond)
	if len(work) > 0 || now >= length {
		return nil, fmt.Errorf("it has no time for all its work within %v", length)
	}
	return out, nil
}
