package metered

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// Options are the options of New.
type Options struct {
	// Printed fits as vLens is printed: opcodes alone, all power while a path runs, and standard deviations.
	Printed bool
}

// A Grade says how finely the measured energy of a run can be divided.
type Grade uint8

// The grades.
const (
	// Nothing means that neither lines nor methods have close figures.
	Nothing Grade = iota
	// Methods means that fewer than half of the executed lines have a close figure.
	Methods
	// Lines means that at least half of them have one.
	Lines
)

// A Row is a line, or the lines of a method together.
type Row struct {
	Method name.Method
	// Line is 0 for a method.
	Line int
	// Energy is the energy in the window, and Least and Most its 95 % interval.
	Energy, Least, Most units.Energy
	// Executions counts how often control came to the line, or the runs through paths of a method.
	Executions int64
	// Close is set if the interval is within ±50 % of the figure. Other figures are not shown.
	Close bool
	// Bound is set if the fit was negative, and the figure is 0.
	Bound bool
}

// An Event is a list of runs through a path, or of periods, with far more energy than usual.
type Event struct {
	// Method and Line are the place. The method is empty for periods in which no path explains the energy.
	Method name.Method
	Line   int
	Count  int64
	Energy units.Energy // beyond the usual
}

// A Result is the division of the measured energy of a run. Lines, Unlined, Probes, Events, Idle and Rest add up to Metered.
type Result struct {
	Grade Grade
	// Longer is the factor by which the run would have to be longer for the grade Lines. It is 0 if a longer run of the same
	// kind does not help.
	Longer float64
	// Reason says why the grade is Nothing. It may be empty.
	Reason string
	// Window is the time that is divided, in ns, of the run's Elapsed. Periods counts the periods of the meter, and
	// Period is their median length.
	Window, Elapsed, Period int64
	Periods                 int
	Tracks                  []string
	Apart                   []Apart
	// Metered is the measured energy of the window.
	Metered units.Energy
	// Lined is the energy of lines, shown or not. Unlined is the energy of paths whose lines are unknown, Probes of the
	// probes, Events of events, Idle of the device without paths, and Rest is not attributed.
	Lined, Unlined, Probes, Idle, Rest units.Energy
	EventEnergy                        units.Energy
	// IdlePower and BusyPower are in µW. BusyPower is the additional power while paths run. IdleKnown is false if the
	// run does not show the power of the idle device, which is then part of the lines.
	IdlePower, BusyPower int64
	IdleKnown            bool
	// Rows has the lines, and Methods the methods, both sorted by energy.
	Rows, Methods []Row
	Events        []Event
	// Unjudged counts the paths that ran too rarely to tell an event from their usual energy.
	Unjudged int
	// LeastEvent is the energy from which an additional use within a period counts as an event.
	LeastEvent units.Energy
	// Way is "joined", "times" or "printed". OffJoined, OffOpcodes and OffTimes are the relative errors by which fits of
	// other stretches predict the energy of a stretch.
	Way                             string
	OffJoined, OffOpcodes, OffTimes float64
	// Opcodes counts the kinds of instructions. It is 0 if the map has none.
	Opcodes int
	// Spread is the relative standard deviation of lines around the energy of their opcodes. Powers is that of the power of
	// lines, at least 10 %.
	Spread, Powers float64
	// R2 and AEE are eq. 7 and eq. 6 of vLens.
	R2, AEE float64
	// Halves is the part of the energy of close lines whose figures differ between the two halves of the run by more
	// than their intervals.
	Halves float64
	// Scaled is the factor by which figures were reduced because they exceeded the meter. It is 1 otherwise.
	Scaled float64
	// Shift is the time by which the meter should begin later, in ns. It is 0 if the meter agrees with the paths.
	Shift int64
	// Standing is the part of the time of paths in periods without measured energy.
	Standing float64
}

