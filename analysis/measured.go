package analysis

import (
	"cmp"
	"time"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The assumed noise of a single run. docs/repeats.md lists the rules for one run.
const (
	// TotalNoise is the relative standard deviation of the energy of a run.
	TotalNoise = 0.2
	// RowNoise is the relative standard deviation of a row, in addition to the effect of few
	// samples.
	RowNoise = 0.3
	// smallRow is a row's share of its run's total. An instrumented row with this share has twice
	// the variance of a large row.
	smallRow = 0.001
	// apart is the shortest time between two samples that count as independent. It was measured on
	// repeated runs. Closer samples observe the same operation, so all samples within this time
	// count as one.
	apart = 2 * time.Millisecond
	// maxSamples is the largest plausible number of samples. If the common divisor of the figures
	// implies more, the figures are finely resolved quantities instead of counts.
	maxSamples = 1_000_000
	// assumedSamples is the number of samples that is assumed for a run whose recording does not
	// state the source of its figures.
	assumedSamples = 500
)

// A kind says what the recorded numbers of a run (its figures) are, such as sums of samples.
type kind uint8

const (
	// unknown means that the recording does not state the source of its figures.
	unknown kind = iota
	// sampled means sums of samples. The number of samples is known.
	sampled
	// timed means measured times of calls. The recording has every call.
	timed
	// counts means numbers of calls times costs. The recording has every call.
	counts
)

// measured computes the energies of an input's rows, and their noise.
type measured struct {
	*preprocess.Tree
	kind  kind
	total units.Energy
	// interval is the time between samples. The field one is the energy of a sample. Each is 0
	// unless the recording states it. Both are 0 if the recording counts samples.
	interval time.Duration
	one      units.Energy
	// each is the energy of a sample: the mean over the run, or a lower bound of it.
	each float64
	// clump is the number of samples that count as one because they are closer than apart.
	clump float64
	// timeAlone is true if energy is proportional to the time of samples.
	timeAlone bool
	// counted is true if the numbers of calls are exact.
	counted bool
	// factor is the factor of a scaled run, by which its numbers of calls are multiplied. 0 means 1.
	factor float64
	// runs are the runs of an input with several runs.
	runs []Run
	// innermost is the result of eflask.Innermost.
	innermost []int32
	// parts has the number of samples of each part. labels has, for each method, the label by which
	// the two runs compare it.
	parts  map[part]float64
	labels map[trace.MethodID]string
	// squares has the variance of each node including its callees. apis has the energy and the
	// calls of each method. Both are set only if kind is counts.
	squares []float64
	apis    map[string]*apiSum
}

// newMeasured finds the source of an input's figures and prepares the energies of its rows. stated
// has the same meaning as in newFigures.
func newMeasured(in *Input, stated bool) *measured {
	m := newFigures(in, stated)
	m.innermost = eflask.Innermost(m.Tree)
	m.countParts()
	if m.kind == counts {
		m.newCounts()
	}
	return m
}

// newFigures finds the source of an input's figures. stated is true if the user states the noise of
// a run. newFigures then assumes no number of samples.
func newFigures(in *Input, stated bool) *measured {
	t := in.Tree
	m := &measured{Tree: t, total: in.Energy, runs: in.Runs, counted: t.Source.Counted == trace.CountedCalls}
	if in.Scale != nil && in.Scale.counted && len(in.Runs) == 0 {
		m.counted, m.factor = true, in.Scale.Factor()
	}
	switch {
	case exactCosts(in) && !stated:
		m.kind = counts
	case t.Seen.Total() > 0:
		m.kind = sampled
		// A sample of cycles states its count, which waiting does not change.
		m.timeAlone = in.Trace.Clock&trace.Cycles == 0 && in.Components == nil && len(in.Trace.Accounts) <= 1 && t.CPU.Total()+t.Wall.Total() > 0
	case in.Trace.Technique == trace.Sampled && in.Trace.Interval > 0 && t.CPU.Total()+t.Wall.Total() > 0:
		m.kind, m.interval = sampled, in.Trace.Interval
	case in.Trace.Technique == trace.Sampled:
		// If all samples have equal amounts, the common divisor of the figures is one sample.
		if one, _ := m.divisor(in); one > 0 && m.total/one < maxSamples {
			m.kind, m.one = sampled, one
		}
	case m.counted || in.Trace.Technique == trace.Instrumented:
		m.kind = timed
	}
	switch m.kind {
	case sampled:
		n := max(m.all(cct.Root), 1)
		m.each, m.clump = float64(m.total)/n, 1
		if spent := cmp.Or(t.CPU.Total(), t.Wall.Total()); spent > 0 {
			m.clump = max(1, float64(apart)*n/float64(spent))
		}
	case unknown:
		one, amounts := m.divisor(in)
		switch m.each = float64(one); {
		case !stated:
			m.each = max(m.each, float64(m.total)/assumedSamples)
		case amounts < minAmounts:
			// Few round amounts are no evidence of samples. A sample is then at most one unit.
			m.each = min(m.each, 1)
		}
	}
	return m
}

// markEmpty marks a run without energy as unknown. Any row of the other run may be missing in it
// because the recording is faulty.
func (m *measured) markEmpty(other *measured) {
	if m.total == 0 {
		m.kind, m.each = unknown, float64(other.total)
	}
}

// all returns the number of samples in a node and its callees.
func (m *measured) all(v int32) float64 { return m.within(&m.Measures, v) }

// self returns the number of samples in a node, without its callees.
func (m *measured) self(measures *cct.Measures, v int32) float64 {
	if m.kind != sampled {
		return 0
	}
	return m.count(measures.Energy.Self(v), measures.CPU.Self(v), measures.Wall.Self(v), measures.Seen.Self(v))
}

// within returns the number of samples in a node and its callees. measures must be those of the
// node's tree, which is m.Tree or its source.
func (m *measured) within(measures *cct.Measures, v int32) float64 {
	if m.kind != sampled {
		return 0
	}
	return m.count(measures.Energy.All(v), measures.CPU.All(v), measures.Wall.All(v), measures.Seen.All(v))
}

// count converts the summed energy or times of samples to a number of samples. seen is their number
// if the recording counts samples.
func (m *measured) count(energy units.Energy, cpu, wall time.Duration, seen int64) float64 {
	switch {
	case m.one > 0:
		return float64(energy) / float64(m.one)
	case m.interval == 0:
		return float64(seen)
	case m.CPU.Total() > 0:
		return float64(cpu) / float64(m.interval)
	}
	return float64(wall) / float64(m.interval)
}

// minAmounts is the smallest number of amounts whose common divisor is taken as the energy of one
// sample, if the recording states a unit. Fewer round amounts have a common divisor by chance. One
// or two amounts are accepted, because nothing else is known about them.
const minAmounts = 20

// divisor returns the greatest common divisor of the amounts of all nodes, as an energy. If a
// recording has numbers of samples as amounts, this is the energy of one sample. Amounts are times
// if energy is proportional to time, and energies otherwise.
//
// The divisor is 0 if the amounts have a unit but there are fewer than minAmounts. One or two
// amounts are enough. amounts is the number of nodes with an amount, up to the node at which the
// divisor reaches 1.
func (m *measured) divisor(in *Input) (divisor units.Energy, amounts int) {
	amount := func(v int32) int64 { return int64(m.Source.Energy.Self(v)) }
	times := in.Components == nil && len(in.Trace.Accounts) <= 1 && m.CPU.Total() > 0
	if times {
		amount = func(v int32) int64 { return int64(m.Source.CPU.Self(v)) }
	}
	common := int64(0)
	for v := range int32(len(m.Source.Nodes)) {
		x := amount(v)
		if x != 0 {
			amounts++
		}
		for x != 0 {
			common, x = x, common%x
		}
		if common == 1 {
			break
		}
	}
	if amounts > 2 && amounts < minAmounts && !in.Trace.Unstated {
		return 0, amounts
	}
	if times {
		return units.Energy(units.MulDiv(int64(m.total), common, int64(m.CPU.Total()))), amounts
	}
	return units.Energy(common), amounts
}

// whole returns the amount of the whole run.
func (m *measured) whole() amount {
	return amount{energy: m.total, samples: m.all(cct.Root), runs: totals(m.runs), squares: m.subtree(cct.Root)}
}

// none returns the amount of a row that this run lacks.
func (m *measured) none() amount { return amount{absent: true, runs: make([]float64, len(m.runs))} }

// task returns the amount of the task at node v. -1 means that the run lacks the task.
func (m *measured) task(v int32) amount {
	if v < 0 {
		return m.none()
	}
	a := amount{energy: m.Energy.All(v), samples: m.all(v), runs: inRuns(m.Tree, v), squares: m.subtree(v)}
	if m.counted {
		a.calls = m.Calls.Self(v)
	}
	return a
}

// code returns the amount of a row of app code. nil means that the run lacks the row.
func (m *measured) code(side *appcode.Side) amount {
	if side == nil {
		return m.none()
	}
	a := amount{energy: side.Energy, runs: floats(side.Runs()), squares: squares(side.Energy, side.Calls)}
	if m.counted {
		a.calls = side.Calls
	}
	for _, p := range side.Parts {
		if m.kind != sampled {
			break
		}
		a.samples += m.parts[m.part(p.Node, p.Method)]
	}
	return a
}

// A part identifies an app method under one callback. node is the callback's node. label is the
// label by which the two runs compare the method.
type part struct {
	node  int32
	label string
}

func (m *measured) part(node int32, method trace.MethodID) part {
	if m.labels[method] == "" {
		known := m.Compared(method)
		m.labels[method] = known.Label()
	}
	return part{node, m.labels[method]}
}

// countParts counts the samples of each part.
func (m *measured) countParts() {
	m.parts, m.labels = make(map[part]float64), make(map[trace.MethodID]string)
	if m.kind != sampled {
		return
	}
	actors := m.Actors()
	for v := int32(1); int(v) < len(m.Nodes); v++ {
		if m.Nodes[v].Kind != preprocess.App {
			continue
		}
		for _, o := range m.Originals(v) {
			m.parts[m.part(v, m.Source.Nodes[actors[o]].Method)] += m.self(&m.Source.Measures, o)
		}
	}
}

// system returns the amount of Summary.Outside.System, the system's own energy.
func (m *measured) system() amount {
	return m.nodes(func(v int32) bool {
		switch m.Nodes[v].Kind {
		case preprocess.App, preprocess.Recorder, preprocess.Idle, preprocess.Toplevel:
			return false
		}
		return m.innermost[v] < 0
	})
}

// nodes sums the exclusive amounts of the selected nodes.
func (m *measured) nodes(has func(int32) bool) amount {
	a := amount{runs: make([]float64, len(m.runs))}
	for v := range int32(len(m.Nodes)) {
		if !has(v) {
			continue
		}
		a.energy += m.Energy.Self(v)
		a.samples += m.self(&m.Measures, v)
		a.squares += squares(m.Energy.Self(v), m.Calls.Self(v))
		if m.Repeats() == len(a.runs) {
			for k := range a.runs {
				a.runs[k] += float64(m.InRun(k).Self(v))
			}
		}
	}
	return a
}

// reading returns the energy of a row with its noise. a is the row's amount in this run. other is
// its amount in otherRun. deviation is the relative standard deviation of the whole row.
func (m *measured) reading(a amount, deviation float64, otherRun *measured, other amount) repeats.Reading {
	r := repeats.Reading{Figure: float64(a.energy), Fixed: float64(a.fixed), Common: deviation * deviation, Calls: float64(a.calls)}
	if m.factor > 0 {
		r.Calls, r.Event = r.Calls*m.factor, m.factor
	}
	switch m.kind {
	case sampled:
		switch {
		case a.samples > 0 && a.energy > 0:
			r.Quantum = float64(a.energy) / a.samples
		case otherRun.kind == sampled && other.samples > 0 && other.energy > 0:
			r.Quantum = float64(other.energy) / other.samples
		default:
			r.Quantum = m.each
		}
		r.Quantum *= m.clump
	case timed:
		// Calls are counted exactly, so a method that was not called has no noise.
		if !a.absent {
			r.Quantum = r.Common * smallRow * float64(m.total)
		}
	case counts:
		r.Quantum = a.each
		if a.energy > a.fixed {
			r.Quantum = a.squares / float64(a.energy-a.fixed)
		}
	default:
		r.Quantum = m.each
	}
	runs := float64(max(len(m.runs), 1))
	r.Common /= runs
	r.Quantum /= runs
	return r
}
