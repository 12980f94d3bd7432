package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// What a component drains between two readings of its rail is, by the model, the sum over its states
// of their power times how long it was in each, of what bytes and packets drain beside, and of what
// it always draws. The operations of the run and the durations of the model say how long it was in
// which state; the powers are those, none below nothing, for which the sum comes nearest to the
// readings. A power that the readings do not tell apart from others, or leave in too wide a range,
// stays as the model has it.

// A Component is how a component agrees with what was measured of it, before and after its
// states were fitted.
type Component struct {
	Name string
	// Runs counts those that measured it and used it, Spans their times between two readings.
	Runs, Spans int
	// Measured is the sum of the readings, Before and After what the model says of it together
	// with Always.
	Measured, Before, After units.Energy
	// OffBefore and OffAfter are the root of the squares of what the model is off by in each span,
	// as a part of the root of the squares of what was measured. OffOther is the same for
	// each run by the powers that the others give; it counts where Runs is 2 or more.
	OffBefore, OffAfter, OffOther float64
	// Always is what the component draws whatever it does: at rest, and for others.
	Always units.Power
	States []State
	// Refused says why nothing can be told of the component; then it stays as it is.
	Refused string
}

// A State is what was found of what a state draws; PerLevel is set for what it draws for each step
// of the component's level.
type State struct {
	Name     string
	PerLevel bool
	// Time is how long the runs were in it.
	Time time.Duration
	// Before is what the model says, After what the runs say, give or take Deviation.
	Before, After, Deviation units.Power
	// Refused says why nothing can be told of it; then After is Before.
	Refused string
}

// The limits of what is taken for known.
const (
	// mostInflated is how much less may be known of a power for the others' sake.
	mostInflated = 1e4
	// mostUnsure is the standard deviation of a power that is known, as a part of it.
	mostUnsure = 0.25
	// spareSpans is by how many the spans exceed the powers.
	spareSpans = 2
)

// A row is a span: what was measured in it, how long the component was in each of its columns, and
// what bytes drained. Times are in seconds and energies in nJ; a microwatt for a second is a
// thousand nanojoules.
type row struct {
	run             int
	length          float64
	measured, bytes float64
	columns         []float64
}

// A column is a state, or what it draws for each step of a level.
type column struct {
	state    int
	perLevel bool
}

// Components returns a copy of a device whose components are fitted to runs, by what a table of
// triggers says that they ask, and how each component that was measured agrees with them.
func Components(ctx context.Context, runs []trace.Recording, d *model.Device, t *trigger.Table) (*model.Device, []Component, error) {
	rows := make([][]row, len(d.Components))
	columns := make([][]column, len(d.Components))
	for i := range d.Components {
		columns[i] = columnsOf(&d.Components[i])
	}
	for number, run := range runs {
		if err := take(ctx, number, run, d, t, columns, rows); err != nil {
			return nil, nil, err
		}
	}
	made := *d
	made.Components = slices.Clone(d.Components)
	var out []Component
	for i := range made.Components {
		if len(rows[i]) == 0 {
			continue
		}
		c, powers := component(&d.Components[i], columns[i], rows[i])
		if out = append(out, c); c.Refused == "" {
			made.Components[i] = with(&d.Components[i], columns[i], powers, c)
		}
	}
	return &made, out, nil
}

// columnsOf returns what is to be found of a component.
func columnsOf(c *model.Component) []column {
	var all []column
	for i, s := range c.States {
		if s.Kind == model.Base {
			continue
		}
		all = append(all, column{i, false})
		if s.PerLevel > 0 {
			all = append(all, column{i, true})
		}
	}
	return all
}

