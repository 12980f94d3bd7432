package change

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/repeats"
)

// A steps makes random series. It has the levels of the points, the number of runs per point, and
// the relative noise of runs and of points.
type steps struct {
	levels     []float64
	runs       int
	noise, day float64
	// memory is the correlation of the noise of neighboring points.
	memory float64
	// If skewed is set, one run in ten is three times as large.
	skewed bool
}

func (o steps) points(r *rand.Rand) [][]float64 {
	points := make([][]float64, len(o.levels))
	day := r.NormFloat64()
	for i, level := range o.levels {
		if i > 0 {
			day = o.memory*day + math.Sqrt(1-o.memory*o.memory)*r.NormFloat64()
		}
		level *= math.Exp(o.day * day)
		for range o.runs {
			x := level * math.Exp(o.noise*r.NormFloat64())
			if o.skewed && r.IntN(10) == 0 {
				x *= 3
			}
			points[i] = append(points[i], x)
		}
	}
	return points
}

// level returns n levels of 100. From index at on, they are larger by the factor 1+growth.
func level(n, at int, growth float64) []float64 {
	levels := make([]float64, n)
	for i := range levels {
		levels[i] = 100
		if i >= at {
			levels[i] *= 1 + growth
		}
	}
	return levels
}

// exhaustive is the first step of E-Divisive as published (Matteson and James 2014, Sections 2.1 to
// 2.3), for the exponent 2 and for ranks. It tries all permutations of the runs.
func exhaustive(points [][]float64) (best int, p float64) {
	runs := slices.Concat(points...)
	figures := make([]float64, len(runs))
	for i, x := range runs {
		for _, y := range runs {
			switch {
			case y < x:
				figures[i]++
			case y == x:
				figures[i] += 0.5
			}
		}
	}
	apart := func(a, b []float64) float64 {
		sum := 0.0
		for _, x := range a {
			for _, y := range b {
				sum += (x - y) * (x - y)
			}
		}
		return sum / float64(len(a)*len(b))
	}
	most := func(values []float64) (most float64, at int) {
		end := 0
		for i, point := range points[:len(points)-1] {
			end += len(point)
			a, b := values[:end], values[end:]
			q := float64(len(a)*len(b)) / float64(len(values)) * (2*apart(a, b) - apart(a, a) - apart(b, b))
			if q > most+1e-9 {
				most, at = q, i+1
			}
		}
		return most, at
	}
	seen, best := most(figures)
	as, all := 0, 0
	var permute func(k int)
	permute = func(k int) {
		if k == len(figures) {
			all++
			if q, _ := most(figures); q >= seen-1e-9 {
				as++
			}
			return
		}
		for i := k; i < len(figures); i++ {
			figures[k], figures[i] = figures[i], figures[k]
			permute(k + 1)
			figures[k], figures[i] = figures[i], figures[k]
		}
	}
	permute(0)
	return best, float64(as) / float64(all)
}

// TestAgreesWithAllPermutations compares the first step with the exhaustive one.
func TestAgreesWithAllPermutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	evident := 0
	for k := range 24 {
		var points [][]float64
		for n := 0; n < 8; {
			var point []float64
			for range 1 + r.IntN(min(3, 8-n)) {
				// There are only a few different values, so some figures are equal. Every other
				// series has a change.
				point = append(point, float64(r.IntN(7)+k%2*(n/4)*6))
			}
			n += len(point)
			points = append(points, point)
		}
		s := newSeries(points)
		best, p := s.next([]int{0, len(points)})
		wantBest, want := exhaustive(points)
		if best != wantBest || math.Abs(p-want) > 0.01+0.5*want {
			t.Errorf("%v: next is %d with p = %.4f, want %d with %.4f", points, best, p, wantBest, want)
		}
		if want <= Rate {
			evident++
			if math.Abs(p-want) > 0.01 {
				t.Errorf("%v: p = %.4f, want %.4f", points, p, want)
			}
		}
	}
	if evident < 5 {
		t.Errorf("the test saw %d changes", evident)
	}
}

