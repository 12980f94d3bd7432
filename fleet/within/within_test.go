package within

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// A world has clients with apps that use energy. rows is the input for a regression in the test.
type world struct {
	works []*pairs.Work
	rows  []regressor
}

// A regressor is a pair: its client and stratum, its rate, its weight, and the presence of each
// app.
type regressor struct {
	client, stratum int
	rate, weight    float64
	x               []float64
}

// makeWorld makes clients with three apps. App 1 uses energy, and app 2 mostly runs with it.
func makeWorld(seed uint64) world {
	random := rand.New(rand.NewPCG(seed, 9))
	var w world
	for client := range 25 {
		c := samples.NewClient(samples.ID(client+1), 1)
		at, level := int64(1_700_000_000_000), int32(100*samples.Percent)
		for range 60 {
			s := samples.Sample{Time: at, Level: level, Features: []uint32{uint32(1 + random.IntN(2))}}
			hog := random.IntN(2) == 0
			drop := int32(300_000 + random.IntN(400_000))
			if hog {
				s.Apps = append(s.Apps, 1)
				drop += 300_000
			}
			if hog != (random.IntN(6) == 0) {
				s.Apps = append(s.Apps, 2)
			}
			if random.IntN(3) == 0 {
				s.Apps = append(s.Apps, 3)
			}
			c.Add(&s)
			at += int64(200_000 + random.IntN(400_000))
			level -= drop
		}
		work := &pairs.Work{Options: pairs.Options{Within: []int{0}, Model: -1}}
		work.Load(c)
		w.works = append(w.works, work)
		for i, p := range work.Pairs {
			r := regressor{client: client, stratum: p.Stratum, weight: float64(p.Time), rate: float64(p.Drop) / float64(p.Time), x: make([]float64, 4)}
			for n, a := range work.Running(i) {
				r.x[work.Apps[a]] = float64(work.Ends(i)[n]) / 2
			}
			w.rows = append(w.rows, r)
		}
	}
	return w
}

// regress fits the rates on some apps by weighted least squares with a constant for each client's
// stratum. It returns estimates and clustered errors. It is slow: it solves the normal equations of
// centred columns by elimination.
func (w world) regress(apps ...int) (beta, err []float64) {
	type cell struct{ client, stratum int }
	sum := map[cell][]float64{}
	for _, r := range w.rows {
		k := cell{r.client, r.stratum}
		if sum[k] == nil {
			sum[k] = make([]float64, len(apps)+2)
		}
		sum[k][0] += r.weight
		sum[k][1] += r.weight * r.rate
		for i, a := range apps {
			sum[k][i+2] += r.weight * r.x[a]
		}
	}
	n := len(apps)
	matrix := make([][]float64, n)
	for i := range matrix {
		matrix[i] = make([]float64, 2*n+1)
		matrix[i][n+1+i] = 1
	}
	centred := func(r regressor) (x []float64, y float64) {
		s := sum[cell{r.client, r.stratum}]
		for i, a := range apps {
			x = append(x, r.x[a]-s[i+2]/s[0])
		}
		return x, r.rate - s[1]/s[0]
	}
	for _, r := range w.rows {
		x, y := centred(r)
		for i := range n {
			for j := range n {
				matrix[i][j] += r.weight * x[i] * x[j]
			}
			matrix[i][n] += r.weight * x[i] * y
		}
	}
	for i := range n {
		pivot := matrix[i][i]
		for j := range matrix[i] {
			matrix[i][j] /= pivot
		}
		for k := range n {
			if f := matrix[k][i]; k != i {
				for j := range matrix[k] {
					matrix[k][j] -= f * matrix[i][j]
				}
			}
		}
	}
	scores := map[int][]float64{}
	for i := range n {
		beta = append(beta, matrix[i][n])
	}
	for _, r := range w.rows {
		x, y := centred(r)
		for i := range n {
			y -= beta[i] * x[i]
		}
		if scores[r.client] == nil {
			scores[r.client] = make([]float64, n)
		}
		for i := range n {
			scores[r.client][i] += r.weight * x[i] * y
		}
	}
	for i := range n {
		variance := 0.0
		for _, s := range scores {
			u := 0.0
			for j := range n {
				u += matrix[i][n+1+j] * s[j]
			}
			variance += u * u
		}
		err = append(err, math.Sqrt(variance))
	}
	return beta, err
}

func about(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-4*math.Abs(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestContrastIsLeastSquares compares a single app's estimate and error with a plain regression.
func TestContrastIsLeastSquares(t *testing.T) {
	w := makeWorld(1)
	for app := 1; app <= 3; app++ {
		var c Contrast
		var times Times
		for _, work := range w.works {
			times.Load(work)
			for place, name := range work.Apps {
				if int(name) == app {
					if n, d, _, _ := times.Contrast(place); d > 0 {
						c.Add(n, d)
					}
				}
			}
		}
		beta, err := w.regress(app)
		e := c.Estimate()
		about(t, "the excess", e.Excess, beta[0]*scale)
		about(t, "the error", e.Error, err[0]*scale*math.Sqrt((e.Freedom+1)/e.Freedom))
	}
}

// TestJointIsLeastSquares compares a joint fit with a plain regression: the companion is cleared.
func TestJointIsLeastSquares(t *testing.T) {
	w := makeWorld(2)
	gram, scores, own := NewGram(3), NewGram(3), NewGram(0)
	place := func(app uint32) int { return int(app) - 1 }
	for _, work := range w.works {
		gram.Load(work, place)
		gram.Add()
	}
	joint, err := gram.Fit()
	if err != nil {
		t.Fatal(err)
	}
	for _, work := range w.works {
		own.Load(work, place)
		own.Score(joint.Drains, scores, nil)
	}
	beta, errs := w.regress(1, 2, 3)
	var even Contrast // of 25 clients with equal weights
	for range 25 {
		even.Add(1, 1000)
	}
	estimate := joint.Estimator(scores)
	for i := range 3 {
		e := estimate(i, even)
		if math.Abs(e.Excess-beta[i]*scale) > 2e-9 {
			t.Errorf("app %d drains %v, want %v", i+1, e.Excess, beta[i]*scale)
		}
		about(t, "the error", e.Error, errs[i]*scale*math.Sqrt(25.0/24))
	}
	if companion := estimate(1, even); companion.P() < 0.01 {
		t.Errorf("the companion of a hog has p %v", companion.P())
	}
	if hog := estimate(0, even); hog.P() > 1e-6 {
		t.Errorf("the hog has p %v", hog.P())
	}
}

// TestReject is the example of Benjamini and Hochberg (1995), §4: four of 15 tests are rejected.
func TestReject(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	for i, rejected := range Reject(p, len(p), 0.05) {
		if rejected != (i < 4) {
			t.Errorf("p %v: rejected is %t", p[i], rejected)
		}
	}
	if Reject(p[:4], 15, 0.05)[3] != true || Reject(p[:4], 1000, 0.05)[3] {
		t.Error("tests that are not listed do not count")
	}
}

// TestMulDiv compares rounded quotients with sums of 128 bits.
func TestMulDiv(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		z := random.Int64N(1<<50) + 1
		x, y := random.Int64N(z+1), random.Int64N(1<<50)
		var product, back sums.Int
		product.AddProduct(x, y)
		back.AddProduct(mulDiv(x, y, z), z)
		if left := product.Minus(back).Float(); math.Abs(left) > float64(z)/2+1 {
			t.Fatalf("%d·%d/%d leaves %v", x, y, z, left)
		}
	}
}
