package metered

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/regression"
	"github.com/diffprof/diffprof/units"
)

// chooseMethod compares the ways of dividing energy by cross-validation. A way must predict the
// energy of a part of the run from a fit of the rest. chooseMethod returns the way with the best
// predictions.
func (s *sheet) chooseMethod(r *Result) divisionMethod {
	off := [3]float64{}
	foldOf := make([]int8, len(s.periods)) // It is -1 for a lost period.
	for i := range foldOf {
		foldOf[i] = int8(i * folds * 2 / len(s.periods) % folds)
		if s.periods[i].lost {
			foldOf[i] = -1
		}
	}
	for k := range int8(folds) {
		in := func(i int) bool { return foldOf[i] == k }
		out := func(i int) bool { return foldOf[i] != k && foldOf[i] >= 0 }
		b, err := s.findBase(out)
		var p *priced
		for w := joined; w <= timesAlone; w++ {
			var m *model
			if err == nil && w != opcodesAlone {
				p, err = s.price(b, out, w)
			}
			if err == nil {
				m, err = s.fitPriced(p, w)
			}
			if err != nil {
				off[w] = math.Inf(1)
				continue
			}
			off[w] += s.predictionError(m, in) / folds
		}
	}
	for _, v := range off {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			r.Method = "times"
			return timesAlone // too little data to compare
		}
	}
	r.OffJoined, r.OffOpcodes, r.OffTimes = off[joined], off[opcodesAlone], off[timesAlone]
	if off[joined] <= maxJoinedError*math.Min(off[opcodesAlone], off[timesAlone]) {
		r.Method = "joined"
		return joined
	}
	r.Method = "times"
	return timesAlone
}

// width returns the relative standard deviation of a line's energy. It combines four deviations:
//
//   - of the line's factor and the energies of opcodes,
//   - of the line's power, for the energy that was estimated from times,
//   - of the mean power,
//   - of single executions.
func (m *model) width(l int, executions int64) float64 {
	if m.factors[l] <= 0 || m.deviation[l] <= 0 {
		return math.Inf(1)
	}
	own := m.deviation[l] / m.factors[l] * m.skew()
	data := 1 - m.drawn[l]
	single := m.scatter * m.scatter / math.Max(float64(executions), 1)
	return math.Sqrt(own*own + m.smear[l]*data*math.Log1p(m.powers*m.powers) + m.base.deviation*m.base.deviation + single)
}

// skew widens the deviation of a factor, because factors are not normal: few are large, and most
// are small.
func (m *model) skew() float64 { return 1 + m.spread/2 }

// grade sets the grade of the result, which describes how finely the run can be divided.
func (s *sheet) grade(r *Result, m *model, widths []float64) {
	lines, close := 0, 0
	var need []float64
	most := math.Log(closeRatio) / within
	for l := range s.lines {
		if !m.known[l] || widths[l] == 0 {
			continue
		}
		lines++
		// fixed is the part of the variance that does not depend on the number of runs. The rest is
		// inversely proportional to this number.
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

// compareHalves fits the two halves of the run separately, and sets Halves by comparing their
// lines.
func (s *sheet) compareHalves(r *Result, m *model, how divisionMethod) {
	middle := len(s.periods) / 2
	a, errA := s.fit(func(i int) bool { return i < middle && !s.periods[i].lost }, how)
	b, errB := s.fit(func(i int) bool { return i >= middle && !s.periods[i].lost }, how)
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

// quality sets R² (vLens, eq. 7) and AEE (eq. 6). It uses the runs through paths that are not
// events.
func (s *sheet) quality(m *model, power []float64, use func(int) bool) {
	n, sum, predicted, squares, off := 0.0, 0.0, 0.0, 0.0, 0.0
	for i, r := range s.runs {
		parts := s.partsOf(i)
		if !s.whole[i] || len(parts) == 0 || !use(int(parts[0].period)) {
			continue
		}
		e := 0.0
		for _, p := range parts {
			e += power[p.period] * p.time
		}
		if e -= math.Min(s.probe*m.busy, e*0.9); e > m.limit[r.path] || m.strange[r.path] {
			continue
		}
		n, sum, squares, predicted = n+1, sum+e, squares+e*e, predicted+m.fitted[r.path]
		off += (e - m.fitted[r.path]) * (e - m.fitted[r.path])
	}
	if all := squares - ratio(sum*sum, n); all > 0 {
		m.r2 = 1 - off/all
	}
	m.aee = math.Abs(ratio(predicted-sum, sum))
}

// predictionError returns the relative error with which a model predicts the energy of periods,
// without the energy of the idle device. It leaves out periods with a run that lasted long enough
// to be an event. It limits the errors of the other periods.
func (s *sheet) predictionError(m *model, use func(int) bool) float64 {
	predicted, event := make([]float64, len(s.periods)), make([]bool, len(s.periods))
	for i, r := range s.runs {
		parts := s.partsOf(i)
		time := 0.0
		for _, p := range parts {
			time += p.time
		}
		if time == 0 {
			continue
		}
		if m.runs[r.path] > 0 && m.busy*time > m.limit[r.path] || m.strange[r.path] {
			for _, p := range parts {
				event[p.period] = true
			}
		}
		e := m.fitted[r.path] + math.Min(s.probe*m.busy, m.fitted[r.path])
		if !s.whole[i] || m.runs[r.path] == 0 {
			e = m.busy * time
		}
		for _, p := range parts {
			predicted[p.period] += e * p.time / time
		}
	}
	var off []float64
	all := 0.0
	for i := range s.periods {
		if p := &s.periods[i]; use(i) && p.busy > 0 && !event[i] {
			off = append(off, math.Abs(p.energy-m.idle*p.length()-predicted[i]))
			all += predicted[i]
		}
	}
	if len(off) == 0 || all <= 0 {
		return math.Inf(1)
	}
	most := 10 * regression.MedianOf(off)
	sum := 0.0
	for _, v := range off {
		sum += math.Min(v, most)
	}
	return sum / all
}
