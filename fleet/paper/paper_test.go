package paper

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// dist returns the distribution of rates in % a second.
func dist(rates ...float64) Dist {
	var d Dist
	for _, r := range rates {
		d.Add(int64(math.Round(r * unit)))
	}
	return d
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestEquations compares §2.2 with figures worked out by hand, for the rates 1, 2, 3 and 6
// thousandths.
func TestEquations(t *testing.T) {
	d := dist(0.001, 0.002, 0.003, 0.006)
	near(t, "µ", d.Mean(), 0.003)
	near(t, "s²", d.Variance()*1e6, 14.0/3)                     // (4+1+0+9)/3
	near(t, "ε", d.Error(Normal)*1e3, 1.96*math.Sqrt(14.0/3)/2) // h·s/√n
	near(t, "ε by Student", d.Error(Student)*1e3, 3.182446305*math.Sqrt(14.0/3)/2)
	two := dist(0.001, 0.002)
	if ratio := two.Error(Student) / two.Error(Normal); math.Abs(ratio-12.7062/1.96) > 1e-3 {
		t.Errorf("for two rates Student's error is %v times the normal one", ratio)
	}
	if !math.IsNaN(dist(0.001).Error(Normal)) {
		t.Error("one rate has an error")
	}
}

// TestGap checks §2.4 and Figure 3: d = µ1−µ2, e = ε1+ε2, d′ = d−e.
func TestGap(t *testing.T) {
	subject, reference := dist(0.010, 0.012, 0.011, 0.013), dist(0.004, 0.006, 0.005, 0.005)
	g := Compare(subject, reference, Normal)
	near(t, "d", g.Distance, 0.0065)
	near(t, "e", g.Error, 1.96*(math.Sqrt(5.0/3)*0.001/2+math.Sqrt(2.0/3)*0.001/2))
	near(t, "d′", g.Gap, g.Distance-g.Error)
	if !g.Significant() || Compare(reference, subject, Normal).Significant() {
		t.Error("the dearer of the two is not the one that drains more")
	}
	if Compare(subject, dist(0.001), Normal).Significant() {
		t.Error("one rate is enough to compare with")
	}
}

// TestComplementIsTheWholeLessTheCondition checks §3.3.1 and Figure 8: rates with a feature are
// added up by shard, and ¬c is found by subtraction.
func TestComplementIsTheWholeLessTheCondition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var whole, with, without [3]Dist
	for range shorten.Count(300) {
		rate := random.Int64N(1e8)
		shard := random.IntN(3)
		whole[shard].Add(rate)
		if random.IntN(3) == 0 {
			with[shard].Add(rate)
		} else {
			without[shard].Add(rate)
		}
	}
	sum := func(shards [3]Dist) (d Dist) {
		for _, shard := range shards {
			d.Plus(shard)
		}
		return d
	}
	if got := sum(whole).Without(sum(with)); got != sum(without) {
		t.Errorf("¬c by subtraction is %v, directly %v", got, sum(without))
	}
}

// TestPriorSlice checks §2.3 and Figure 2: if the a-priori rates are 2, 4 and 8, the slice from 3 to 9
// contains the last two, weighted by their masses.
func TestPriorSlice(t *testing.T) {
	var p Prior
	for rate, count := range map[int64]float64{2_000_000: 5, 4_000_000: 3, 8_000_000: 1} {
		p.Add(Class(rate), count, count*float64(rate))
	}
	for _, c := range []struct {
		least, most, want int64
		found             bool
	}{
		{3_000_000, 9_000_000, 5_000_000, true}, // (3·4 + 1·8) / 4
		{0, 3_000_000, 2_000_000, true},
		{5_000_000, 7_000_000, 6_000_000, false}, // an empty slice gives the middle
		{0, 20_000_000, 3_333_333, true},
	} {
		if got, found := p.Expect(c.least, c.most); got != c.want || found != c.found {
			t.Errorf("between %d and %d: %d, %t; want %d, %t", c.least, c.most, got, found, c.want, c.found)
		}
	}
}

// TestMiddleLiesInItsClass checks that the middle of a class is in the class.
func TestMiddleLiesInItsClass(t *testing.T) {
	for c := 80; c < Classes; c++ { // lower classes contain no whole number
		if got := Class(int64(math.Round(Middle(c)))); got != c {
			t.Errorf("the middle of class %d is of class %d", c, got)
		}
	}
}
