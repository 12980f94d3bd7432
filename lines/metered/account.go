package metered

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/regression"
	"github.com/diffprof/diffprof/units"
)

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

// account computes the rows of the result and the parts of the energy.
func (s *sheet) account(r *Result, m *model) {
	energies, counts, paths := make([]float64, len(s.lines)), make([]int64, len(s.lines)), make([]int, len(s.lines))
	least := s.leastPrice(m)
	unlined := 0.0
	ran := int64(0)
	for p := range s.paths {
		if s.kind(int32(p)) != ofCode {
			continue // findEvents counts the energy of calls
		}
		n := float64(m.runs[p])
		ran += int64(m.runs[p])
		if len(s.uses[p]) == 0 || !s.allKnown(m, p) {
			unlined += n * math.Max(m.mean[p], 0)
			continue
		}
		for k := range s.uses[p] {
			u := &s.uses[p][k]
			energies[u.line] += n * m.price(u, least) * m.factors[u.line]
			if m.runs[p] > 0 {
				paths[u.line]++
			}
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
		if m.runs[p] > 0 && m.runs[p] < minEventRuns {
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
		row := newRow(s.methods[at.method], int(at.line), energies[l], m.factors[l], widths[l], counts[l], paths[l])
		r.Rows = append(r.Rows, row)
		r.Lined += row.Energy
	}
	s.addMethods(r, m, energies)
	r.ran = s.ran()
	r.settle()
	byEnergy := func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Energy, a.Energy), cmp.Compare(a.Method.Label(), b.Method.Label()), cmp.Compare(a.Line, b.Line))
	}
	slices.SortFunc(r.Rows, byEnergy)
	slices.SortFunc(r.Methods, byEnergy)
	s.grade(r, m, widths)
}

// ran returns a row for each line and each method that the run executed, even if only outside of
// the window.
func (s *sheet) ran() (rows []Row) {
	lines, methods := make([]bool, len(s.lines)), make([]bool, len(s.methods))
	for p := range s.paths {
		at := &s.paths[p]
		if at.Count == 0 {
			continue
		}
		if !methods[at.Method] {
			methods[at.Method] = true
			rows = append(rows, Row{Method: s.methods[at.Method]})
		}
		for _, u := range s.uses[p] {
			if !lines[u.line] {
				lines[u.line] = true
				rows = append(rows, Row{Method: s.methods[at.Method], Line: int(s.lines[u.line].line)})
			}
		}
	}
	return rows
}

// lineOf returns the index of a line of a path.
func (s *sheet) lineOf(path int, line int32) int32 {
	uses := s.uses[path]
	return uses[slices.IndexFunc(uses, func(u use) bool { return s.lines[u.line].line == line })].line
}

// newRow returns a row. factor multiplies the energy of the line's opcodes. width is the standard
// deviation of the logarithm of the energy.
func newRow(method name.Method, line int, energy, factor, width float64, count int64, paths int) Row {
	row := Row{Method: method, Line: line, Energy: whole(energy), Executions: max(count, 0), Paths: paths, Bound: factor <= 0}
	reach := math.Exp(within * width)
	row.Close = row.Energy > 0 && reach <= closeRatio
	if row.Close {
		row.Least, row.Most, row.width = whole(energy/reach), whole(energy*reach), width
	}
	return row
}

// addMethods adds a row for each method. The energy of a method is known better than the energies
// of its lines.
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
		slope := make([]float64, s.kinds())
		for _, p := range b.paths {
			count += int64(m.runs[p])
			for k, v := range s.slope(p) {
				slope[k] += float64(m.runs[p]) * v
			}
		}
		width := math.Inf(1)
		if b.shrunk != nil && sum > 0 {
			own := b.shrunk.Deviation(weights, slope) / sum
			width = math.Sqrt(own*own + ratio(smear, sum)*math.Log1p(m.powers*m.powers) + m.base.deviation*m.base.deviation)
		}
		r.Methods = append(r.Methods, newRow(s.methods[b.method], 0, sum, 1, width, count, len(b.paths)))
	}
}

// findEvents finds runs and periods with far more energy than usual.
func (s *sheet) findEvents(r *Result, m *model) {
	how := joined
	if r.Method == printedMethod {
		how = asPrinted
	}
	power, _ := s.shares(&m.base, how)
	found, calls := make(map[int32]*Event), make(map[name.Method]int) // calls maps a method to its index in r.Calls.
	var order []int32
	predicted := make([]float64, len(s.periods))
	for i, at := range s.runs {
		parts := s.partsOf(i)
		e, time := 0.0, 0.0
		for _, p := range parts {
			e += power[p.period] * p.time
			time += p.time
		}
		if time == 0 || s.periods[parts[0].period].lost {
			continue
		}
		if s.kind(at.path) == ofCall {
			m := s.methods[s.paths[at.path].Method]
			k, known := calls[m]
			if !known {
				k = len(r.Calls)
				calls[m] = k
				r.Calls = append(r.Calls, Event{Method: m})
			}
			// The energy of a call varies, so it is measured for each call and not fitted.
			r.Calls[k].Count++
			r.Calls[k].Energy += whole(e)
			r.CallEnergy += whole(e)
			for _, p := range parts {
				predicted[p.period] += power[p.period] * p.time
			}
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
		for _, p := range parts {
			predicted[p.period] += (usual + excess) * p.time / time
		}
	}
	slices.Sort(order)
	for _, p := range order {
		r.Events = append(r.Events, *found[p])
	}
	var off []float64
	for i := range s.periods {
		p := &s.periods[i]
		if p.lost {
			continue
		}
		off = append(off, math.Abs(p.energy-m.idle*p.length()-predicted[i]))
	}
	limit := 40 * max(regression.MedianOf(off)/0.6745, m.sigma)
	outside, within := Event{}, false
	for i := range s.periods {
		p := &s.periods[i]
		excess := p.energy - m.idle*p.length() - predicted[i]
		if p.lost {
			excess = 0
		}
		if excess > limit {
			outside.Energy += whole(excess)
			if !within {
				outside.Count++ // successive periods are one event
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
	slices.SortFunc(r.Calls, func(a, b Event) int {
		return cmp.Or(cmp.Compare(b.Energy, a.Energy), cmp.Compare(a.Method.Label(), b.Method.Label()))
	})
}

// settle makes the parts add up to the metered energy. If they exceed it, settle reduces all of
// them by the same factor.
func (r *Result) settle() {
	sum := r.Lined + r.Unlined + r.Probes + r.EventEnergy + r.CallEnergy + r.Idle
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
	r.CallEnergy = 0
	for i := range r.Calls {
		reduce(&r.Calls[i].Energy)
		r.CallEnergy += r.Calls[i].Energy
	}
	reduce(&r.Unlined)
	reduce(&r.Probes)
	reduce(&r.Idle)
	r.Rest = r.Metered - r.Lined - r.Unlined - r.Probes - r.EventEnergy - r.CallEnergy - r.Idle
}
