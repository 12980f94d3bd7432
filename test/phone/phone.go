// Package phone simulates a phone whose power is known at each moment. Tests compare the policies
// of energy accounting with this truth, as eprof's Figures 8 and 9 do (Pathak et al., EuroSys 2012,
// Section 6.2).
//
// The phone follows a power model with random deviations. The duration and the power of each ramp,
// tail and transfer vary slightly, as eprof measured between two runs of one app (Section 4.1). The
// simulation advances in steps of a millisecond. It does not use package machine. It records what
// caused the energy of each millisecond. The accounting must find this truth from only the
// operations and the model.
//
// Only tests import the package.
package phone

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The variation of ramps, tails, transfers and powers between two runs, as relative standard
// deviations. eprof (Section 4.1) states 61 and 60 µAh for a ramp, 187 and 200 for a tail, and 55
// and 60 for five sends. A meter adds its own variation.
const (
	rampSpread     = 0.02
	tailSpread     = 0.05
	transferSpread = 0.06
	powerSpread    = 0.03
	meterSpread    = 0.02
	meterGain      = 0.005
)

// An Entity is what energy is charged to: a routine on a thread of a process.
type Entity struct{ Process, Thread, Routine string }

// An App is a set of concurrent threads.
type App struct {
	Name    string
	Threads []Thread
}

// A Thread executes one step after the other.
type Thread struct {
	Process, Name string
	Steps         []Step
}

// A Step is an action of a routine.
type Step struct {
	Routine string
	Do      Action
	// For is how long a computation, a sleep or the wait of a receive lasts.
	For time.Duration
	KiB int64
}

// An Action is the kind of a step.
type Action uint8

// The actions. From Connect on they are requests to a component.
const (
	Compute Action = iota
	Sleep
	Connect
	Send
	Receive
	Close
	Read
	Write
	StartGPS
	StopGPS
	Acquire
	Release
)

// asks has the component and the verb of each request, and whether the thread waits until the
// request is done.
var asks = map[Action]struct {
	component string
	verb      trace.Verb
	waits     bool
}{
	Connect: {"cellular", trace.OpOpen, true}, Send: {"cellular", trace.OpSend, false},
	Receive: {"cellular", trace.OpReceive, true}, Close: {"cellular", trace.OpClose, false},
	Read: {"disk", trace.OpRead, true}, Write: {"disk", trace.OpWrite, false},
	StartGPS: {"gps", trace.OpStart, false}, StopGPS: {"gps", trace.OpStop, false},
	Acquire: {"wakelock", trace.OpAcquire, false}, Release: {"wakelock", trace.OpRelease, false},
}

// A Run is the recording of a run of an app, with the measured energy and the truth.
type Run struct {
	App string
	// Operations, Running and Truth refer to Entities by index.
	Entities []Entity
	// Operations are the operations of each component, in the order of their starts. Their owner is
	// an index into Entities.
	Operations map[string][]machine.Operation
	// Running has, for each millisecond, the entity that runs, or -1.
	Running []int
	// Measured has the measured energy of each millisecond. Truth has the energy that each entity
	// caused. A component's tail is caused by the entity that last used the component.
	Measured []units.Energy
	Truth    []units.Energy
}

const ms = int64(time.Millisecond)

// simulation is the state of a simulated phone.
type simulation struct {
	*Run
	rand    *rand.Rand
	parts   map[string]*part
	order   []*part
	entity  map[Entity]int
	threads []*thread
	cpu     units.Power
	now     int64 // milliseconds
	turn    int
}

// A thread is the state of a thread.
type thread struct {
	Thread
	// left is the remaining time of the step in milliseconds. begun is the start of the step.
	left, begun int64
	at          int
	started     bool
	// transfer is the transfer that the step waits for.
	transfer *transfer
}

// Simulate runs an app on a phone with the given model. cpu is the power of the processor while it
// runs. Equal seeds give equal runs.
func Simulate(d *model.Device, cpu units.Power, app App, seed uint64) *Run {
	r := rand.New(rand.NewPCG(seed, uint64(len(app.Threads))))
	s := &simulation{
		Run:  &Run{App: app.Name, Operations: make(map[string][]machine.Operation)},
		rand: r, parts: make(map[string]*part), entity: make(map[Entity]int),
	}
	s.cpu = units.Power(s.about(int64(cpu), powerSpread))
	for i := range d.Components {
		p := newPart(&d.Components[i], s)
		s.parts[p.name] = p
		s.order = append(s.order, p)
	}
	for i := range app.Threads {
		s.threads = append(s.threads, &thread{Thread: app.Threads[i]})
	}
	gain := 1 + r.NormFloat64()*meterGain
	for s.step(gain) {
	}
	for _, ops := range s.Operations {
		slices.SortStableFunc(ops, func(a, b machine.Operation) int { return int(a.Begin - b.Begin) })
	}
	return s.Run
}

// about returns a random number near x. spread is its relative standard deviation.
func (s *simulation) about(x int64, spread float64) int64 {
	return max(0, x+int64(float64(x)*spread*s.rand.NormFloat64()))
}

// step simulates a millisecond. It returns false when nothing runs and no energy is used.
func (s *simulation) step(gain float64) bool {
	runner := s.run()
	total, busy := units.Energy(0), false
	if s.Running = append(s.Running, runner); runner >= 0 {
		e := units.Energy(s.cpu) // one microwatt for a millisecond is one nanojoule
		total += e
		s.Truth[runner] += e
	}
	for _, p := range s.order {
		total += p.step(s)
		busy = busy || p.phase != resting
	}
	s.Measured = append(s.Measured, units.Energy(float64(total)*gain*(1+s.rand.NormFloat64()*meterSpread)))
	s.now++
	return busy || slices.ContainsFunc(s.threads, func(t *thread) bool { return t.at < len(t.Steps) })
}

// run advances the threads by a millisecond: all threads that wait, and one thread that computes.
// It returns the computing entity.
func (s *simulation) run() int {
	runner := -1
	for n := range s.threads {
		i := (s.turn + n) % len(s.threads)
		t := s.threads[i]
		for t.at < len(t.Steps) {
			step := &t.Steps[t.at]
			who := s.who(Entity{t.Process, t.Name, step.Routine})
			if !t.started {
				t.started, t.begun, t.left = true, s.now, step.For.Milliseconds()
			}
			if t.left > 0 {
				if step.Do == Compute {
					if runner >= 0 {
						break
					}
					runner, s.turn = who, i+1
				}
				t.left--
				break
			}
			ask, asked := asks[step.Do]
			if asked && t.transfer == nil {
				t.transfer = s.parts[ask.component].ask(s, ask.verb, who, step.KiB)
			}
			if asked && ask.waits && !t.transfer.done() {
				break
			}
			if asked {
				end := s.now
				if !ask.waits {
					end = t.begun + 1
				}
				s.Operations[ask.component] = append(s.Operations[ask.component], machine.Operation{
					Begin: t.begun * ms, End: end * ms, Verb: ask.verb, Bytes: step.KiB << 10, Handle: 1, Owner: machine.Owner(who),
				})
			}
			t.at, t.started, t.transfer = t.at+1, false, nil
		}
	}
	return runner
}

// who returns the index of an entity.
func (s *simulation) who(e Entity) int {
	i, ok := s.entity[e]
	if !ok {
		i = len(s.Entities)
		s.entity[e] = i
		s.Entities = append(s.Entities, e)
		s.Truth = append(s.Truth, 0)
	}
	return i
}