// take adds the spans of a run.
func take(ctx context.Context, number int, run trace.Recording, d *model.Device, t *trigger.Table, columns [][]column, rows [][]row) error {
	rails, err := energy.ReadRails(ctx, run, d)
	if err != nil {
		return err
	}
	spans, made := make([][]energy.Interval, len(d.Components)), make([][]row, len(d.Components))
	any := false
	for i := range d.Components {
		spans[i] = rails.Component(d.Components[i].Name)
		for _, s := range spans[i] {
			any = true
			made[i] = append(made[i], row{run: number, length: seconds(s.End - s.Begin), measured: float64(s.Measured), columns: make([]float64, len(columns[i]))})
		}
	}
	if !any {
		return nil
	}
	used := make([]bool, len(d.Components))
	hear := func(component int, s *machine.Stay) {
		used[component] = used[component] || len(spans[component]) > 0
		spread(spans[component], made[component], columns[component], &d.Components[component], s)
	}
	if _, err := energy.Meter(run, energy.Options{Device: d, Triggers: t, Stays: hear}).Scan(ctx, nowhere{}); err != nil {
		return err
	}
	for i := range made {
		if used[i] {
			rows[i] = append(rows[i], slices.DeleteFunc(made[i], func(r row) bool { return r.length <= 0 })...)
		}
	}
	return nil
}

// nowhere is a sink for scans that are made for what is heard.
type nowhere struct{}

func (nowhere) Events([]trace.Event) error   { return nil }
func (nowhere) Samples([]trace.Sample) error { return nil }

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// spread adds a stay to the spans that it lies in.
func spread(spans []energy.Interval, rows []row, columns []column, c *model.Component, s *machine.Stay) {
	at := sort.Search(len(spans), func(i int) bool { return spans[i].End > s.Begin })
	if s.End == s.Begin {
		if at < len(spans) && spans[at].Begin <= s.Begin {
			rows[at].bytes += float64(s.Energy)
		}
		return
	}
	state := &c.States[s.State]
	// What a level added says how high it was.
	level := 0.0
	if state.PerLevel > 0 {
		level = (float64(s.Energy)*1e6/float64(s.End-s.Begin) - float64(state.Power)) / float64(state.PerLevel)
	}
	for ; at < len(spans) && spans[at].Begin < s.End; at++ {
		length := seconds(min(s.End, spans[at].End) - max(s.Begin, spans[at].Begin))
		for j, col := range columns {
			if col.state != s.State {
				continue
			}
			if col.perLevel {
				rows[at].columns[j] += length * level
			} else {
				rows[at].columns[j] += length
			}
		}
	}
}

// component finds the powers of a component, and says how well.
func component(m *model.Component, columns []column, rows []row) (Component, []units.Power) {
	c := Component{Name: m.Name, Spans: len(rows)}
	before := make([]float64, len(columns)) // in µW
	for j, col := range columns {
		s := State{Name: m.States[col.state].Name, PerLevel: col.perLevel, Before: m.States[col.state].Power}
		if col.perLevel {
			s.Before = m.States[col.state].PerLevel
		}
		s.After, before[j] = s.Before, float64(s.Before)
		for _, r := range rows {
			if !col.perLevel {
				s.Time += time.Duration(r.columns[j] * 1e9)
			}
		}
		c.States = append(c.States, s)
	}
	last, met := -1, 0
	for _, r := range rows {
		c.Measured += units.Energy(r.measured)
		if r.run != last {
			last, c.Runs = r.run, c.Runs+1
		}
	}
	for j := range columns {
		if slices.ContainsFunc(rows, func(r row) bool { return r.columns[j] != 0 }) {
			met++
		}
	}
	switch {
	case met == 0:
		c.Refused = "no run used it between two readings"
	case len(rows) < met+1+spareSpans:
		c.Refused = fmt.Sprintf("%d intervals between readings are too few for %d powers; it takes %d", len(rows), met+1, met+1+spareSpans)
	case c.Measured == 0:
		c.Refused = "its meter read nothing"
	}
	if c.Refused != "" {
		return c, nil
	}
	found := powers(rows, len(columns), nil)
	after := slices.Clone(before)
	known := 0
	for j := range columns {
		s := &c.States[j]
		power, deviation := found.x[j+1], found.deviation[j+1]
		switch {
		case math.IsInf(found.inflation[j+1], 1):
			s.Refused = "the runs were never in it"
		case found.inflation[j+1] > mostInflated:
			s.Refused = "the runs do not tell it apart from others"
		case deviation > mostUnsure*max(power, before[j]):
			s.Refused = fmt.Sprintf("the readings leave it between %s and %s mW", units.Fixed(max(power-2*deviation, 0)/1000, 0), units.Fixed((power+2*deviation)/1000, 0))
		default:
			known++
			after[j] = math.Round(power)
			s.After, s.Deviation = units.Power(after[j]), units.Power(math.Round(deviation))
		}
	}
	if known == 0 {
		c.Refused = "the runs tell the power of none of its states"
	}
	always := constant(rows, after)
	c.Always = units.Power(math.Round(always))
	c.After, c.OffAfter = agreement(rows, after, always)
	c.Before, c.OffBefore = agreement(rows, before, constant(rows, before))
	if c.Runs > 1 {
		c.OffOther = other(rows, columns, before, c.States)
	}
	made := make([]units.Power, len(columns))
	for j := range made {
		made[j] = units.Power(after[j])
	}
	return c, made
}

