package metered

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/regression"
)

const (
	// minPowers is the smallest assumed relative standard deviation of the power of lines.
	minPowers = 0.10
	// powerRows and powerColumns limit the numbers of periods and of lines in findPowers.
	powerRows, powerColumns = 1500, 250
	// minSplit is the smallest reliability of sampled times with which the variation of powers
	// can be estimated.
	minSplit = 0.25
)

// findPowers estimates by maximum likelihood how much the power of lines varies. In the model, the
// energy of a period is the sum over its lines, each with its own power. The time of a path is
// divided among its lines by their opcodes. Periods with many lines show little of the variation,
// so findPowers returns at least minPowers.
func (s *sheet) findPowers(b *base) float64 {
	var busy []int
	for i := range s.periods {
		if s.periods[i].busy > 0 && !s.periods[i].lost {
			busy = append(busy, i)
		}
	}
	rows := min(len(busy), powerRows)
	if rows == 0 || b.busy <= 0 {
		return minPowers
	}
	row := make([]int32, len(s.periods)) // row maps a period to its row, from 1.
	for k := range rows {
		row[busy[k*len(busy)/rows]] = int32(k + 1)
	}
	columns := s.longest(row)
	if len(columns) < 2 {
		return minPowers
	}
	column := make([]int32, len(s.lines)) // column maps a line to its column, from 1.
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
	shrunk, err := regression.Shrink([]regression.Block{block}, 0)
	if err != nil || math.IsNaN(shrunk.Spread) {
		return minPowers
	}
	spread := shrunk.Spread
	if s.halves != nil {
		// The errors of sampled times make the powers seem to vary less. The reliability of the
		// times is the factor.
		reliable := s.reliabilityOf(columns, row)
		if reliable < minSplit {
			return minPowers
		}
		spread /= reliable
	}
	return math.Max(spread, minPowers)
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

// eachShare visits the time of each line in each period that has a row.
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

// reliabilityOf returns the reliability of sampled times, from 0 to 1: the part of their variance
// that is not an error of sampling. It uses the times of the given lines in the periods that have a
// row. The times by even samples and by odd samples have independent errors if work is short. Their
// covariance is therefore the variance of the true times.
func (s *sheet) reliabilityOf(lines, row []int32) float64 {
	index := make([]int, len(s.lines)) // index maps a line to its index in lines, from 1.
	for i, l := range lines {
		index[l] = i + 1
	}
	n := 0.0
	for _, k := range row {
		if k > 0 {
			n++
		}
	}
	type sums struct{ a, b, ab, squares float64 }
	byLine := make([]sums, len(lines)+1)
	for i := range s.parts {
		p := &s.parts[i]
		if c := &byLine[index[s.runs[i].path]]; row[p.period] > 0 {
			a, b := s.halves[i], p.time-s.halves[i]
			c.a, c.b, c.ab, c.squares = c.a+a, c.b+b, c.ab+a*b, c.squares+p.time*p.time
		}
	}
	both, all := 0.0, 0.0
	for _, c := range byLine[1:] {
		both += 4 * (c.ab - c.a*c.b/n)
		all += c.squares - (c.a+c.b)*(c.a+c.b)/n
	}
	return ratio(both, all)
}
