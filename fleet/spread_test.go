package fleet

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
	"github.com/diffprof/diffprof/fleet/within"
)

// TestOnFew checks that an excess counts as on few clients if less than half of the clients have
// it.
func TestOnFew(t *testing.T) {
	for _, c := range []struct {
		share, err float64
		few        bool
	}{{0.2, 0.5, true}, {0.4, 0.1, true}, {0.4, 2, false}, {0.6, 0.1, false}, {1, 0.1, false}} {
		s := spread{variance: (1 - c.share) / c.share, err: c.err}
		if s.onFew() != c.few {
			t.Errorf("an excess on the share %v with the error %v is on few clients: %t", c.share, c.err, s.onFew())
		}
	}
	if s := (spread{variance: math.NaN(), err: math.NaN()}); s.onFew() {
		t.Error("without data, the excess is on few clients")
	}
}

// TestUnder has clients of two models. An app uses energy on a share of the clients of one model.
// The spread on this model follows from the spread over all clients.
func TestUnder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, share := range []float64{1, 0.5, 0.1} {
		moments := func(chosen func(model int) bool) (mean, variance float64) {
			const clients = 200_000
			var n, sum, squares float64
			for i := range clients {
				excess := 0.0
				if i%4 == 0 && random.Float64() < share {
					excess = 1
				}
				if chosen(i % 4) {
					n, sum, squares = n+1, sum+excess, squares+excess*excess
				}
			}
			mean = sum / n
			return mean, squares/n/mean/mean - 1
		}
		mean, all := moments(func(int) bool { return true })
		under, want := moments(func(model int) bool { return model == 0 })
		if got := (spread{variance: all}).under(under / mean).variance; math.Abs(got-want) > 0.05*(want+1) {
			t.Errorf("under the model the variance is %v, want %v", got, want)
		}
	}
	if s := (spread{variance: 3, err: 1}); s.under(0.5) != s || s.under(math.NaN()) != s {
		t.Error("a smaller excess under conditions changes the spread")
	}
}

// TestSomeUnderConditions has an app with an excess on some clients. Its tree shows an excess on one
// model. The app is a hog on this model only if most clients of the model have the excess.
func TestSomeUnderConditions(t *testing.T) {
	for name, c := range map[string]struct {
		variance float64
		hog      bool
	}{
		"all devices of the model":   {1, true},
		"a tenth of the model's":     {19, false},
		"the variance is not known":  {math.NaN(), true},
		"as many as half, with 0.6":  {1.6, true},
		"much less than half of all": {6, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := New(Defaults(), []string{samples.Screen, samples.Model})
			if err != nil {
				t.Fatal(err)
			}
			f.Sums.Add(sums.Key("total", ""), 1, 1, 1)
			for model, excess := range map[string]int64{"A": 8, "B": 0} {
				for group := range within.Groups {
					within.AddGrouped(f.Sums.Row(sums.Key("cell", "com.mine", model, "")), group, 1000*excess+int64(10*(group%3-1)), 1000)
				}
			}
			j := &judgement{some: []Hog{{App: "com.mine", Drain: Drain{Excess: 4e-3, Half: 1e-3}, whole: Drain{Excess: 4e-3}, spread: spread{variance: c.variance, err: 0.1}}}}
			f.applyTrees(j)
			if hog := len(j.hogs) == 1; hog != c.hog || len(j.hogs)+len(j.some) != 1 {
				t.Fatalf("hogs are %v, and on some clients %v", j.hogs, j.some)
			}
			if c.hog && (len(j.hogs[0].Conditions) != 1 || j.hogs[0].Conditions[0] != claim.Condition{Feature: samples.Model, Value: "A"}) {
				t.Errorf("the condition is %v", j.hogs[0].Conditions)
			}
		})
	}
}

// TestDeviation checks that a hog with few data gets the deviation of all hogs together, and that
// hogs under conditions do not count for other hogs.
func TestDeviation(t *testing.T) {
	f, err := New(Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var c within.Contrast
	for range 1000 {
		c.Add(1000, 1000)
	}
	c.Row(f.Sums.Row(sums.Key("app", "com.mine")))
	weak := Hog{App: "com.mine", spread: spread{variance: -1, err: 5}}
	known := Hog{App: "com.known", spread: spread{variance: 0.09, err: 1e-3}}
	under := Hog{App: "com.under", spread: spread{variance: 4, err: 1e-3}, Conditions: []claim.Condition{{Feature: Version, Value: "2"}}}
	for _, d := range []struct {
		hogs      []Hog
		hog       Hog
		deviation float64 // deviation is the standard deviation of the logarithms.
	}{
		{[]Hog{weak, known, under}, weak, math.Sqrt(math.Log(1.09 + 1e-3))},
		{[]Hog{weak, known, under}, under, math.Sqrt(math.Log(5))},
		{[]Hog{weak}, weak, math.Sqrt(math.Log(5))},
		{nil, Hog{App: "com.mine"}, 0},
	} {
		f.judged = &judgement{hogs: d.hogs}
		d.hog.App = "com.mine"
		if got, want := f.deviation(&d.hog), math.Exp(1.962*d.deviation); math.Abs(got-want) > 2e-3*want {
			t.Errorf("of the hogs %v, the excesses differ by the factor %v, want %v", d.hogs, got, want)
		}
	}
}

// TestUnseenUnderConditions checks that the excess under conditions includes the part that the
// samples do not show.
func TestUnseenUnderConditions(t *testing.T) {
	f, err := New(Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &split{f: f, reference: 7, seen: 0.5}
	if got, want := s.excess(tree.Drain{Mean: 4, Half: 1}), (Drain{Excess: 6, Half: 3, Reference: 7}); got != want {
		t.Errorf("the excess is %+v, want %+v", got, want)
	}
}