const (
	// closeRatio is the ratio of a figure and an end of its interval at which the figure is close.
	closeRatio = 1.5
	within     = 1.959963984540054
	// leastPeriods is the number of periods from which a fit is tried.
	leastPeriods = 20
	// stretches is the number of stretches that are held out in turn.
	stretches = 4
	// mostOff is the relative error of predictions from which the measurement does not show what paths do.
	mostOff = 0.3
	// evenly is the part by which the joined fit may be worse than one of its parents.
	evenly = 1.02
)

// New divides the energy.
func New(d *Data, o Options) *Result {
	s := newSheet(d)
	r := &Result{
		Window: d.end - d.begin, Elapsed: d.elapsed, Periods: len(s.periods), Tracks: d.Tracks, Apart: d.Apart,
		Metered: d.meter.energy(d.begin, d.end), Opcodes: s.opcodes, Scaled: 1,
	}
	lengths := make([]float64, len(s.periods))
	standing, busy := 0.0, 0.0
	for i := range s.periods {
		p := &s.periods[i]
		lengths[i] = p.length()
		if busy += p.busy; p.energy <= 0 {
			standing += p.busy
		}
	}
	r.Period, r.Standing = int64(middle(lengths)), ratio(standing, busy)
	r.Rest = r.Metered
	switch {
	case len(s.periods) < leastPeriods:
		r.Reason = "few"
		r.Longer = float64(leastPeriods) / float64(len(s.periods))
		return r
	case r.Standing > 0.1:
		r.Reason = "standing"
		return r
	}
	if r.Shift = s.findShift(r.Period); r.Shift != 0 {
		r.Reason = "shift"
		return r
	}
	all := func(int) bool { return true }
	if b, err := s.findBase(all); err == nil {
		s.powers = s.findPowers(b)
	}
	r.Powers = s.powers
	how := asPrinted
	r.Way = "printed"
	if !o.Printed {
		how = s.chooseWay(r)
		if least := min(r.OffJoined, r.OffOpcodes, r.OffTimes); least > mostOff {
			r.Reason, r.Way = "unlike", ""
			return r
		}
	}
	m, err := s.fit(all, how)
	if err != nil {
		r.Reason = err.Error()
		return r
	}
	r.R2, r.AEE, r.Spread = m.r2, m.aee, m.spread
	r.IdlePower, r.BusyPower, r.IdleKnown = int64(m.idle*1e6+0.5), int64(m.busy*1e6+0.5), m.idleKnown
	s.account(r, m)
	if how != asPrinted {
		s.compareHalves(r, m, how)
	}
	return r
}

// chooseWay fits each way without one stretch after the other, and predicts the stretch.
func (s *sheet) chooseWay(r *Result) way {
	off := [3]float64{}
	for k := range stretches {
		in := func(i int) bool { return i*stretches*2/len(s.periods)%stretches == k }
		out := func(i int) bool { return !in(i) }
		for w := joined; w <= timesAlone; w++ {
			m, err := s.fit(out, w)
			if err != nil {
				off[w] = math.Inf(1)
				continue
			}
			off[w] += s.offBy(m, in) / stretches
		}
	}
	for _, v := range off {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			r.Way = "times"
			return timesAlone // too little data to compare
		}
	}
	r.OffJoined, r.OffOpcodes, r.OffTimes = off[joined], off[opcodesAlone], off[timesAlone]
	if off[joined] <= evenly*math.Min(off[opcodesAlone], off[timesAlone]) {
		r.Way = "joined"
		return joined
	}
	r.Way = "times"
	return timesAlone
}

// whole converts an energy to whole nanojoules.
func whole(e float64) units.Energy {
	switch {
	case math.IsNaN(e) || e <= 0:
		return 0
	case e > 1<<61:
		return 1 << 61
	}
	return units.Energy(e + 0.5)
}

