package metered

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/regression"
	"github.com/diffprof/diffprof/trace"
)

// findStrange leaves out rare paths that used far more energy than their opcodes explain. Such a path probably has an
// event, but too few runs to show which run is the event. findStrange reports whether it left out a path.
func (s *sheet) findStrange(m *model, stats []statistic) (found bool) {
	const far = 10
	least := s.leastPrice(m)
	for p := range stats {
		if m.runs[p] == 0 || m.runs[p] >= fewRuns || len(s.uses[p]) == 0 || stats[p].mean <= 0 {
			continue
		}
		price := 0.0
		for k := range s.uses[p] {
			price += m.price(&s.uses[p][k], least)
		}
		if price > 0 && stats[p].mean > far*price {
			m.strange[p], stats[p].mean, found = true, 0, true
		}
	}
	return found
}

const (
	// fewPaths is the smallest number of paths per opcode that shows how much lines differ from their opcodes. With
	// fewer paths, the energies of opcodes follow the paths.
	fewPaths = 4
	// leastSpread is the smallest relative standard deviation that is assumed with
	// fewer paths.
	leastSpread = 0.2
)

// mostRows bounds the number of paths in the fit of the energies of opcodes.
const mostRows = 3000

// findTheta finds the energies of opcodes from the means of paths. Each path counts by its relative accuracy, because the
// factors of lines vary. No energy is negative.
func (s *sheet) findTheta(m *model, stats []statistic) error {
	const relative = 0.5
	var chosen []int
	for p, st := range stats {
		if st.mean > 0 && len(s.uses[p]) > 0 {
			chosen = append(chosen, p)
		}
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(m.runs[b], m.runs[a]) })
	chosen = chosen[:min(len(chosen), mostRows)]
	bound := make([]bool, s.kinds())
	row := make([]float64, s.kinds())
	for range s.kinds() + 1 {
		system := regression.NewSystem(s.kinds())
		var terms []regression.Term
		for _, p := range chosen {
			st := &stats[p]
			weight := 1 / math.Sqrt(st.variance+relative*st.mean*relative*st.mean)
			clear(row)
			for _, u := range s.uses[p] {
				for _, o := range u.opcodes {
					row[o.kind] += o.count * weight
				}
			}
			terms = terms[:0]
			for k, v := range row {
				if v != 0 && !bound[k] {
					terms = append(terms, regression.Term{Column: k, Value: v})
				}
			}
			if err := system.Add(st.mean*weight, terms...); err != nil {
				return err
			}
		}
		f, err := regression.Least(system)
		if err != nil {
			return err
		}
		m.theta, m.thetaFit = f.X, f
		negative := false
		for k, x := range f.X {
			if x < 0 {
				bound[k], negative = true, true
			}
		}
		if !negative {
			break
		}
	}
	for k, x := range m.theta {
		m.theta[k] = math.Max(x, 0)
	}
	return nil
}

// printedTheta is the regression of vLens: runs through paths are rows, opcodes are columns.
func (s *sheet) printedTheta(m *model, power []float64, use func(int) bool) error {
	system := regression.NewSystem(s.kinds())
	row := make([]float64, s.kinds())
	var terms []regression.Term
	for i, r := range s.runs {
		parts := s.partsOf(i)
		if !s.whole[i] || len(parts) == 0 || !use(int(parts[0].period)) || len(s.uses[r.path]) == 0 {
			continue
		}
		energy := 0.0
		for _, p := range parts {
			energy += power[p.period] * p.time
		}
		clear(row)
		for _, u := range s.uses[r.path] {
			for _, o := range u.opcodes {
				row[o.kind] += o.count
			}
		}
		terms = terms[:0]
		for k, v := range row {
			if v != 0 {
				terms = append(terms, regression.Term{Column: k, Value: v})
			}
		}
		// Energies are in mJ as in vLens, because equation 4 as printed depends on the unit.
		if err := system.Add(energy/1e6, terms...); err != nil {
			return err
		}
	}
	f, err := regression.Robust(system, regression.Options{Spread: regression.Deviation, Printed: true})
	if err != nil {
		return err
	}
	m.theta = make([]float64, len(f.X))
	for k, x := range f.X {
		m.theta[k] = math.Max(x, 0) * 1e6
	}
	return nil
}

// price returns the energy of a use by its opcodes. least is the smallest energy of an entry.
func (m *model) price(u *use, least float64) float64 {
	sum := 0.0
	for _, o := range u.opcodes {
		sum += o.count * m.theta[o.kind]
	}
	return math.Max(sum, least*u.entries)
}

// doubt returns the relative standard deviation of the price of a line. It follows from the uncertain energies of the
// line's opcodes.
func (m *model) doubt(u *use) float64 {
	if m.thetaFit == nil {
		return 0
	}
	terms := make([]regression.Term, 0, len(u.opcodes))
	sum := 0.0
	for _, o := range u.opcodes {
		terms = append(terms, regression.Term{Column: int(o.kind), Value: o.count})
		sum += o.count * m.theta[o.kind]
	}
	return math.Min(ratio(m.thetaFit.Deviation(terms...), sum), 1)
}

