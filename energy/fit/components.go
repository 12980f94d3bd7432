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

// The model predicts the energy of a component between two readings of its rail. The prediction is
// the sum of power times time over the states, plus the energy of bytes and packets, plus a
// constant power. The time in each state follows from the operations of the run and the durations
// in the model. The fitted powers are the non-negative least-squares solution. Two kinds of powers
// keep their values in the model: those that the readings cannot separate from others, and those
// whose fitted values are too uncertain.

// A Component compares a component's modelled energy with the measured energy, before and after
// fitting.
type Component struct {
	Name string
	// Runs counts the runs that measured the component and used it. Spans counts the intervals
	// between two readings.
	Runs, Spans int
	// Measured is the measured energy of all spans. Before and After are the modelled energies,
	// including the constant power Always.
	Measured, Before, After units.Energy
	// OffBefore and OffAfter are the root mean square error over the spans, divided by the root
	// mean square of the measured energies. OffOther is the same error in cross-validation: the
	// energy of each run is predicted from the other runs. It is valid if Runs is at least 2.
	OffBefore, OffAfter, OffOther float64
	// Always is the constant power of the component. It includes the power at rest, and the power
	// that other apps cause.
	Always units.Power
	States []State
	// Refused explains why the component was not fitted. It is empty if the component was fitted.
	Refused string
}

// A State is the fitted power of a state. If PerLevel is set, it is the additional power per step
// of the component's level.
type State struct {
	Name     string
	PerLevel bool
	// Time is the time that the runs spent in the state.
	Time time.Duration
	// Before is the power in the model. After is the fitted power, and Deviation is its standard
	// deviation.
	Before, After, Deviation units.Power
	// Refused explains why the power was not fitted. In this case, After equals Before.
	Refused string
}

// These are limits for accepting a fitted power.
const (
	// maxInflated bounds the variance inflation of a power by the other powers.
	maxInflated = 1e4
	// maxDeviation bounds the standard deviation of a power, as a fraction of the power.
	maxDeviation = 0.25
	// A fit needs at least spareSpans more spans than powers.
	spareSpans = 2
)

// A row is a span. It has the measured energy, the time in each column, and the energy of bytes.
// Times are in seconds and energies in nJ. A microwatt over a second is a thousand nanojoules.
type row struct {
	run             int
	length          float64
	measured, bytes float64
	columns         []float64
}

// A column is an unknown of the fit: the power of a state, or its power per step of a level.
type column struct {
	state    int
	perLevel bool
}

// Components returns a copy of a device whose components are fitted to runs. It also returns a
// comparison with the measured energy for each measured component. t defines which calls in the
// runs are operations.
func Components(ctx context.Context, runs []trace.Recording, d *model.Device, t *trigger.Table) (*model.Device, []Component, error) {
	rows := make([][]row, len(d.Components))
	columns := make([][]column, len(d.Components))
	for i := range d.Components {
		columns[i] = columnsOf(&d.Components[i])
	}
	for number, run := range runs {
		if err := addSpans(ctx, number, run, d, t, columns, rows); err != nil {
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
			made.Components[i] = withPowers(&d.Components[i], columns[i], powers, c)
		}
	}
	return &made, out, nil
}

// columnsOf returns the unknowns of a component.
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

// addSpans adds the spans of a run to rows. number is the index of the run.
func addSpans(ctx context.Context, number int, run trace.Recording, d *model.Device, t *trigger.Table, columns [][]column, rows [][]row) error {
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
	listen := func(component int, s *machine.Interval) {
		used[component] = used[component] || len(spans[component]) > 0
		addInterval(spans[component], made[component], columns[component], &d.Components[component], s)
	}
	if _, err := energy.Meter(run, energy.Options{Device: d, Triggers: t, Intervals: listen}).Scan(ctx, discard{}); err != nil {
		return err
	}
	for i := range made {
		if used[i] {
			rows[i] = append(rows[i], slices.DeleteFunc(made[i], func(r row) bool { return r.length <= 0 })...)
		}
	}
	return nil
}

