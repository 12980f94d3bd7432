package regression

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPriorOfZero checks that an unknown whose prior is zero stays zero. The other unknowns are
// fitted as if its column did not exist.
func TestPriorOfZero(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	blocks, _ := blocksOf(random, 30, 4, 2, 0.5, 0.05)
	with := make([]Block, len(blocks))
	for i, b := range blocks {
		with[i] = Block{Y: b.Y, Variance: b.Variance, Prior: append([]float64{0}, b.Prior...)}
		for _, row := range b.Rows {
			with[i].Rows = append(with[i].Rows, append([]float64{float64(random.IntN(9))}, row...))
		}
	}
	want, err := Shrink(blocks, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Shrink(with, 0)
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(b)) }
	if !near(got.Spread, want.Spread) || !near(got.Noise, want.Noise) {
		t.Errorf("spread %v, noise %v, want %v, %v", got.Spread, got.Noise, want.Spread, want.Noise)
	}
	for i := range blocks {
		x := got.Blocks[i].X
		if x[0] != 0 || !near(x[1], want.Blocks[i].X[0]) || !near(x[2], want.Blocks[i].X[1]) || got.Blocks[i].Deviation([]float64{1, 0, 0}, nil) != 0 {
			t.Errorf("block %d: %v, want 0 and %v", i, x, want.Blocks[i].X)
		}
	}
}

// TestBadBlocks checks that Shrink returns an error for blocks that cannot be fitted.
func TestBadBlocks(t *testing.T) {
	good := Block{Fixed: [][]float64{{1}, {1}}, Rows: [][]float64{{1, 2}, {3, 4}}, Y: []float64{1, 2}, Variance: []float64{1, 1}, Prior: []float64{1, 1}}
	if _, err := Shrink([]Block{good}, 0); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(b *Block){
		"a measurement too few":  func(b *Block) { b.Y = b.Y[:1] },
		"a variance too few":     func(b *Block) { b.Variance = b.Variance[:1] },
		"a short row":            func(b *Block) { b.Rows = [][]float64{{1, 2}, {3}} },
		"a long row":             func(b *Block) { b.Rows = [][]float64{{1, 2, 3}, {3, 4, 5}} },
		"no variance":            func(b *Block) { b.Variance = []float64{1, 0} },
		"a negative variance":    func(b *Block) { b.Variance = []float64{-1, 1} },
		"an infinite variance":   func(b *Block) { b.Variance = []float64{1, math.Inf(1)} },
		"a variance without use": func(b *Block) { b.Variance = []float64{1, math.NaN()} },
		"a prior below zero":     func(b *Block) { b.Prior = []float64{1, -1e-9} },
		"a slope too few":        func(b *Block) { b.Fixed = [][]float64{{1}} },
		"a long slope":           func(b *Block) { b.Fixed = [][]float64{{1}, {1, 2}} },
		"no unknowns":            func(b *Block) { b.Prior, b.Rows = nil, [][]float64{{}, {}} },
		"too many unknowns": func(b *Block) {
			b.Prior, b.Rows = make([]float64, MostColumns+1), [][]float64{make([]float64, MostColumns+1), make([]float64, MostColumns+1)}
		},
	} {
		b := good
		change(&b)
		if _, err := Shrink([]Block{good, b}, 0); err == nil {
			t.Errorf("%s is no error", what)
		}
	}
}
