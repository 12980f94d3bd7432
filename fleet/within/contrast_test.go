package within

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/fleet/sums"
)

// TestContrastsAgreeWithSums compares the estimate of a contrast with plain sums over its clients. A
// contrast is the same after it is written into a row, or added up from two parts.
func TestContrastsAgreeWithSums(t *testing.T) {
	random := rand.New(rand.NewPCG(71, 72))
	for range 200 {
		var whole, first, second Contrast
		var row sums.Row
		clients := 1 + random.IntN(Groups)
		var ns, ds []float64
		for client := range clients {
			n, d := random.Int64N(2_000_000)-500_000, 1+random.Int64N(5_000_000)
			ns, ds = append(ns, float64(n)), append(ds, float64(d))
			whole.Add(n, d)
			if client%2 == 0 {
				first.Add(n, d)
			} else {
				second.Add(n, d)
			}
			AddGrouped(&row, client, n, d)
		}
		sumN, sumD, squareD, squares := 0.0, 0.0, 0.0, 0.0
		for i := range ns {
			sumN, sumD, squareD = sumN+ns[i], sumD+ds[i], squareD+ds[i]*ds[i]
		}
		for i := range ns {
			squares += (ns[i] - sumN/sumD*ds[i]) * (ns[i] - sumN/sumD*ds[i])
		}
		free := sumD*sumD/squareD - 1
		want := Estimate{Excess: sumN / sumD * scale, Error: math.Sqrt(squares*(free+1)/free) / sumD * scale, Freedom: free}
		got := whole.Estimate()
		if clients == 1 {
			if !math.IsNaN(got.Error) && got.Freedom > 1e-9 {
				t.Errorf("one client gives %+v", got)
			}
			continue
		}
		about(t, "the excess", got.Excess, want.Excess)
		about(t, "the error", got.Error, want.Error)
		about(t, "the freedom", got.Freedom, want.Freedom)
		first.Plus(second)
		var written sums.Row
		whole.Row(&written)
		if first != whole || ContrastOf(written) != whole || Grouped(&row) != whole {
			t.Fatalf("%d clients: %+v, written %+v, grouped %+v, want %+v", clients, first, ContrastOf(written), Grouped(&row), whole)
		}
		student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}
		about(t, "half the width", got.Half(0.95), want.Error*student.Quantile(0.975))
		about(t, "the probability", got.P(), 1-student.CDF(want.Excess/want.Error))
	}
}

// TestEstimatesWithoutData checks estimates that nothing determines.
func TestEstimatesWithoutData(t *testing.T) {
	var none Contrast
	if e := none.Estimate(); !math.IsNaN(e.Excess) || !math.IsNaN(e.Error) || e.P() != 1 || !math.IsInf(e.Half(0.95), 1) {
		t.Errorf("nothing gives %+v", e)
	}
	for _, c := range []struct {
		e    Estimate
		p    float64
		half float64
	}{
		{Estimate{Excess: 1, Error: 0, Freedom: 3}, 0, 0}, {Estimate{Excess: 0, Error: 0, Freedom: 3}, 1, 0}, {Estimate{Excess: -1, Error: 0, Freedom: 3}, 1, 0},
		{Estimate{Excess: 1, Error: 1, Freedom: 0}, 1, math.Inf(1)}, {Estimate{Excess: 1, Error: 1, Freedom: -1}, 1, math.Inf(1)}, {Estimate{Excess: math.NaN(), Error: 1, Freedom: 3}, 1, 3.182446},
		{Estimate{Excess: 1, Error: math.NaN(), Freedom: 3}, 1, math.NaN()}, {Estimate{Excess: 0, Error: 1, Freedom: 1}, 0.5, 12.7062}, {Estimate{Excess: 1, Error: 1, Freedom: 1}, 0.25, 12.7062}, {Estimate{Excess: 1, Error: 2, Freedom: 0.5}, 0.39, math.NaN()},
	} {
		if got := c.e.P(); math.Abs(got-c.p) > 0.02 || c.p == 0.25 && math.Abs(got-c.p) > 1e-9 {
			t.Errorf("%+v has the probability %v, want %v", c.e, got, c.p)
		}
		if got := c.e.Half(0.95); !math.IsNaN(c.half) && got != c.half && math.Abs(got-c.half) > 1e-3 {
			t.Errorf("%+v has half the width %v, want %v", c.e, got, c.half)
		}
	}
}

