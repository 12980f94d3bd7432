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

// The noise of one run, where nothing better is known. docs/repeats.md says what it was
// measured on.
const (
	// TotalNoise is the relative standard deviation of what a run drains in all.
	TotalNoise = 0.2
	// RowNoise is the relative standard deviation of a row, on top of what few samples cause.
	RowNoise = 0.3
	// smallRow is the part of a run's total at which the variance of an instrumented row is
	// twice that of a large one.
	smallRow = 0.001
	// apart is the time between samples that the noise was measured at. Samples that are closer see
	// one operation, so that those of this time count as one.
	apart = 10 * time.Millisecond
	// mostSamples is how many samples a run may have for its figures to be multiples of one
	// sample's. Figures of more are rather fine than counted.
	mostSamples = 1_000_000
	// assumedSamples is how many samples a run is taken to have where nothing tells what its
	// figures are sums of.
	assumedSamples = 500
)

// A kind says what the figures of a run are made of.
type kind uint8

const (
	// unknown: sums of something that the recording does not tell.
	unknown kind = iota
	// sampled: sums of samples that can be counted.
	sampled
	// timed: times of calls, of which none is missing.
	timed
)

// A measured input gives the amounts of its rows, and how noisy they are.
type measured struct {
	*preprocess.Tree
	kind  kind
	total units.Energy
	// interval is the time between samples, and one their energy, where the recording does not
	// count them and tells so; else 0.
	interval time.Duration
	one      units.Energy
	// each is what a sample stands for, on the average of the run or at the least.
	each float64
	// clump is how many samples count as one.
	clump float64
	// timeAlone is whether energies are of the time of samples, and of nothing else.
	timeAlone bool
	// counted is whether numbers of calls are exact.
	counted bool
	// runs are the energies of several runs.
	runs []Run
	// innermost is as eflask.Innermost has it.
	innermost []int32
	// parts has the samples of parts of callbacks, and labels what methods are compared by.
	parts  map[part]float64
	labels map[trace.MethodID]string
}

