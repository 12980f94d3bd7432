package regression

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// eliminate solves the weighted normal equations of independent columns by plain Gaussian
// elimination.
func eliminate(rows [][]float64, y, weights []float64) []float64 {
	n := len(rows[0])
	a := make([][]float64, n)
	for j := range a {
		a[j] = make([]float64, n+1)
		for i, row := range rows {
			for k := range n {
				a[j][k] += weights[i] * row[j] * row[k]
			}
			a[j][n] += weights[i] * row[j] * y[i]
		}
	}
	for j := range n {
		pivot := j
		for k := j; k < n; k++ {
			if math.Abs(a[k][j]) > math.Abs(a[pivot][j]) {
				pivot = k
			}
		}
		a[j], a[pivot] = a[pivot], a[j]
		for k := range n {
			if k != j {
				factor := a[k][j] / a[j][j]
				for l := j; l <= n; l++ {
					a[k][l] -= factor * a[j][l]
				}
			}
		}
	}
	x := make([]float64, n)
	for j := range x {
		x[j] = a[j][n] / a[j][j]
	}
	return x
}

// exactRank returns the rank of a matrix of small integers by Gaussian elimination with exact
// fractions.
func exactRank(rows [][]float64) int {
	var a [][]*big.Rat
	for _, row := range rows {
		var r []*big.Rat
		for _, v := range row {
			r = append(r, new(big.Rat).SetFloat64(v))
		}
		a = append(a, r)
	}
	rank := 0
	for j := 0; j < len(rows[0]) && rank < len(a); j++ {
		pivot := slices.IndexFunc(a[rank:], func(r []*big.Rat) bool { return r[j].Sign() != 0 })
		if pivot < 0 {
			continue
		}
		a[rank], a[rank+pivot] = a[rank+pivot], a[rank]
		for k := range a {
			if k == rank || a[k][j].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(a[k][j], a[rank][j])
			for l := range a[k] {
				a[k][l] = new(big.Rat).Sub(a[k][l], new(big.Rat).Mul(factor, a[rank][l]))
			}
		}
		rank++
	}
	return rank
}

func systemOf(rows [][]float64, y []float64) *System {
	s := NewSystem(len(rows[0]))
	for i, row := range rows {
		var terms []Term
		for c, v := range row {
			terms = append(terms, Term{c, v})
		}
		if err := s.Add(y[i], terms...); err != nil {
			panic(err)
		}
	}
	return s
}

// TestElimination compares fits of random systems with Gaussian elimination, at the weights of the
// last iteration.
func TestElimination(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + random.IntN(6)
		var rows [][]float64
		var y []float64
		for range n + 8 + random.IntN(30) {
			row, sum := make([]float64, n), random.NormFloat64()
			for c := range row {
				row[c] = float64(random.IntN(5))
				sum += row[c] * float64(1+c)
			}
			if random.IntN(10) == 0 {
				sum += 500
			}
			rows, y = append(rows, row), append(y, sum)
		}
		if exactRank(rows) < n {
			continue
		}
		for _, o := range []Options{{}, {K: 4.685}, {Spread: Deviation}, {Spread: WeightedDeviation}} {
			f, err := Robust(systemOf(rows, y), o)
			if err != nil {
				t.Fatal(err)
			}
			if f.Rank < n || slices.Contains(f.Determined, false) || !f.Settled {
				continue // outliers may hide an unknown
			}
			for c, want := range eliminate(rows, y, f.Weights) {
				if math.Abs(f.X[c]-want) > 1e-5*(1+math.Abs(want)) {
					t.Fatalf("%+v: %v, want %v in column %d", o, f.X[c], want, c)
				}
			}
		}
	}
}