// findFactors finds the factors of lines.
func (s *sheet) findFactors(m *model, stats []statistic, how way) error {
	n := len(s.lines)
	m.factors, m.deviation, m.hidden = make([]float64, n), make([]float64, n), make([]float64, n)
	m.known, m.smear = make([]bool, n), make([]float64, n)
	least := s.leastPrice(m)
	var systems []regression.Block
	index := make(map[trace.MethodID]int)
	column := make([]int, n)
	var blocks []block
	for p := range s.paths {
		if stats[p].mean <= 0 || len(s.uses[p]) == 0 {
			continue
		}
		method := s.paths[p].Method
		b, known := index[method]
		if !known {
			b = len(blocks)
			index[method] = b
			blocks = append(blocks, block{method: method})
		}
		blocks[b].paths = append(blocks[b].paths, int32(p))
		for _, u := range s.uses[p] {
			if !m.known[u.line] {
				m.known[u.line] = true
				column[u.line] = len(blocks[b].lines)
				blocks[b].lines = append(blocks[b].lines, u.line)
			}
		}
	}
	blocks = slices.DeleteFunc(blocks, func(b block) bool {
		if len(b.lines) <= mostLines {
			return false
		}
		for _, l := range b.lines {
			m.known[l] = false
		}
		return true
	})
	for i := range blocks {
		b := &blocks[i]
		var sys regression.Block
		sys.Prior = make([]float64, len(b.lines))
		for k, l := range b.lines {
			sys.Prior[k], m.factors[l] = 1, 1
		}
		for _, p := range b.paths {
			row := make([]float64, len(b.lines))
			for k := range s.uses[p] {
				u := &s.uses[p][k]
				row[column[u.line]] = m.price(u, least)
			}
			sys.Rows, sys.Y, sys.Variance = append(sys.Rows, row), append(sys.Y, stats[p].mean), append(sys.Variance, stats[p].variance)
		}
		systems = append(systems, sys)
	}
	m.blocks = blocks
	if how == joined || how == timesAlone {
		fitted := 0
		if m.thetaFit != nil {
			fitted = m.thetaFit.Rank
		}
		rows := 0
		for i := range systems {
			rows += len(systems[i].Y)
		}
		o := regression.ShrinkOptions{MostNoise: mostNoise, Fitted: fitted}
		if rows < fewPaths*fitted {
			o.LeastSpread = leastSpread
		}
		f, err := regression.Shrink(systems, o)
		if err != nil {
			return err
		}
		m.spread, m.assumed = f.Spread, o.LeastSpread > 0 && f.Spread < 1.001*leastSpread
		for i := range blocks {
			b := &blocks[i]
			b.shrunk = &f.Blocks[i]
			weights := make([]float64, len(b.lines))
			for k, l := range b.lines {
				weights[k] = 1
				m.factors[l] = b.shrunk.X[k]
				m.deviation[l], m.hidden[l] = b.shrunk.Deviation(weights), b.shrunk.Hidden(weights)
				weights[k] = 0
			}
		}
	}
	m.prior = make([]float64, n)
	weights := make([]float64, n)
	m.fitted = make([]float64, len(s.paths))
	for p := range s.paths {
		m.fitted[p] = m.mean[p]
		if len(s.uses[p]) == 0 || !m.known[s.uses[p][0].line] || m.strange[p] && !s.allKnown(m, p) {
			continue
		}
		m.fitted[p] = 0
		for k := range s.uses[p] {
			u := &s.uses[p][k]
			e := math.Max(m.factors[u.line], 0) * m.price(u, least)
			m.fitted[p] += e
			weights[u.line] += e * float64(m.runs[p])
			if m.prior[u.line] == 0 && m.spread > 0 {
				m.prior[u.line] = math.Max(m.doubt(u), 1e-6)
			}
			m.smear[u.line] += e * float64(m.runs[p]) * stats[p].smear
		}
	}
	for l := range m.smear {
		m.smear[l] = ratio(m.smear[l], weights[l])
	}
	return nil
}

// allKnown reports whether all lines of a path have a factor.
func (s *sheet) allKnown(m *model, path int) bool {
	for _, u := range s.uses[path] {
		if !m.known[u.line] {
			return false
		}
	}
	return true
}

// leastPrice returns the smallest energy of an entry of a line: a small part of the mean energy of an entry. Without
// it, a line whose opcodes seem to cost nothing could not differ from 0.
func (s *sheet) leastPrice(m *model) float64 {
	sum, entries := 0.0, 0.0
	for p := range s.paths {
		for k := range s.uses[p] {
			u := &s.uses[p][k]
			sum += float64(m.runs[p]) * m.price(u, 0)
			entries += float64(m.runs[p]) * u.entries
		}
	}
	return 0.05 * ratio(sum, entries)
}