// powers solves the system of all rows but those of a run that is left out; nil is none. The first
// number is what is always drawn.
func powers(rows []row, columns int, without *int) solution {
	var a []float64
	var b []float64
	for _, r := range rows {
		if without != nil && r.run == *without {
			continue
		}
		a = append(append(a, r.length), r.columns...)
		b = append(b, (r.measured-r.bytes)/1000)
	}
	return solve(mat.NewDense(len(b), columns+1, a), b)
}

// constant is what is always drawn beside what states draw: the mean of what is left, if that is
// not below nothing.
func constant(rows []row, powers []float64) float64 {
	left, length := 0.0, 0.0
	for _, r := range rows {
		left += r.length * (r.measured - r.says(powers, 0))
		length += r.length * r.length
	}
	return math.Max(left/length/1000, 0)
}

// says is what powers say of a span, in nJ.
func (r *row) says(powers []float64, always float64) float64 {
	sum := r.bytes + 1000*always*r.length
	for j, p := range powers {
		sum += 1000 * p * r.columns[j]
	}
	return sum
}

// agreement is what powers say of all spans, and by how much they are off.
func agreement(rows []row, powers []float64, always float64) (units.Energy, float64) {
	sum, off, all := 0.0, 0.0, 0.0
	for i := range rows {
		says := rows[i].says(powers, always)
		sum += says
		off += (rows[i].measured - says) * (rows[i].measured - says)
		all += rows[i].measured * rows[i].measured
	}
	return units.Energy(sum), math.Sqrt(off / all)
}

// other is by how much each run is off by the powers that the others give.
func other(rows []row, columns []column, before []float64, states []State) float64 {
	off, all := 0.0, 0.0
	for at := 0; at < len(rows); {
		run := rows[at].run
		found := powers(rows, len(columns), &run)
		by := slices.Clone(before)
		for j := range by {
			if states[j].Refused == "" && !math.IsInf(found.inflation[j+1], 1) {
				by[j] = found.x[j+1]
			}
		}
		left := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.run == run })
		always := constant(left, by)
		for ; at < len(rows) && rows[at].run == run; at++ {
			says := rows[at].says(by, always)
			off += (rows[at].measured - says) * (rows[at].measured - says)
			all += rows[at].measured * rows[at].measured
		}
	}
	return math.Sqrt(off / all)
}

// with returns a component with powers, each with its source.
func with(c *model.Component, columns []column, powers []units.Power, found Component) model.Component {
	out := *c
	out.States = slices.Clone(c.States)
	for j, col := range columns {
		if found.States[j].Refused != "" {
			continue
		}
		s := &out.States[col.state]
		if col.perLevel {
			s.PerLevel = powers[j]
		} else {
			s.Power = powers[j]
		}
		s.Source = fmt.Sprintf("fitted to %d intervals between readings of %d runs", found.Spans, found.Runs)
	}
	return out
}
