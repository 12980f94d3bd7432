package metered

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A world is a simulated app with the true energies of its lines.
type world struct {
	simulation
	random  *rand.Rand
	methods []*simMethod
	opcodes [simOpcodes]float64 // opcodes has the energy of each opcode, in nJ.
	// truth has the energy of each line, in nJ.
	truth map[place]float64
	// spent has the periods of constant power, in order. The power does not include the idle
	// device.
	spent   []spent
	paths   []trace.Path
	times   []trace.PathTime
	index   map[string]int
	now     float64 // ns
	events  int
	eventNJ float64
	// calls are the simulated calls of input and of sleep. The calls of input use callNJ.
	calls  []trace.Invocation
	callNJ float64
	// bursts are times in which the recorder uses burstWatt.
	bursts []trace.Burst
}

// A simulation describes what to simulate.
type simulation struct {
	seed    uint64
	rate    float64 // of the meter, in Hz
	seconds float64
	// spread is how much the energy of an opcode varies from place to place. power is how much the
	// power of lines varies. Both are standard deviations of logarithms.
	spread, power float64
	methodCount   int
	seeded        int     // the number of events
	input         bool    // Some lines read and sleep.
	plain         bool    // The map has no opcodes.
	noise         float64 // the noise of the meter, as a part of the energy of a period
	busy          float64 // the part of the time in which the app runs
	late          int64   // the time in ns by which the clock of the meter is fast
	cost          float64 // the energy of an opcode in nJ; 0 means 20,000
	run           uint64  // distinguishes runs of one app
	// change changes the generated app before it runs. It may be nil.
	change func(w *world)
}

type spent struct {
	begin, end, energy float64
	at                 place // the line that used the energy
}

const (
	simOpcodes = 40
	idleWatt   = 0.3
	busyWatt   = 1.0
	burstWatt  = 2.5
)

// A simMethod is a method: a list of statements.
type simMethod struct {
	id    trace.MethodID
	body  []*statement
	lines int32
}

// A statement is a line, a branch, or a loop.
type statement struct {
	line     int32
	codes    []byte
	energy   float64 // of one execution, nJ
	watt     float64
	then, no []*statement
	chance   float64
	loop     []*statement
	rounds   int
	calls    *simMethod
}

func (w *world) block(m *simMethod, depth, length int) []*statement {
	var out []*statement
	for range length {
		m.lines++
		s := &statement{line: m.lines, watt: busyWatt * math.Exp(w.power*w.random.NormFloat64())}
		for range 2 + w.random.IntN(12) {
			// Few opcodes are frequent.
			code := byte(w.random.IntN(simOpcodes) * w.random.IntN(simOpcodes) / simOpcodes)
			s.codes = append(s.codes, code)
			s.energy += w.opcodes[code] * math.Exp(w.spread*w.random.NormFloat64()-w.spread*w.spread/2)
		}
		if depth > 0 {
			switch w.random.IntN(6) {
			case 0, 1:
				s.chance = 0.2 + 0.6*w.random.Float64()
				s.then = w.block(m, depth-1, 1+w.random.IntN(3))
				if w.random.IntN(2) == 0 {
					s.no = w.block(m, depth-1, 1+w.random.IntN(3))
				}
			case 2:
				s.loop, s.rounds = w.block(m, depth-1, 1+w.random.IntN(3)), 1+w.random.IntN(6)
			}
		}
		if len(w.methods) > 4 && w.random.IntN(25) == 0 {
			s.calls = w.methods[w.random.IntN(len(w.methods)/2)]
		}
		out = append(out, s)
	}
	return out
}

// simulate runs the app.
func simulate(o simulation) *world {
	w := &world{simulation: o, random: rand.New(rand.NewPCG(o.seed, 77)), truth: make(map[place]float64), index: make(map[string]int)}
	for i := range w.opcodes {
		w.opcodes[i] = cmp.Or(o.cost, 20_000) * math.Exp(0.7*w.random.NormFloat64())
	}
	for i := range o.methodCount {
		m := &simMethod{id: trace.MethodID(i)}
		m.body = w.block(m, 2, 3+w.random.IntN(5))
		w.methods = append(w.methods, m)
	}
	if o.change != nil {
		o.change(w)
	}
	if o.run > 0 {
		w.random = rand.New(rand.NewPCG(o.seed, 1000+o.run))
	}
	zipf := rand.NewZipf(w.random, 1.2, 4, uint64(o.methodCount-1))
	end := o.seconds * 1e9
	for w.now < end*0.98 {
		work := w.now + end/400*(0.3+w.random.Float64())*o.busy
		for w.now < work && w.now < end*0.98 {
			w.call(w.methods[int(zipf.Uint64())], 0)
		}
		w.now += end / 400 * (0.3 + w.random.Float64()) * (1 - o.busy)
	}
	return w
}

// call runs a method.
func (w *world) call(m *simMethod, depth int) {
	p := &walk{world: w, m: m, begin: w.now, depth: depth}
	p.statements(m.body)
	p.end(false)
}

// A walk is an activation of a method, with its current path.
type walk struct {
	*world
	m     *simMethod
	begin float64
	depth int
	lines []int32
	codes [][]byte
}

func (p *walk) statements(list []*statement) {
	for _, s := range list {
		p.enter(s)
		switch {
		case s.loop != nil:
			for range 1 + p.random.IntN(s.rounds) {
				p.statements(s.loop)
				p.end(false) // the jump back
				p.enter(s)
			}
		case s.then != nil && p.random.Float64() < s.chance:
			p.statements(s.then)
		case s.no != nil:
			p.statements(s.no)
		}
		if s.calls != nil && p.depth < 3 {
			p.call(s.calls, p.depth+1)
		}
	}
}