// account makes the rows, and adds up the energy.
func (s *sheet) account(r *Result, m *model) {
	energies, counts := make([]float64, len(s.lines)), make([]int64, len(s.lines))
	least := s.leastPrice(m)
	unlined := 0.0
	ran := int64(0)
	for p := range s.paths {
		n := float64(m.runs[p])
		ran += int64(m.runs[p])
		if len(s.uses[p]) == 0 || !s.allKnown(m, p) {
			unlined += n * math.Max(m.mean[p], 0)
			continue
		}
		for k := range s.uses[p] {
			u := &s.uses[p][k]
			energies[u.line] += n * m.price(u, least) * m.factors[u.line]
		}
		for _, line := range s.paths[p].Lines {
			if line > 0 {
				counts[s.lineOf(p, line)] += int64(m.runs[p])
			}
		}
		if s.paths[p].Continues {
			if last := s.paths[p].Lines[len(s.paths[p].Lines)-1]; last > 0 {
				counts[s.lineOf(p, last)] -= int64(m.runs[p])
			}
		}
		if m.runs[p] > 0 && m.runs[p] < fewRuns {
			r.Unjudged++
		}
	}
	r.Unlined = whole(unlined)
	r.Probes = whole(float64(ran) * s.probe * m.busy)
	r.Idle = whole(m.idle * float64(r.Window))
	s.findEvents(r, m)
	widths := make([]float64, len(s.lines))
	for l, at := range s.lines {
		if !m.known[l] || counts[l] <= 0 && energies[l] <= 0 {
			continue
		}
		widths[l] = m.width(l, counts[l])
		row := newRow(s.methods[at.method], int(at.line), energies[l], m.factors[l], widths[l], counts[l])
		r.Rows = append(r.Rows, row)
		r.Lined += row.Energy
	}
	s.addMethods(r, m, energies)
	r.settle()
	byEnergy := func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Energy, a.Energy), cmp.Compare(a.Method.Label(), b.Method.Label()), cmp.Compare(a.Line, b.Line))
	}
	slices.SortFunc(r.Rows, byEnergy)
	slices.SortFunc(r.Methods, byEnergy)
	s.grade(r, m, widths)
}

// lineOf returns the index of a line of a path.
func (s *sheet) lineOf(path int, line int32) int32 {
	of := s.uses[path]
	return of[slices.IndexFunc(of, func(u use) bool { return s.lines[u.line].line == line })].line
}

// width returns the relative standard deviation of a line's energy. It has five parts: the deviation of the factor,
// the opcodes' energies as far as the line follows from them, the deviation of its power as far as it follows from
// times, the deviation of the mean power, and the variation of single executions.
func (m *model) width(l int, executions int64) float64 {
	if m.factors[l] <= 0 || m.deviation[l] <= 0 {
		return math.Inf(1)
	}
	own := m.deviation[l] / m.factors[l] * m.skew()
	data := 1 - m.drawn(l)
	prior := m.prior[l] * (1 - data)
	single := m.scatter * m.scatter / math.Max(float64(executions), 1)
	return math.Sqrt(own*own + prior*prior + m.smear[l]*data*math.Log1p(m.powers*m.powers) + m.base.deviation*m.base.deviation + single)
}

// skew widens the deviation of a factor, because factors are not normal: few are large, and most are small.
func (m *model) skew() float64 { return 1.05 + m.spread }

// drawn returns the part of a line's energy that follows from its opcodes, and not from its paths.
func (m *model) drawn(l int) float64 {
	if m.spread <= 0 {
		return 1
	}
	return math.Min(m.deviation[l]/m.spread*m.deviation[l]/m.spread, 1)
}

// newRow makes a row from an energy, its factor and its relative deviation.
func newRow(method name.Method, line int, energy, factor, width float64, count int64) Row {
	row := Row{Method: method, Line: line, Energy: whole(energy), Executions: max(count, 0), Bound: factor <= 0}
	reach := math.Exp(within * width)
	row.Close = row.Energy > 0 && reach <= closeRatio
	if row.Close {
		row.Least, row.Most = whole(energy/reach), whole(energy*reach)
	}
	return row
}