// discard is a sink that discards everything.
type discard struct{}

func (discard) Events([]trace.Event) error   { return nil }
func (discard) Samples([]trace.Sample) error { return nil }

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// addInterval adds the time and energy of an interval to the rows of the spans that it overlaps.
func addInterval(spans []energy.Interval, rows []row, columns []column, c *model.Component, s *machine.Interval) {
	at := sort.Search(len(spans), func(i int) bool { return spans[i].End > s.Begin })
	if s.End == s.Begin {
		if at < len(spans) && spans[at].Begin <= s.Begin {
			rows[at].bytes += float64(s.Energy)
		}
		return
	}
	state := &c.States[s.State]
	// The interval does not state the level, but its energy determines the level.
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

// component fits the powers of a component.
func component(m *model.Component, columns []column, rows []row) (Component, []units.Power) {
	c := Component{Name: m.Name, Spans: len(rows)}
	before := make([]float64, len(columns)) // The unit is µW.
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
		c.Refused = "its meter measured no energy"
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
			s.Refused = "the runs never entered the state"
		case found.inflation[j+1] > maxInflated:
			s.Refused = "the runs cannot distinguish it from others"
		case deviation > maxDeviation*max(power, before[j]):
			s.Refused = fmt.Sprintf("the readings only limit it to between %s and %s mW", units.Fixed(max(power-2*deviation, 0)/1000, 0), units.Fixed((power+2*deviation)/1000, 0))
		default:
			known++
			after[j] = math.Round(power)
			s.After, s.Deviation = units.Power(after[j]), units.Power(math.Round(deviation))
		}
	}
	if known == 0 {
		c.Refused = "the runs determine the power of none of its states"
	}
	always := constantPower(rows, after)
	c.Always = units.Power(math.Round(always))
	c.After, c.OffAfter = agreement(rows, after, always)
	c.Before, c.OffBefore = agreement(rows, before, constantPower(rows, before))
	if c.Runs > 1 {
		c.OffOther = crossValidation(rows, columns, before, c.States)
	}
	made := make([]units.Power, len(columns))
	for j := range made {
		made[j] = units.Power(after[j])
	}
	return c, made
}

// powers solves the system of all rows, except for those of one run if the parameter without is not
// nil. The first number of the solution is the constant power.
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

// constantPower returns the constant power. It is the mean residual, or 0 if that is negative.
func constantPower(rows []row, powers []float64) float64 {
	left, length := 0.0, 0.0
	for _, r := range rows {
		left += r.length * (r.measured - r.modelled(powers, 0))
		length += r.length * r.length
	}
	return math.Max(left/length/1000, 0)
}

// modelled returns the modelled energy of a span, in nJ.
func (r *row) modelled(powers []float64, always float64) float64 {
	sum := r.bytes + 1000*always*r.length
	for j, p := range powers {
		sum += 1000 * p * r.columns[j]
	}
	return sum
}

// agreement returns the modelled energy of all spans, and its relative error.
func agreement(rows []row, powers []float64, always float64) (units.Energy, float64) {
	sum, off, all := 0.0, 0.0, 0.0
	for i := range rows {
		says := rows[i].modelled(powers, always)
		sum += says
		off += (rows[i].measured - says) * (rows[i].measured - says)
		all += rows[i].measured * rows[i].measured
	}
	return units.Energy(sum), math.Sqrt(off / all)
}

// crossValidation returns the relative error of cross-validation. The energy of each run is
// predicted with powers that are fitted to the other runs.
func crossValidation(rows []row, columns []column, before []float64, states []State) float64 {
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
		always := constantPower(left, by)
		for ; at < len(rows) && rows[at].run == run; at++ {
			says := rows[at].modelled(by, always)
			off += (rows[at].measured - says) * (rows[at].measured - says)
			all += rows[at].measured * rows[at].measured
		}
	}
	return math.Sqrt(off / all)
}

// withPowers returns a copy of a component with the fitted powers and their sources.
func withPowers(c *model.Component, columns []column, powers []units.Power, found Component) model.Component {
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