func (p *walk) enter(s *statement) {
	p.lines = append(p.lines, s.line)
	if !p.plain {
		p.codes = append(p.codes, s.codes)
	}
	p.input(s)
	energy := s.energy * math.Exp(0.08*p.random.NormFloat64())
	p.truth[place{p.m.id, s.line}] += energy
	p.spend(energy, energy/s.watt, place{p.m.id, s.line})
	if p.events < p.seeded && p.now > p.seconds*1e9*float64(p.events+1)/float64(p.seeded+1) {
		p.events++
		energy := 6.44e6 + 4.86e6*p.random.Float64()
		if p.events%2 == 0 {
			energy = 20e6 + 61e6*p.random.Float64()
		}
		p.eventNJ += energy
		p.spend(energy, energy/busyWatt, place{})
	}
}

func (w *world) spend(energy, time float64, at place) {
	w.spent = append(w.spent, spent{w.now, w.now + time, energy, at})
	w.now += time
}

func (p *walk) end(continues bool) {
	key := fmt.Sprint(p.m.id, p.lines)
	i, known := p.index[key]
	if !known {
		i = len(p.paths)
		p.index[key] = i
		p.paths = append(p.paths, trace.Path{Method: p.m.id, Lines: p.lines, Opcodes: p.codes, Continues: continues})
	}
	p.paths[i].Count++
	p.paths[i].Wall += int64(p.now - p.begin)
	p.times = append(p.times, trace.PathTime{Path: i, Enter: int64(p.begin), Exit: int64(p.now)})
	p.begin, p.lines, p.codes = p.now, nil, nil
}

// Scan implements trace.Recording, with paths and with the signals of the meter.
func (w *world) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Paths: true, Elapsed: 0, Bursts: w.bursts}
	for _, m := range w.methods {
		tr.Methods = append(tr.Methods, w.method(m))
	}
	tr.Methods = append(tr.Methods, name.OfClass("java.io.InputStream", "read", "()I"), name.OfClass("java.lang.Thread", "sleep", "(J)V"))
	tr.Elapsed = 0
	if p := trace.Paths(sink); p != nil {
		if err := p.Paths(w.paths); err != nil {
			return nil, err
		}
		if err := p.PathTimes(w.times); err != nil {
			return nil, err
		}
		if err := p.Invocations(w.calls); err != nil {
			return nil, err
		}
		if err := p.PathCost(trace.PathCost{}); err != nil {
			return nil, err
		}
	}
	if s := trace.Signals(sink); s != nil {
		if err := s.Track(trace.Track{Name: "meter", Component: "device"}); err != nil {
			return nil, err
		}
		if err := s.Signals(w.signals()); err != nil {
			return nil, err
		}
	}
	return tr, nil
}

// signals returns the readings of the meter.
func (w *world) signals() []trace.Signal {
	random := rand.New(rand.NewPCG(w.seed, 99+w.run))
	period := 1e9 / w.rate
	n := int(w.seconds * w.rate)
	energy := make([]float64, n+1)
	for _, s := range w.spent {
		for k := int(s.begin / period); k <= n && float64(k)*period < s.end; k++ {
			from, to := math.Max(s.begin, float64(k)*period), math.Min(s.end, float64(k+1)*period)
			if s.end > s.begin {
				energy[k] += s.energy * (to - from) / (s.end - s.begin)
			}
		}
	}
	for _, b := range w.bursts {
		for k := int(float64(b.Begin) / period); k <= n && float64(k)*period < float64(b.End); k++ {
			energy[k] += burstWatt * (math.Min(float64(b.End), float64(k+1)*period) - math.Max(float64(b.Begin), float64(k)*period))
		}
	}
	out := []trace.Signal{{Time: w.late, Kind: trace.Drain}}
	sum := 0.0
	for k := range n {
		e := (energy[k] + idleWatt*period*(1+0.02*random.NormFloat64())) * (1 + w.noise*random.NormFloat64())
		sum += math.Max(e, 0)
		out = append(out, trace.Signal{Time: int64(float64(k+1)*period) + w.late, Value: int64(sum), Kind: trace.Drain})
	}
	return out
}

// A score compares the figures of rows with the true energies. held counts the shown intervals that
// contain the true energy. errors has the relative errors of lines with at least a thousandth of
// the energy, sorted.
type score struct {
	held, shown, lines int
	errors             []float64
}

func (w *world) score(r *Result) score {
	var sc score
	total := 0.0
	for _, e := range w.truth {
		total += e
	}
	for _, row := range r.Rows {
		var id int
		_, _ = fmt.Sscanf(row.Method.Name, "m%d", &id)
		truth := w.truth[place{trace.MethodID(id), int32(row.Line)}]
		sc.lines++
		if row.Close {
			sc.shown++
			if truth >= float64(row.Least) && truth <= float64(row.Most) {
				sc.held++
			}
		}
		if truth >= total/1000 {
			sc.errors = append(sc.errors, math.Abs(float64(row.Energy)-truth)/truth)
		}
	}
	sort.Float64s(sc.errors)
	return sc
}

// method returns the method of a recording.
func (w *world) method(m *simMethod) name.Method {
	return name.OfClass("com.mine.Sim", m.name(), "()V")
}

func (m *simMethod) name() string { return fmt.Sprintf("m%d", m.id) }