// TestRejectFollowsBenjaminiAndHochberg compares Reject with the definition: the largest rank whose p
// is at most its part of the rate, and all smaller p.
func TestRejectFollowsBenjaminiAndHochberg(t *testing.T) {
	random := rand.New(rand.NewPCG(73, 74))
	rejected := 0
	for range 300 {
		p := make([]float64, random.IntN(8))
		for i := range p {
			p[i] = float64(random.IntN(60)) / 400
		}
		tests, rate := len(p)+random.IntN(4), 0.1
		limit := -1.0
		for _, x := range p {
			rank := 0
			for _, other := range p {
				if other <= x {
					rank++
				}
			}
			if x <= rate*float64(rank)/float64(tests) {
				limit = max(limit, x)
			}
		}
		for i, got := range Reject(p, tests, rate) {
			if got != (p[i] <= limit) {
				t.Fatalf("%v of %d tests: %v is rejected: %v", p, tests, p[i], got)
			}
			if got {
				rejected++
			}
		}
	}
	if rejected == 0 {
		t.Error("nothing is rejected")
	}
}

// TestStrataCompareWithAndWithout checks the contrast of a stratum, and strata in which there is
// nothing to compare.
func TestStrataCompareWithAndWithout(t *testing.T) {
	var s Stratum
	for _, p := range []struct {
		drop, time int64
		ends       uint8
	}{{100, 1000, 2}, {50, 1000, 0}, {50, 1000, 0}, {80, 1000, 1}} {
		s.Add(p.drop, p.time, p.ends)
	}
	// With x between 0 and 1 the app ran in 1.5 of 4 pairs, and 280 drops are 70 per pair.
	if n, d := s.Contrast(); n != 2*(280-3000*280/4000) || d != 5000-3000*3000/4000 {
		t.Errorf("the contrast is %d and %d", n, d)
	}
	for _, ends := range []uint8{0, 2} {
		var same Stratum
		same.Add(100, 1000, ends)
		same.Add(300, 500, ends)
		if n, d := same.Contrast(); n != 0 || d != 0 {
			t.Errorf("the app ran at %d ends of all pairs, and the contrast is %d and %d", ends, n, d)
		}
	}
}

// TestUnionOfPresences compares the union of the pairs of two apps with a map, and whether they meet.
func TestUnionOfPresences(t *testing.T) {
	random := rand.New(rand.NewPCG(75, 76))
	met := 0
	for range 300 {
		var lists [2][]presence
		ends := make(map[int]int)
		shared := false
		for i := range lists {
			for pair := range 12 {
				if random.IntN(4) > 0 {
					continue
				}
				n := 1 + random.IntN(2)
				lists[i] = append(lists[i], presence{pair: int32(pair), ends: uint8(n)})
				shared = shared || ends[pair] > 0
				ends[pair] += n
			}
		}
		var want []presence
		for pair := range 12 {
			if n := ends[pair]; n > 0 {
				want = append(want, presence{pair: int32(pair), ends: uint8(min(n, 2))})
			}
		}
		if got := union(lists[0], lists[1]); !slices.Equal(got, want) {
			t.Fatalf("%v and %v give %v", lists[0], lists[1], got)
		}
		if meet(lists[0], lists[1]) != shared {
			t.Fatalf("%v and %v meet: %v", lists[0], lists[1], !shared)
		}
		if shared {
			met++
		}
	}
	if met == 0 || met == 300 {
		t.Errorf("%d of 300 lists meet", met)
	}
}

// TestSpreads adds up the clients with at least half of an excess.
func TestSpreads(t *testing.T) {
	var a, b Spread
	if a.Most() != 1 {
		t.Errorf("without data %v of the clients have it", a.Most())
	}
	// A drain of 2,000,000 millionths of a per cent and a weight of 10: half of it is 10.
	a.add(-10, 2_000_000, 10)
	a.add(-11, 2_000_000, 10)
	a.add(5, 0, 10)
	a.add(5, 10, 0)
	b.add(0, 2_000_000, 20)
	if a.Most() != 0.5 || b.Most() != 1 {
		t.Errorf("%v and %v of the clients have it", a.Most(), b.Most())
	}
	a.Plus(b)
	if a.Most() != 0.75 {
		t.Errorf("%v of all clients have it", a.Most())
	}
}
