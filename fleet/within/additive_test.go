package within

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
)

// TestAdditive compares the sums of LoadAdditive with a regression that has a column for each code
// of each factor. The regression is solved by a singular value decomposition.
func TestAdditive(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for round := range 20 {
		c := samples.NewClient(1, 1)
		at, level := int64(1_700_000_000_000), 100*samples.Percent
		for range 40 + random.IntN(60) {
			s := samples.Sample{Time: at, Level: int32(level), Features: []uint32{uint32(1 + random.IntN(2))}}
			for app := range 3 {
				if random.IntN(3) > 0 {
					s.Apps = append(s.Apps, uint32(app+1))
				}
			}
			c.Add(&s)
			at, level = at+int64(200_000+random.IntN(400_000)), level-(300_000+random.IntN(400_000))
		}
		w := &pairs.Work{Options: pairs.Options{Within: []int{0}, Model: -1}}
		w.Load(c)
		factors := []pairs.Factor{{Width: w.Bases}}
		for i := range w.Pairs {
			factors[0].Codes = append(factors[0].Codes, int32(w.Pairs[i].Base))
		}
		for range round % 4 {
			f := pairs.Factor{Width: 2 + random.IntN(5)}
			for i := range w.Pairs {
				code := int32(i % f.Width) // Each code has a pair.
				if random.IntN(2) == 0 {
					code = random.Int32N(int32(f.Width))
				}
				f.Codes = append(f.Codes, code)
			}
			factors = append(factors, f)
		}
		strata, additive := NewGram(3), NewGram(3)
		strata.Load(w, func(app uint32) int { return int(app) - 1 })
		additive.LoadAdditive(w, factors, strata)
		want := residuals(w, factors, additive.local)
		for x := range 3 {
			if got := float64(additive.excess(x)); math.Abs(got-2*want[x][3]) > 1+1e-8*math.Sqrt(want[x][x]*want[3][3]) {
				t.Errorf("round %d: the n of candidate %d is %v, want %v", round, x, got, 2*want[x][3])
			}
			for y := range 3 {
				if got := float64(additive.own(x, y)); math.Abs(got-want[x][y]) > 1+1e-8*math.Sqrt(want[x][x]*want[y][y]) {
					t.Errorf("round %d: the sum of candidates %d and %d is %v, want %v", round, x, y, got, want[x][y])
				}
			}
		}
		if len(factors) == 1 { // With one factor, the model is the same as for strata.
			for x := range 3 {
				if a, b := additive.excess(x), strata.excess(x); math.Abs(float64(a-b)) > 1e-6*math.Abs(float64(b))+float64(8*w.Bases) {
					t.Errorf("round %d: the n of candidate %d is %d, and %d within strata", round, x, a, b)
				}
			}
		}
	}
}

// residuals regresses the columns of apps 1 to 3 and the rates on the factors. It returns the
// products of the residuals, weighted by time. local has the candidates in the order of the
// columns.
func residuals(w *pairs.Work, factors []pairs.Factor, local []int) [4][4]float64 {
	n, codes := len(w.Pairs), 0
	for _, f := range factors {
		codes += f.Width
	}
	design, columns := mat.NewDense(n, codes, nil), mat.NewDense(n, 4, nil)
	for i := range w.Pairs {
		p, from := &w.Pairs[i], 0
		root := math.Sqrt(float64(p.Time))
		for _, f := range factors {
			design.Set(i, from+int(f.Codes[i]), root)
			from += f.Width
		}
		columns.Set(i, 3, float64(p.Drop)/float64(p.Time)*root)
		ends := w.Ends(i)
		for at, a := range w.Running(i) {
			for x, candidate := range local {
				if int(w.Apps[a])-1 == candidate {
					columns.Set(i, x, float64(ends[at])*root)
				}
			}
		}
	}
	var svd mat.SVD
	svd.Factorize(design, mat.SVDThin)
	var effects, fitted, products mat.Dense
	svd.SolveTo(&effects, columns, svd.Rank(1e-9))
	fitted.Mul(design, &effects)
	columns.Sub(columns, &fitted)
	products.Mul(columns.T(), columns)
	var out [4][4]float64
	for x := range out {
		for y := range out {
			out[x][y] = products.At(x, y)
		}
	}
	return out
}