// TestPairs compares the distribution with a count over all ways of choosing m of m+n figures.
func TestPairs(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {1, 4}, {3, 2}, {4, 4}, {5, 3}} {
		m, n := c[0], c[1]
		counts, all := make([]float64, m*n+1), 0.0
		for set := range 1 << (m + n) {
			var chosen, smaller, seen int
			for i := range m + n {
				if set>>i&1 == 1 {
					chosen, seen = chosen+1, seen+1
				} else {
					smaller += seen
				}
			}
			if chosen == m {
				counts[smaller]++
				all++
			}
		}
		below, sum := pairs(m, n), 0.0
		for k, count := range counts {
			if sum += count / all; math.Abs(below(k)-sum) > 1e-12 {
				t.Errorf("of %d and %d, %d or fewer pairs have %v, want %v", m, n, k, below(k), sum)
			}
		}
	}
	// For larger samples, pairs uses the normal distribution, which must be nearly as accurate.
	exact, normal := pairs(64, 64)(1600), pairs(65, 64)(1625)
	if math.Abs(exact-normal) > 2e-3 {
		t.Errorf("the exact one says %v, and the normal one %v", exact, normal)
	}
}

// TestShift compares the interval with the set of all differences that Mann and Whitney's test does
// not reject at 5 %.
func TestShift(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		before, after := make([]float64, 1+r.IntN(6)), make([]float64, 1+r.IntN(6))
		for i := range before {
			before[i] = 10 + r.NormFloat64()
		}
		for i := range after {
			after[i] = 12 + r.NormFloat64()
		}
		middle, got := shift(before, after)
		want := repeats.Interval{Least: math.Inf(1), Most: math.Inf(-1)}
		for by := -15.0; by <= 15; by += 0.01 {
			moved := make([]float64, len(after))
			for i, x := range after {
				moved[i] = x - by
			}
			if mannWhitney(before, moved) > Rate {
				want.Least, want.Most = min(want.Least, by), max(want.Most, by)
			}
		}
		if math.IsInf(got.Least, 0) {
			if want.Least > -14.9 || want.Most < 14.9 {
				t.Errorf("%v and %v have no interval, want %v", before, after, want)
			}
			continue
		}
		if math.Abs(got.Least-want.Least) > 0.011 || math.Abs(got.Most-want.Most) > 0.011 || middle < got.Least || middle > got.Most {
			t.Errorf("%v and %v: %v in %v, want %v", before, after, middle, got, want)
		}
	}
}

// TestLaws checks that a negated, shifted or scaled series has its changes at the same places, and
// a reversed series at the mirrored places.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seen := 0
	for range 30 {
		o := steps{levels: level(3+r.IntN(10), r.IntN(8), 0.2), runs: 1 + r.IntN(5), noise: 0.03}
		points := o.points(r)
		found := Find(points)
		seen += len(found.Changes)
		for name, f := range map[string]func(float64) float64{
			"shifted": func(x float64) float64 { return x + 1024 },
			"scaled":  func(x float64) float64 { return x * 1024 },
			"negated": func(x float64) float64 { return -x },
		} {
			// The test for uneven points uses the relative noise, which a shift changes.
			if other := mapped(points, f); name == "scaled" || !newSeries(points).uneven() && !newSeries(other).uneven() {
				same(t, name, found, Find(other), func(at int) int { return at }, map[string]float64{"shifted": 1, "scaled": 1024, "negated": -1}[name])
			}
		}
		turned := slices.Clone(points)
		slices.Reverse(turned)
		for _, c := range found.Changes {
			if best, p := newSeries(turned).next([]int{0, len(turned)}); len(found.Changes) == 1 && !found.WholePoints && c.P < 0.03 && (best != len(points)-c.At || p > Rate) {
				t.Errorf("%v changes at %d, and turned round at %d with p = %v", points, c.At, best, p)
			}
		}
		for _, c := range found.Changes {
			if c.P > Rate || c.Earliest > c.At || c.Latest < c.At || c.Earliest < 1 || c.Latest >= len(points) || c.Interval.Least > c.Difference || c.Interval.Most < c.Difference {
				t.Errorf("%v: %+v", points, c)
			}
		}
	}
	if seen < 15 {
		t.Errorf("the test saw %d changes", seen)
	}
}

