// Package phone simulates a phone whose power is known at each moment, to hold the policies
// of energy accounting to the truth as eprof's Figures 8 and 9 do (Pathak et al., EuroSys
// 2012, Section 6.2).
//
// The phone is what a power model says, and yet not quite: each ramp, tail and transfer lasts
// somewhat longer or shorter, and drains somewhat more or less, as eprof measured two runs of
// one app to differ (Section 4.1). It steps through the milliseconds of a run, apart from
// the machines of package machine, and knows for each who caused what was drained: the
// truth that the accounting has to find from the operations and the model alone.
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

// How much ramps, tails, transfers and powers of two runs differ, as standard deviations in
// parts of the whole: eprof's Section 4.1 has 61 and 60 µAh for a ramp, 187 and 200 for a tail,
// 55 and 60 for five sends. A meter adds its own.
const (
	rampSpread     = 0.02
	tailSpread     = 0.05
	transferSpread = 0.06
	powerSpread    = 0.03
	meterSpread    = 0.02
	meterGain      = 0.005
)

// An Entity is who may be charged: a routine that a thread of a process runs.
type Entity struct{ Process, Thread, Routine string }

// An App is threads that run at a time.
type App struct {
	Name    string
	Threads []Thread
}

// A Thread does one step after the other.
type Thread struct {
	Process, Name string
	Steps         []Step
}

// A Step is what a routine does.
type Step struct {
	Routine string
	Do      Action
	// For is how long a computation or a sleep takes, and how long a receive waits.
	For time.Duration
	KiB int64
}

// An Action is what a step does.
type Action uint8

// The actions. The last ones ask a component for something.
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

// asks says which component and verb an action asks for, and whether the thread waits until
// it is done.
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

// A Run is what a recording and a meter tell of a run of an app, and the truth.
type Run struct {
	App string
	// Entities are who Operations, Running and Truth speak of.
	Entities []Entity
	// Operations are those of each component, in order of their beginning. The owner is an
	// index of Entities.
	Operations map[string][]machine.Operation
	// Running says for each millisecond who runs, -1 if nobody does.
	Running []int
	// Measured is what a meter shows of each millisecond, Truth what each entity caused: the
	// tail of a component belongs to the last one that used it.
	Measured []units.Energy
	Truth    []units.Energy
}

const ms = int64(time.Millisecond)

// simulation is a phone at work.
type simulation struct {
	*Run
	rand    *rand.Rand
	parts   map[string]*part
	order   []*part
	entity  map[Entity]int
	threads []*thread
	cpu     units.Power
	now     int64 // in milliseconds
	turn    int
}

// A thread is how far a thread has come.
type thread struct {
	Thread
	// left is how long the step still takes, in milliseconds, begun when it began.
	left, begun int64
	at          int
	started     bool
	// transfer is what the step waits for.
	transfer *transfer
}

// Simulate runs an app on a phone like the model says, whose processor draws so much while it
// runs. Equal seeds are equal runs.
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

// about is a number near another.
func (s *simulation) about(x int64, spread float64) int64 {
	return max(0, x+int64(float64(x)*spread*s.rand.NormFloat64()))
}

// step is a millisecond. It is false once nobody does anything and nothing is drained.
func (s *simulation) step(gain float64) bool {
	runner := s.run()
	total, busy := units.Energy(0), false
	if s.Running = append(s.Running, runner); runner >= 0 {
		e := units.Energy(s.cpu) // a microwatt for a millisecond is a nanojoule
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

// run lets the threads come one millisecond further: all that wait, and one that computes.
// It returns who computes.
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

// who numbers an entity.
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
