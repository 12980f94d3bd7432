package metered

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/regression"
	"github.com/diffprof/diffprof/trace"
)

// findStrange leaves out rare paths that used far more energy than their opcodes explain. Such a
// path probably has an event, but too few runs to show which of them is the event. findStrange
// reports whether it left out a path.
func (s *sheet) findStrange(m *model, stats []statistic) (found bool) {
	const far = 10
	least := s.leastPrice(m)
	for p := range stats {
		if m.runs[p] == 0 || m.runs[p] >= minEventRuns || len(s.uses[p]) == 0 || stats[p].mean <= 0 {
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

// maxRows bounds the number of paths in the fit of the energies of opcodes.
const maxRows = 3000

// findTheta finds the energies of opcodes from the mean energies of paths. The weight of a path
// depends on its relative accuracy, because the factors of lines vary. No energy is negative.
func (s *sheet) findTheta(m *model, stats []statistic) error {
	const relative = 0.5
	var chosen []int
	for p, st := range stats {
		if st.mean > 0 && len(s.uses[p]) > 0 {
			chosen = append(chosen, p)
		}
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(m.runs[b], m.runs[a]) })
	chosen = chosen[:min(len(chosen), maxRows)]
	system := regression.NewSystem(s.kinds())
	row := make([]float64, s.kinds())
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
			if v != 0 {
				terms = append(terms, regression.Term{Column: k, Value: v})
			}
		}
		if err := system.Add(st.mean*weight, terms...); err != nil {
			return err
		}
	}
	var err error
	m.theta, err = regression.NonNegative(system)
	return err
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
		// Energies are in mJ, as in vLens, because the printed form of equation 4 depends on the
		// unit.
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

// price returns the energy of a line in a path: the sum over its opcodes, but at least the given
// energy per entry.
func (m *model) price(u *use, least float64) float64 {
	sum := 0.0
	for _, o := range u.opcodes {
		sum += o.count * m.theta[o.kind]
	}
	return math.Max(sum, least*u.entries)
}

// slope returns, for each opcode, the derivative of a path's energy by the opcode's energy.
func (s *sheet) slope(path int32) []float64 {
	out := make([]float64, s.kinds())
	for _, u := range s.uses[path] {
		for _, o := range u.opcodes {
			out[o.kind] += o.count
		}
	}
	return out
}

// slopes returns the derivatives of the prices of a block's lines by the energies of opcodes. They
// are relative to the price. column has the index of each line in its block.
func (s *sheet) slopes(m *model, b *block, column []int) [][]float64 {
	out, prices := make([][]float64, len(b.lines)), make([]float64, len(b.lines))
	for k := range out {
		out[k] = make([]float64, s.kinds())
	}
	least := s.leastPrice(m)
	for _, p := range b.paths {
		n := float64(m.runs[p])
		for k := range s.uses[p] {
			u := &s.uses[p][k]
			c := column[u.line]
			prices[c] += n * m.price(u, least)
			for _, o := range u.opcodes {
				out[c][o.kind] += n * o.count
			}
		}
	}
	for k, price := range prices {
		for j := range out[k] {
			out[k][j] = ratio(out[k][j], price)
		}
	}
	return out
}

// findFactors finds the factor of each line. It also fits the energies of opcodes again, now that
// lines may differ from their opcodes.
func (s *sheet) findFactors(m *model, stats []statistic, how divisionMethod) error {
	n := len(s.lines)
	m.factors, m.deviation, m.hidden = make([]float64, n), make([]float64, n), make([]float64, n)
	m.known, m.smear, m.drawn = make([]bool, n), make([]float64, n), slices.Repeat([]float64{1}, n)
	column := s.findBlocks(m, stats)
	for i := range m.blocks {
		for _, l := range m.blocks[i].lines {
			m.factors[l] = 1
		}
	}
	if how == joined || how == timesAlone {
		if err := s.shrink(m, stats, column); err != nil {
			return err
		}
	}
	least := s.leastPrice(m)
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
			m.smear[u.line] += e * float64(m.runs[p]) * stats[p].smear
		}
	}
	for l := range m.smear {
		m.smear[l] = ratio(m.smear[l], weights[l])
	}
	return nil
}

// findBlocks finds the lines that get a factor, and groups them by method. It returns the index of
// each line in its block.
func (s *sheet) findBlocks(m *model, stats []statistic) (column []int) {
	index := make(map[trace.MethodID]int)
	column = make([]int, len(s.lines))
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
	m.blocks = slices.DeleteFunc(blocks, func(b block) bool {
		if len(b.lines) <= maxLines {
			return false
		}
		for _, l := range b.lines {
			m.known[l] = false
		}
		return true
	})
	return column
}

// shrink fits the factors of lines and the energies of opcodes, in two fits. The first fit
// estimates how much lines vary. It then corrects the energies of opcodes, because the errors of
// the paths of one method are correlated. The second fit finds the factors.
func (s *sheet) shrink(m *model, stats []statistic, column []int) error {
	m.theta = slices.Clone(m.theta)
	systems := make([]regression.Block, len(m.blocks))
	for i := range m.blocks {
		b, sys := &m.blocks[i], &systems[i]
		sys.Prior = slices.Repeat([]float64{1}, len(b.lines))
		for _, p := range b.paths {
			sys.Y, sys.Variance = append(sys.Y, stats[p].mean), append(sys.Variance, stats[p].variance)
			sys.Fixed = append(sys.Fixed, s.slope(p))
		}
	}
	var f *regression.Shrunk
	for again := range 2 {
		if again > 0 {
			for k, v := range f.Moved {
				m.theta[k] = math.Max(m.theta[k]+v, 0)
			}
		}
		least := s.leastPrice(m)
		for i := range m.blocks {
			b, sys := &m.blocks[i], &systems[i]
			sys.Rows = sys.Rows[:0]
			for _, p := range b.paths {
				row := make([]float64, len(b.lines))
				for k := range s.uses[p] {
					u := &s.uses[p][k]
					row[column[u.line]] = m.price(u, least)
				}
				sys.Rows = append(sys.Rows, row)
			}
		}
		var err error
		if f, err = regression.Shrink(systems, maxNoise); err != nil {
			return err
		}
	}
	m.spread = f.Spread
	for i := range m.blocks {
		b := &m.blocks[i]
		b.shrunk = &f.Blocks[i]
		for k, l := range b.lines {
			m.factors[l] = b.shrunk.X[k]
		}
	}
	return nil
}

// findDeviations finds the deviations of factors, and the parts of lines' energies that follow from
// their opcodes.
func (s *sheet) findDeviations(m *model) {
	column := make([]int, len(s.lines))
	for i := range m.blocks {
		b := &m.blocks[i]
		if b.shrunk == nil {
			continue
		}
		for k, l := range b.lines {
			column[l] = k
		}
		slopes := s.slopes(m, b, column)
		weights := make([]float64, len(b.lines))
		for k, l := range b.lines {
			weights[k] = 1
			m.deviation[l], m.hidden[l] = b.shrunk.Deviation(weights, slopes[k]), b.shrunk.Hidden(weights)
			if m.spread > 0 {
				own := b.shrunk.Deviation(weights, nil) / m.spread
				m.drawn[l] = math.Min(own*own, 1)
			}
			weights[k] = 0
		}
	}
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

// leastPrice returns the smallest energy of one entry of a line, which is a small part of the mean
// energy of an entry. Without it, a line whose opcodes seem to use no energy would always have the
// energy 0.
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