// addMethods adds the energies of methods, which are known better than their lines.
func (s *sheet) addMethods(r *Result, m *model, energies []float64) {
	least := s.leastPrice(m)
	for i := range m.blocks {
		b := &m.blocks[i]
		weights := make([]float64, len(b.lines))
		sum, smear, count := 0.0, 0.0, int64(0)
		for k, l := range b.lines {
			e := math.Max(energies[l], 0)
			sum, smear = sum+e, smear+e*m.smear[l]
			if m.factors[l] > 0 {
				weights[k] = e / m.factors[l]
			} else {
				weights[k] = least
			}
		}
		for _, p := range b.paths {
			count += int64(m.runs[p])
		}
		width := math.Inf(1)
		if b.shrunk != nil && sum > 0 {
			own := b.shrunk.Deviation(weights) / sum
			width = math.Sqrt(own*own + ratio(smear, sum)*math.Log1p(m.powers*m.powers) + m.base.deviation*m.base.deviation)
		}
		r.Methods = append(r.Methods, newRow(s.methods[b.method], 0, sum, 1, width, count))
	}
}

// findEvents finds runs and periods with far more energy than usual.
func (s *sheet) findEvents(r *Result, m *model) {
	how := joined
	if r.Way == "printed" {
		how = asPrinted
	}
	power, _ := s.shares(&m.base, how)
	found := make(map[int32]*Event)
	var order []int32
	predicted := make([]float64, len(s.periods))
	for i, at := range s.runs {
		of := s.of(i)
		e, time := 0.0, 0.0
		for _, p := range of {
			e += power[p.period] * p.time
			time += p.time
		}
		if time == 0 {
			continue
		}
		usual := m.fitted[at.path]
		if m.runs[at.path] == 0 || !s.whole[i] {
			usual = e
		}
		excess := 0.0
		if s.whole[i] && m.runs[at.path] > 0 && e > m.limit[at.path] {
			excess = e - m.median[at.path]
			ev := found[at.path]
			if ev == nil {
				p := &s.paths[at.path]
				ev = &Event{Method: s.methods[p.Method]}
				if len(p.Lines) > 0 {
					ev.Line = int(p.Lines[0])
				}
				found[at.path] = ev
				order = append(order, at.path)
			}
			ev.Count++
			ev.Energy += whole(excess)
		}
		for _, p := range of {
			predicted[p.period] += (usual + excess) * p.time / time
		}
	}
	slices.Sort(order)
	for _, p := range order {
		r.Events = append(r.Events, *found[p])
	}
	off := make([]float64, len(s.periods))
	for i := range s.periods {
		p := &s.periods[i]
		off[i] = math.Abs(p.energy - m.idle*p.length() - predicted[i])
	}
	limit := 40 * max(middle(off)/0.6745, m.sigma)
	outside, within := Event{}, false
	for i := range s.periods {
		p := &s.periods[i]
		excess := p.energy - m.idle*p.length() - predicted[i]
		if excess > limit {
			outside.Energy += whole(excess)
			if !within {
				outside.Count++ // periods in a row are one event
			}
		}
		within = excess > limit
	}
	r.LeastEvent = whole(limit)
	if outside.Count > 0 {
		r.Events = append(r.Events, outside)
	}
	slices.SortStableFunc(r.Events, func(a, b Event) int { return cmp.Compare(b.Energy, a.Energy) })
	for _, e := range r.Events {
		r.EventEnergy += e.Energy
	}
}