func mapped(points [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(points))
	for i, runs := range points {
		for _, x := range runs {
			out[i] = append(out[i], f(x))
		}
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) }

func same(t *testing.T, name string, a, b *Result, place func(int) int, times float64) {
	t.Helper()
	if len(a.Changes) != len(b.Changes) || !near(a.P, b.P) || a.Next != b.Next {
		t.Errorf("%s, %+v is %+v", name, a, b)
		return
	}
	for i, c := range a.Changes {
		d := b.Changes[i]
		if d.At != place(c.At) || !near(d.P, c.P) || math.Abs(d.Difference-times*c.Difference) > 1e-6*math.Abs(times) {
			t.Errorf("%s, %+v is %+v", name, c, d)
		}
	}
}

// TestGaps checks that points without runs are skipped, but count in indices.
func TestGaps(t *testing.T) {
	points := [][]float64{nil, {1, 2, 3}, nil, nil, {2, 1, 3}, nil, {11, 12, 13}, {12, 11, 14}, nil}
	got := Find(points)
	if len(got.Changes) != 1 || got.Changes[0].At != 6 || got.Changes[0].Earliest != 6 || got.Changes[0].Runs != [2]int{6, 6} {
		t.Errorf("%+v", got)
	}
}

// TestLittle checks that a series that is too short has no change, and that no result is NaN.
func TestLittle(t *testing.T) {
	for _, points := range [][][]float64{
		nil, {nil}, {{1}}, {{1, 2, 3}}, {{1}, {2}}, {{1}, {1}, {1}}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0}, {0}},
		{{1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {900}}, // a single outlier at the end
	} {
		if got := Find(points); len(got.Changes) != 0 || math.IsNaN(got.P) {
			t.Errorf("%v shows %+v", points, got)
		}
	}
	// Without noise, a lasting difference is a change.
	if got := Find([][]float64{{3, 3}, {3, 3}, {3, 3}, {4, 4}, {4, 4}, {4, 4}}); len(got.Changes) != 1 || got.Changes[0].At != 3 || got.Changes[0].Difference != 1 {
		t.Errorf("%+v", got)
	}
}

// TestEarliestAndLatest has a point whose runs are at both levels. It is unclear whether the point
// is before or after the change.
func TestEarliestAndLatest(t *testing.T) {
	got := Find([][]float64{
		{10, 11, 12, 13}, {10, 11, 12, 14}, {11, 10, 12, 13}, {11, 10, 13.5, 14}, {10, 13, 20, 23},
		{20, 21, 22, 23}, {21, 22, 20, 24}, {20, 22, 21, 23}, {22, 21, 20, 23},
	})
	if len(got.Changes) != 1 || got.Changes[0].Earliest != 4 || got.Changes[0].Latest != 5 {
		t.Errorf("%+v", got)
	}
}

// TestWanted checks that the wanted number of runs makes the change significant, and one fewer does
// not.
func TestWanted(t *testing.T) {
	points := [][]float64{{100, 101, 99}, {102, 100, 98}, {101, 99, 97}, {120}}
	at := func(r *Result) bool { return len(r.Changes) == 1 && r.Changes[0].At == 3 }
	if at(Find(points)) {
		t.Fatal("one run is a change")
	}
	wanted := NeededRuns(points, []int{2, 3}, at)
	if len(wanted) != 1 || wanted[0].Point != 3 {
		t.Fatalf("wanted are %v", wanted)
	}
	for runs, want := range map[int]bool{wanted[0].Runs: true, wanted[0].Runs - 1: false} {
		if more, ok := withRuns(points, []ExtraRuns{{3, runs}}); !ok || at(Find(more)) != want {
			t.Errorf("with %d more runs, a change is evident: %v", runs, !want)
		}
	}
	if wanted := NeededRuns([][]float64{{1, 2}, nil}, []int{1}, at); wanted != nil {
		t.Errorf("of a point without runs %v are wanted", wanted)
	}
	if wanted := NeededRuns([][]float64{{100, 101}, {101, 100}}, []int{0, 1}, at); wanted != nil {
		t.Errorf("equal levels take %v", wanted)
	}
}