// TestDetermined tries all systems of two rows with three columns of 0, 1 and 2. An unknown is
// determined if the rank stays the same when a row with this unknown alone is added.
func TestDetermined(t *testing.T) {
	digits := make([]float64, 6)
	for code := range 729 {
		for i, rest := 0, code; i < 6; i, rest = i+1, rest/3 {
			digits[i] = float64(rest % 3)
		}
		rows := [][]float64{digits[:3], digits[3:]}
		f, err := Robust(systemOf(rows, []float64{1, 2}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		rank := exactRank(rows)
		for c := range 3 {
			alone := make([]float64, 3)
			alone[c] = 1
			if want := exactRank(append(slices.Clone(rows), alone)) == rank; f.Determined[c] != want || f.Rank != rank {
				t.Fatalf("%v: column %d determined %v, want %v; rank %d, want %d", rows, c, f.Determined[c], want, f.Rank, rank)
			}
		}
	}
}

// TestUnits checks that the answer scales in proportion if a column or the measurements use another
// unit.
func TestUnits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var rows, scaled [][]float64
	var y, large []float64
	for range 60 {
		a, b := float64(random.IntN(4)), float64(random.IntN(4))
		rows, scaled = append(rows, []float64{a, b, a + b}), append(scaled, []float64{a, b * 1e6, a + b})
		y = append(y, a+2*b+random.NormFloat64())
		large = append(large, 1e9*y[len(y)-1])
	}
	f, _ := Robust(systemOf(rows, y), Options{})
	g, _ := Robust(systemOf(scaled, large), Options{})
	if f.Rank != 2 || g.Rank != 2 || math.Abs(g.Sigma/f.Sigma/1e9-1) > 1e-6 || math.Abs(f.R2-g.R2) > 1e-9 {
		t.Errorf("%+v\n%+v", f, g)
	}
}

// events simulates events with the energies in vLens, in mJ: 0.007 to 0.631 for paths, 20 to 81 for
// garbage collections, and 6.44 to 11.3 for thread switches. The system has 20,000 runs through
// 1,000 paths of 60 opcodes. events also returns the rows with an inserted event.
func events(seed uint64, seeded int) (*System, []int) {
	random := rand.New(rand.NewPCG(seed, 5))
	cost := make([]float64, 60)
	for c := range cost {
		cost[c] = 0.0004 * math.Exp(0.7*random.NormFloat64())
	}
	paths := make([][]Term, 1000)
	sums := make([]float64, len(paths))
	for p := range paths {
		for range 3 + random.IntN(12) {
			term := Term{random.IntN(len(cost)), float64(1 + random.IntN(12))}
			paths[p] = append(paths[p], term)
			sums[p] += term.Value * cost[term.Column]
		}
		// Energies are within the range of the paper.
		if factor := math.Min(math.Max(sums[p], 0.007), 0.631) / sums[p]; factor < 1 {
			paths[p] = paths[p][:1]
			sums[p] = paths[p][0].Value * cost[paths[p][0].Column]
		}
	}
	zipf := rand.NewZipf(random, 1.1, 10, uint64(len(paths)-1))
	s := NewSystem(len(cost))
	const runs = 20_000
	chosen := random.Perm(runs)[:seeded]
	slices.Sort(chosen)
	for i := range runs {
		p := zipf.Uint64()
		y := sums[p] * (1 + 0.08*random.NormFloat64())
		y *= 1 + 0.015*random.NormFloat64()
		if _, found := slices.BinarySearch(chosen, i); found {
			if random.IntN(2) == 0 {
				y += 20 + 61*random.Float64()
			} else {
				y += 6.44 + 4.86*random.Float64()
			}
		}
		if err := s.Add(y, paths[p]...); err != nil {
			panic(err)
		}
	}
	return s, chosen
}

// TestEvents checks the detection of outliers (vLens, Section 4.4.3) with six seeds. With the
// median absolute deviation, the fit finds exactly the inserted events. With the standard deviation
// of all residuals, it can find at most n/k² events, which is 12.
func TestEvents(t *testing.T) {
	for seed := range uint64(6) {
		for _, seeded := range []int{0, 20, 50, 100, 200} {
			s, chosen := events(seed, seeded)
			f, err := Robust(s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(f.Outliers, chosen) {
				t.Errorf("seed %d: %d of %d events are found", seed, len(f.Outliers), seeded)
			}
			if f.R2 < 0.9 || f.AEE > 0.086 {
				t.Errorf("seed %d, %d events: R² %.3f, AEE %.3f", seed, seeded, f.R2, f.AEE)
			}
			if seeded == 0 || seed > 1 {
				continue
			}
			plain, err := Robust(s, Options{Spread: Deviation})
			if err != nil {
				t.Fatal(err)
			}
			if len(plain.Outliers) > s.Rows()/(Tukey*Tukey) || seeded >= 100 && len(plain.Outliers) > 0 {
				t.Errorf("seed %d: the standard deviation finds %d of %d events", seed, len(plain.Outliers), seeded)
			}
			weighted, err := Robust(s, Options{Spread: WeightedDeviation})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("seed %d, %d events: %d by the median, %d by the deviation, %d by the weighted deviation", seed, seeded, len(f.Outliers), len(plain.Outliers), len(weighted.Outliers))
		}
	}
}

// TestUnjudged has a path that is seen once, twice or three times. The first time has an event.
func TestUnjudged(t *testing.T) {
	for seen := 1; seen <= 3; seen++ {
		s := NewSystem(2)
		for i := range 40 {
			_ = s.Add(5+0.01*float64(i%7), Term{0, 1})
		}
		for i := range seen {
			y := 3 + 0.01*float64(i)
			if i == 0 {
				y += 50
			}
			_ = s.Add(y, Term{1, 1})
		}
		f, err := Robust(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := "outliers [], unjudged [40]"
		switch seen {
		case 2:
			want = "outliers [], unjudged [40 41]"
		case 3:
			want = "outliers [40], unjudged [41 42]"
		}
		if got := fmt.Sprintf("outliers %v, unjudged %v", f.Outliers, f.Unjudged); got != want {
			t.Errorf("seen %d times: %s, want %s", seen, got, want)
		}
	}
}

// TestPrinted compares equation 4, as it is printed, with values that were calculated by hand: σ =
// 2 and k = 8, so kσ = 16. A residual of 2 has the weight (16 - 4)²/16² = 0.5625. With the missing
// square, the weight is (16² - 4)²/16⁴ = 0.9690.
func TestPrinted(t *testing.T) {
	if got := bisquare(2, 2, Options{K: 8, Printed: true}); got != 0.5625 {
		t.Errorf("%v as printed", got)
	}
	if got, want := bisquare(2, 2, Options{K: 8}), math.Pow(252, 2)/math.Pow(16, 4); math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
	if bisquare(16, 2, Options{K: 8}) != 0 || bisquare(-17, 2, Options{K: 8, Printed: true}) != 0 {
		t.Error("a residual beyond kσ has weight")
	}
	s, _ := events(1, 20)
	if f, err := Robust(s, Options{Printed: true, Spread: Deviation}); err != nil || math.IsNaN(f.R2+f.AEE+f.Sigma) {
		t.Errorf("%+v %v", f, err)
	}
}

// TestQuality compares equations 6 and 7 with values that were calculated by hand. The model is a
// line through the origin, and the measurements at 1, 2 and 3 are 1, 2 and 4. The slope is (1 + 4 +
// 12)/14 = 17/14.
func TestQuality(t *testing.T) {
	s := systemOf([][]float64{{1}, {2}, {3}}, []float64{1, 2, 4})
	f, err := Robust(s, Options{K: 1e6, Spread: Deviation})
	if err != nil {
		t.Fatal(err)
	}
	x := 17.0 / 14
	aee := math.Abs(6*x-7) / 7
	off := (1-x)*(1-x) + (2-2*x)*(2-2*x) + (4-3*x)*(4-3*x)
	if math.Abs(f.X[0]-x) > 1e-9 || math.Abs(f.AEE-aee) > 1e-9 || math.Abs(f.R2-(1-off/(14.0/3))) > 1e-9 {
		t.Errorf("x %v, AEE %v, R² %v", f.X[0], f.AEE, f.R2)
	}
}

// TestFinite checks that all figures are finite if rows measure nothing, repeat each other or are
// constant.
func TestFinite(t *testing.T) {
	for name, s := range map[string]*System{
		"no rows":    NewSystem(3),
		"no columns": NewSystem(0),
		"zeros":      systemOf([][]float64{{0, 0}, {0, 0}}, []float64{0, 0}),
		"constant":   systemOf([][]float64{{1, 1}, {1, 1}, {1, 1}}, []float64{5, 5, 5}),
		"empty rows": systemOf([][]float64{{0}, {0}, {0}}, []float64{1, 2, 3}),
		"huge":       systemOf([][]float64{{1e150}, {1e150}}, []float64{1e150, 2e150}),
	} {
		f, err := Robust(s, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, v := range append(append([]float64{f.Sigma, f.Limit, f.R2, f.AEE}, f.X...), f.Weights...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
	s := NewSystem(1)
	if s.Add(math.NaN(), Term{0, 1}) == nil || s.Add(1, Term{1, 1}) == nil || s.Add(1, Term{0, math.Inf(1)}) == nil {
		t.Error("bad rows are added")
	}
}

// TestNonNegative compares fits without negative unknowns with all fits of subsets of the unknowns.
// Leaving out unknowns step by step can miss the best subset, so the test demands a fit of a subset
// without negative unknowns, and the exact result if no unknown would be negative.
func TestNonNegative(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 15))
	bounded := 0
	for range 300 {
		n, rows := 1+random.IntN(5), 6+random.IntN(10)
		s := NewSystem(n)
		var dense [][]float64
		var y []float64
		for range rows {
			row, terms := make([]float64, n), []Term(nil)
			for c := range row {
				row[c] = float64(random.IntN(9))
				terms = append(terms, Term{c, row[c]})
			}
			dense, y = append(dense, row), append(y, random.NormFloat64()*20+float64(random.IntN(30)))
			if err := s.Add(y[len(y)-1], terms...); err != nil {
				t.Fatal(err)
			}
		}
		if exactRank(dense) < n {
			continue
		}
		x, err := NonNegative(s)
		if err != nil {
			t.Fatal(err)
		}
		var used []int
		for c, v := range x {
			if v < 0 {
				t.Fatalf("unknown %d is %v", c, v)
			}
			if v > 0 {
				used = append(used, c)
			}
		}
		if len(used) < n {
			bounded++
		}
		if len(used) == 0 {
			continue
		}
		part := make([][]float64, rows)
		for i, row := range dense {
			for _, c := range used {
				part[i] = append(part[i], row[c])
			}
		}
		for k, want := range eliminate(part, y, slices.Repeat([]float64{1}, rows)) {
			if got := x[used[k]]; math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("unknown %d is %v, want %v", used[k], got, want)
			}
		}
		whole := eliminate(dense, y, slices.Repeat([]float64{1}, rows))
		if slices.Min(whole) > 0 && len(used) < n {
			t.Fatalf("%v of %v are used", used, whole)
		}
	}
	if bounded < 50 {
		t.Errorf("only %d fits have an unknown that would be negative", bounded)
	}
}

func TestMedianOf(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	if got := MedianOf(nil); got != 0 {
		t.Errorf("the median of nothing is %v", got)
	}
	for n := 1; n < 60; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(random.IntN(12))
		}
		sorted := slices.Sorted(slices.Values(values))
		if got, want := MedianOf(values), (sorted[(n-1)/2]+sorted[n/2])/2; got != want {
			t.Errorf("the median of %v is %v, want %v", sorted, got, want)
		}
	}
}
