package metered

import (
	"math"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// pricedSheet returns two lines in two paths, and a model. In each run through path 0, line 0 is
// entered once with the opcodes 0, 0 and 1, and line 1 is entered twice with three opcodes 1. In a
// run through path 1, line 1 is entered once with an opcode 0. Opcode 0 uses 10 nJ and opcode 1 uses
// 20 nJ.
func pricedSheet() (*sheet, *model) {
	s := &sheet{
		Data: &Data{paths: make([]trace.Path, 2)}, lines: make([]place, 2), opcodes: 2,
		uses: [][]use{
			{{line: 0, entries: 1, opcodes: []opcode{{0, 2}, {1, 1}}}, {line: 1, entries: 2, opcodes: []opcode{{1, 3}}}},
			{{line: 1, entries: 1, opcodes: []opcode{{0, 1}}}},
		},
	}
	return s, &model{theta: []float64{10, 20}, runs: []int{5, 2}}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

// TestPrices checks the energy of lines by their opcodes.
func TestPrices(t *testing.T) {
	s, m := pricedSheet()
	for _, c := range []struct {
		path, use   int
		least, want float64
	}{{0, 0, 0, 40}, {0, 1, 0, 60}, {1, 0, 0, 10}, {0, 0, 50, 50}, {0, 1, 50, 100}, {0, 1, 30, 60}} {
		if got := m.price(&s.uses[c.path][c.use], c.least); got != c.want {
			t.Errorf("use %d of path %d, at least %v per entry: %v, want %v", c.use, c.path, c.least, got, c.want)
		}
	}
	// The runs enter lines 17 times and use 520 nJ.
	least := 0.05 * 520 / 17
	if got := s.leastPrice(m); !near(got, least) {
		t.Errorf("the least price is %v, want %v", got, least)
	}
	if got := s.slope(0); !slices.Equal(got, []float64{2, 4}) {
		t.Errorf("path 0 has the opcodes %v", got)
	}
	// All runs of line 0 use 200 nJ, and those of line 1 use 320 nJ.
	got := s.slopes(m, &block{lines: []int32{0, 1}, paths: []int32{0, 1}}, []int{0, 1})
	for line, want := range [][]float64{{10. / 200, 5. / 200}, {2. / 320, 15. / 320}} {
		for kind := range want {
			if !near(got[line][kind], want[kind]) {
				t.Errorf("line %d and opcode %d: %v, want %v", line, kind, got[line][kind], want[kind])
			}
		}
	}
}

// TestSharesOfTime checks that the time of a run is divided by the numbers of opcodes, and that
// only the chosen periods count.
func TestSharesOfTime(t *testing.T) {
	s, _ := pricedSheet()
	s.runs = []run{{path: 0}, {path: 1}}
	s.parts, s.first = []part{{0, 0, 6}, {0, 1, 3}, {1, 1, 4}}, []int32{0, 2, 3}
	for _, c := range []struct {
		row     []int32
		want    [2]float64
		longest []int32
	}{
		{[]int32{1, 0}, [2]float64{3, 3}, []int32{0, 1}},
		{[]int32{0, 1}, [2]float64{1.5, 5.5}, []int32{1, 0}},
		{[]int32{2, 1}, [2]float64{4.5, 8.5}, []int32{1, 0}},
		{[]int32{0, 0}, [2]float64{}, nil},
	} {
		var got [2]float64
		s.eachShare(c.row, func(_, line int32, time float64) { got[line] += time })
		if got != c.want {
			t.Errorf("rows %v: the lines have the times %v, want %v", c.row, got, c.want)
		}
		if got := s.longest(c.row); !slices.Equal(got, c.longest) {
			t.Errorf("rows %v: the longest lines are %v, want %v", c.row, got, c.longest)
		}
	}
}

// TestReliability checks which part of the variance of sampled times is no error of sampling.
func TestReliability(t *testing.T) {
	for _, c := range []struct {
		name       string
		even, sums []float64
		row        []int32
		want       float64
	}{
		{"equal halves", []float64{1, 3, 2}, []float64{2, 6, 4}, []int32{1, 2, 3}, 1},
		{"equal sums", []float64{0, 2, 1}, []float64{2, 2, 2}, []int32{1, 2, 3}, 0},
		// The halves 1, 3, 2 and 1, 3, 0 have the covariance 2/3, and their sums have the variance 32/9.
		{"some error", []float64{1, 3, 2}, []float64{2, 6, 2}, []int32{1, 2, 3}, 0.75},
		{"two of the periods", []float64{1, 3, 2}, []float64{2, 6, 2}, []int32{1, 2, 0}, 1},
	} {
		s := &sheet{Data: &Data{runs: make([]run, 3)}, lines: make([]place, 1), halves: c.even}
		for i, sum := range c.sums {
			s.parts = append(s.parts, part{int32(i), int32(i), sum})
		}
		if got := s.reliabilityOf([]int32{0}, c.row); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCorrectedPowers checks the reliability of the times of periods, and the two powers that
// follow from it. The mean energy stays the same, and no power becomes negative.
func TestCorrectedPowers(t *testing.T) {
	// The busy shares of the two periods that count are 0.5 and 0.3.
	s := &sheet{periods: []period{{begin: 0, end: 100, busy: 50}, {begin: 100, end: 200, busy: 30}, {begin: 200, end: 300, busy: 100, lost: true}}}
	for doubt, want := range map[float64]float64{0: 1, 50: 0.5, 75: 0.25, 100: 0, 200: 0} {
		s.doubts = []float64{doubt, doubt, 1000}
		if got := s.reliability(); !near(got, want) {
			t.Errorf("the variance %v of each time: the reliability is %v, want %v", doubt, got, want)
		}
	}
	for reliable, want := range map[float64]base{1: {busy: 2, idle: 1}, 0.5: {busy: 4, idle: 0.2}, 0.25: {busy: 4.5, idle: 0}} {
		got := base{busy: 2, idle: 1}
		s.correct(&got, reliable)
		if !near(got.busy, want.busy) || !near(got.idle, want.idle) {
			t.Errorf("the reliability %v: the powers are %v and %v, want %v and %v", reliable, got.busy, got.idle, want.busy, want.idle)
		}
		if energy := got.idle*200 + got.busy*80; !near(energy, 360) {
			t.Errorf("the reliability %v: the energy is %v, want 360", reliable, energy)
		}
	}
}