// settle makes the parts add up to the metered energy. If they exceed it, all are reduced alike.
func (r *Result) settle() {
	sum := r.Lined + r.Unlined + r.Probes + r.EventEnergy + r.Idle
	if sum <= r.Metered {
		r.Rest = r.Metered - sum
		return
	}
	r.Scaled = float64(r.Metered) / float64(sum)
	reduce := func(e *units.Energy) { *e = units.Energy(units.MulDiv(int64(*e), int64(r.Metered), int64(sum))) }
	r.Lined = 0
	for i := range r.Rows {
		row := &r.Rows[i]
		reduce(&row.Energy)
		reduce(&row.Least)
		reduce(&row.Most)
		r.Lined += row.Energy
	}
	for i := range r.Methods {
		row := &r.Methods[i]
		reduce(&row.Energy)
		reduce(&row.Least)
		reduce(&row.Most)
	}
	r.EventEnergy = 0
	for i := range r.Events {
		reduce(&r.Events[i].Energy)
		r.EventEnergy += r.Events[i].Energy
	}
	reduce(&r.Unlined)
	reduce(&r.Probes)
	reduce(&r.Idle)
	r.Rest = r.Metered - r.Lined - r.Unlined - r.Probes - r.EventEnergy - r.Idle
}

// grade says what the run can carry.
func (s *sheet) grade(r *Result, m *model, widths []float64) {
	lines, close := 0, 0
	var need []float64
	most := math.Log(closeRatio) / within
	for l := range s.lines {
		if !m.known[l] || widths[l] == 0 {
			continue
		}
		lines++
		// The part of the variance that more runs reduce is inversely proportional to their number.
		fixed := m.smear[l] * math.Log1p(m.powers*m.powers)
		if m.factors[l] > 0 {
			fixed += m.hidden[l] / m.factors[l] * m.hidden[l] / m.factors[l]
		}
		switch {
		case widths[l] <= most && m.factors[l] > 0:
			close++
			need = append(need, 1)
		case fixed < most*most && !math.IsInf(widths[l], 0):
			need = append(need, (widths[l]*widths[l]-fixed)/(most*most-fixed))
		}
	}
	if lines > 0 && 2*close >= lines {
		r.Grade = Lines
		return
	}
	slices.Sort(need)
	if half := (lines + 1) / 2; half > 0 && len(need) >= half && need[half-1] < 1000 {
		r.Longer = math.Max(need[half-1], 1)
	}
	var sum, sure units.Energy
	for i := range r.Methods {
		if sum += r.Methods[i].Energy; r.Methods[i].Close {
			sure += r.Methods[i].Energy
		}
	}
	if sum > 0 && sure >= (sum+1)/2 {
		r.Grade = Methods
	}
}

// compareHalves fits the halves of the run, and compares their lines.
func (s *sheet) compareHalves(r *Result, m *model, how way) {
	middle := len(s.periods) / 2
	a, errA := s.fit(func(i int) bool { return i < middle }, how)
	b, errB := s.fit(func(i int) bool { return i >= middle }, how)
	if errA != nil || errB != nil {
		return
	}
	leastA, leastB := s.leastPrice(a), s.leastPrice(b)
	price := func(m *model, least float64, u *use) float64 { return m.factors[u.line] * m.price(u, least) }
	sumA, sumB := make([]float64, len(s.lines)), make([]float64, len(s.lines))
	for p := range s.paths {
		for k := range s.uses[p] {
			u := &s.uses[p][k]
			sumA[u.line] += float64(m.runs[p]) * price(a, leastA, u)
			sumB[u.line] += float64(m.runs[p]) * price(b, leastB, u)
		}
	}
	all, differ := 0.0, 0.0
	for l := range s.lines {
		if !a.known[l] || !b.known[l] || !m.known[l] || a.factors[l] <= 0 || b.factors[l] <= 0 || m.width(l, 1<<40) > math.Log(closeRatio)/within {
			continue
		}
		all += sumA[l] + sumB[l]
		// The variation of powers is the same in both halves.
		wide := math.Hypot(a.deviation[l]/a.factors[l], b.deviation[l]/b.factors[l])
		wide = math.Hypot(wide, math.Hypot(a.base.deviation, b.base.deviation))
		if math.Abs(math.Log(sumA[l]/sumB[l])) > math.Log(1.1)+2*within*wide {
			differ += sumA[l] + sumB[l]
		}
	}
	r.Halves = ratio(differ, all)
}