// newMeasured tells what the figures of an input are made of. stated is whether the user states
// the noise of a run: then no number of samples is assumed.
func newMeasured(in *Input, stated bool) *measured {
	t := in.Tree
	m := &measured{Tree: t, total: in.Energy, runs: in.Runs, innermost: eflask.Innermost(t), counted: t.Source.Counted == trace.CountedCalls}
	switch {
	case t.Seen.Total() > 0:
		m.kind = sampled
		m.timeAlone = in.Components == nil && len(in.Trace.Accounts) <= 1 && t.CPU.Total()+t.Wall.Total() > 0
	case in.Trace.Technique == trace.Sampled && in.Trace.Interval > 0 && t.CPU.Total()+t.Wall.Total() > 0:
		m.kind, m.interval = sampled, in.Trace.Interval
	case in.Trace.Technique == trace.Sampled:
		// Samples that stand for equal amounts are counted by the amount.
		if one, _ := m.divisor(in.Trace.Unstated); one > 0 && m.total/one < mostSamples {
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
		one, amounts := m.divisor(in.Trace.Unstated)
		switch m.each = float64(one); {
		case !stated:
			m.each = max(m.each, float64(m.total)/assumedSamples)
		case amounts < leastAmounts:
			// A few round amounts show nothing of samples: at most, each unit is one.
			m.each = min(m.each, 1)
		}
	}
	m.countParts()
	return m
}

// orNothing makes a run without energy one that tells nothing: it may have been recorded wrongly,
// and any row of the other run may be missing in it.
func (m *measured) orNothing(other *measured) {
	if m.total == 0 {
		m.kind, m.each = unknown, float64(other.total)
	}
}

// all is how many samples a node has with what it calls.
func (m *measured) all(v int32) float64 {
	if m.kind != sampled {
		return 0
	}
	return m.count(m.Energy.All(v), m.CPU.All(v), m.Wall.All(v), m.Seen.All(v))
}

// self is how many samples a node of the tree, or of its source, has by itself.
func (m *measured) self(of *cct.Measures, v int32) float64 {
	if m.kind != sampled {
		return 0
	}
	return m.count(of.Energy.Self(v), of.CPU.Self(v), of.Wall.Self(v), of.Seen.Self(v))
}

// count is a number of samples by what they add up to.
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

// leastAmounts is how many amounts of a stated unit a recording needs for their common divisor to
// tell that they are numbers of samples: a few round amounts have one by themselves. One or two are taken for samples:
// nothing tells more of them.
const leastAmounts = 20

// divisor is the largest amount that the energies of all nodes are multiples of: numbers of
// samples that were written down as amounts are multiples of one sample. It is 0 for few
// amounts of a stated unit. amounts is how many nodes have energy, as far as it takes to find the divisor.
func (m *measured) divisor(unstated bool) (divisor units.Energy, amounts int) {
	for v := range int32(len(m.Source.Nodes)) {
		e := m.Source.Energy.Self(v)
		if e != 0 {
			amounts++
		}
		for e != 0 {
			divisor, e = e, divisor%e
		}
		if divisor == 1 {
			break
		}
	}
	if amounts > 2 && amounts < leastAmounts && !unstated {
		return 0, amounts
	}
	return divisor, amounts
}

// whole is the amount of the run.
func (m *measured) whole() amount {
	return amount{energy: m.total, samples: m.all(cct.Root), runs: totals(m.runs)}
}

// none is the amount of a row that the run does not have.
func (m *measured) none() amount { return amount{absent: true, runs: make([]float64, len(m.runs))} }

// task is the amount of a task, by its node; -1 is none.
func (m *measured) task(v int32) amount {
	if v < 0 {
		return m.none()
	}
	a := amount{energy: m.Energy.All(v), samples: m.all(v), runs: inRuns(m.Tree, v)}
	if m.counted {
		a.calls = m.Calls.Self(v)
	}
	return a
}

// code is the amount of a row of app code; nil is none.
func (m *measured) code(side *appcode.Side) amount {
	if side == nil {
		return m.none()
	}
	a := amount{energy: side.Energy, runs: floats(side.Runs())}
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

// A part is what an A-method, by the label that it is compared by, has by itself in a callback.
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

// countParts counts the samples of the parts of callbacks.
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

// system is the amount of what the system used by itself: Summary.Outside.System.
func (m *measured) system() amount {
	return m.nodes(func(v int32) bool {
		switch m.Nodes[v].Kind {
		case preprocess.App, preprocess.Recorder, preprocess.Idle, preprocess.Toplevel:
			return false
		}
		return m.innermost[v] < 0
	})
}

// nodes adds up what some nodes have by themselves.
func (m *measured) nodes(has func(int32) bool) amount {
	a := amount{runs: make([]float64, len(m.runs))}
	for v := range int32(len(m.Nodes)) {
		if !has(v) {
			continue
		}
		a.energy += m.Energy.Self(v)
		a.samples += m.self(&m.Measures, v)
		if m.Repeats() == len(a.runs) {
			for k := range a.runs {
				a.runs[k] += float64(m.InRun(k).Self(v))
			}
		}
	}
	return a
}

// reading is a row of the run as a figure with its noise. deviation is what the whole row varies
// by, other what the other run has of the row.
func (m *measured) reading(a amount, deviation float64, otherRun *measured, other amount) repeats.Reading {
	r := repeats.Reading{Figure: float64(a.energy), Common: deviation * deviation, Calls: float64(a.calls)}
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
		// Calls are exact: what was not called has no noise.
		if !a.absent {
			r.Quantum = r.Common * smallRow * float64(m.total)
		}
	default:
		r.Quantum = m.each
	}
	runs := float64(max(len(m.runs), 1))
	r.Common /= runs
	r.Quantum /= runs
	return r
}
