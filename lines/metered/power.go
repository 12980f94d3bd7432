package metered

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/regression"
)

const (
	// leastPowers is the least relative standard deviation of the power of lines that is assumed.
	leastPowers = 0.10
	// powerRows and powerColumns bound the periods and the lines from which the deviation is estimated.
	powerRows, powerColumns = 1500, 250
)

// findPowers estimates how much the power of lines varies, by maximum likelihood: the energy of a period is the sum over
// its lines, each with a power of its own. The lines of a path divide its time by their opcodes. Periods with many lines
// show little of the variation, so at least leastPowers is assumed.
func (s *sheet) findPowers(b *base) float64 {
	var busy []int
	for i := range s.periods {
		if s.periods[i].busy > 0 && !s.periods[i].lost {
			busy = append(busy, i)
		}
	}
	rows := min(len(busy), powerRows)
	if rows == 0 || b.busy <= 0 {
		return leastPowers
	}
	row := make([]int32, len(s.periods)) // of a period, from 1
	for k := range rows {
		row[busy[k*len(busy)/rows]] = int32(k + 1)
	}
	columns := s.longest(row)
	if len(columns) < 2 {
		return leastPowers
	}
	column := make([]int32, len(s.lines)) // of a line, from 1
	for c, line := range columns {
		column[line] = int32(c + 1)
	}
	block := regression.Block{
		Rows: make([][]float64, rows), Y: make([]float64, rows), Variance: slices.Repeat([]float64{1}, rows),
		Prior: slices.Repeat([]float64{b.busy}, len(columns)),
	}
	for i, k := range row {
		if k > 0 {
			p := &s.periods[i]
			block.Rows[k-1], block.Y[k-1] = make([]float64, len(columns)), p.energy-b.idle*p.length()-b.busy*p.busy
		}
	}
	s.eachShare(row, func(period, line int32, time float64) {
		if c := column[line]; c > 0 {
			k := row[period] - 1
			block.Rows[k][c-1] += time
			block.Y[k] += b.busy * time // Other lines have the mean power.
		}
	})
	shrunk, err := regression.Shrink([]regression.Block{block}, regression.ShrinkOptions{})
	if err != nil || math.IsNaN(shrunk.Spread) {
		return leastPowers
	}
	return math.Max(shrunk.Spread, leastPowers)
}

// longest returns the lines with the most time in the periods that have a row.
func (s *sheet) longest(row []int32) []int32 {
	sums := make([]float64, len(s.lines))
	s.eachShare(row, func(_, line int32, time float64) { sums[line] += time })
	var lines []int32
	for line, time := range sums {
		if time > 0 {
			lines = append(lines, int32(line))
		}
	}
	slices.SortStableFunc(lines, func(a, b int32) int { return cmp.Compare(sums[b], sums[a]) })
	return lines[:min(len(lines), powerColumns)]
}

// eachShare calls do with the times of lines in the periods that have a row.
func (s *sheet) eachShare(row []int32, do func(period, line int32, time float64)) {
	for i, at := range s.runs {
		uses := s.uses[at.path]
		all := 0.0
		for k := range uses {
			all += uses[k].size()
		}
		if all == 0 {
			continue
		}
		for _, p := range s.partsOf(i) {
			if row[p.period] == 0 {
				continue
			}
			for k := range uses {
				do(p.period, uses[k].line, p.time*uses[k].size()/all)
			}
		}
	}
}

// size returns the number of a line's instructions in a path.
func (u *use) size() float64 {
	sum := 0.0
	for _, o := range u.opcodes {
		sum += o.count
	}
	return sum
}
