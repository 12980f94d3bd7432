package repeats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

func near(a, b, by float64) bool { return math.Abs(a-b) <= by*max(1, math.Abs(a), math.Abs(b)) }

// TestAdjusted checks the correction with the example of Benjamini and Hochberg (1995, Section
// 4.1), in which four tests are significant at 5 %.
func TestAdjusted(t *testing.T) {
	p := []float64{0.0201, 0.0001, 0.0004, 0.0019, 0.0095, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	passed := 0
	for _, q := range Adjusted(p) {
		if q <= 0.05 {
			passed++
		}
	}
	if passed != 4 {
		t.Errorf("%d pass", passed)
	}
}

// TestAdjustedIsTheLeastRate checks that the result is the smallest rate at which the published
// procedure, "the largest k with p(k) ≤ k/m · rate", includes the test.
func TestAdjustedIsTheLeastRate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range shorten.Count(200) {
		p := make([]float64, 1+r.IntN(12))
		for i := range p {
			p[i] = math.Round(100*r.Float64()) / 100
		}
		q := Adjusted(p)
		for _, rate := range []float64{0.01, 0.05, 0.1, 0.3} {
			sorted := slices.Sorted(slices.Values(p))
			limit := -1.0
			for k, x := range sorted {
				if x <= float64(k+1)/float64(len(p))*rate {
					limit = x
				}
			}
			for i := range p {
				if (q[i] <= rate+1e-12) != (p[i] <= limit) {
					t.Fatalf("%v at %v: p %v has q %v, the largest that passes is %v", p, rate, p[i], q[i], limit)
				}
			}
		}
	}
}

// TestFunctions compares functions with known values: tables of Student's t, trigamma(1) = π²/6 and
// trigamma(1/2) = π²/2.
func TestFunctions(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{quantile(0.05, 8), 2.306004}, {quantile(0.01, 4), 4.604095}, {quantile(0.05, 1), 12.7062}, {quantile(0.05, 1e9), 1.959964},
		{trigamma(1), math.Pi * math.Pi / 6}, {trigamma(0.5), math.Pi * math.Pi / 2},
		{inverseTrigamma(math.Pi * math.Pi / 6), 1}, {inverseTrigamma(trigamma(37)), 37}, {inverseTrigamma(0), math.Inf(1)},
		{bias(2), -0.5772157}, {Median([]float64{3, 1, 2}), 2}, {Median([]float64{4, 1, 2, 3}), 2.5}, {Median(nil), 0},
	} {
		if c.got != c.want && !near(c.got, c.want, 1e-5) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// TestOneTaskIsStudentsTest checks a study of a single task whose sides have nearly equal means and
// equally many runs. Its p-value must be that of Student's test of two samples, which does not use
// Noise.
func TestOneTaskIsStudentsTest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range shorten.Count(100) {
		n := 2 + r.IntN(8)
		p := Pair{make([]float64, n), make([]float64, n)}
		for i := range n {
			p.Subject[i], p.Reference[i] = 1000+r.NormFloat64(), 1000+r.NormFloat64()
		}
		squares := 0.0
		means := [2]float64{}
		for i, side := range [][]float64{p.Subject, p.Reference} {
			for _, x := range side {
				means[i] += x / float64(n)
			}
			for _, x := range side {
				squares += (x - means[i]) * (x - means[i])
			}
		}
		score := math.Abs(means[0]-means[1]) / math.Sqrt(squares/float64(2*n-2)*2/float64(n))
		got := Judge([]Pair{p}).Tasks[0].P
		if back := quantile(got, float64(2*n-2)); !near(back, score, 0.01) {
			t.Fatalf("%v: p is %v, of the score %v, want %v", p, got, back, score)
		}
	}
}

// TestAgreesWithPermutations has many tasks without a difference. The mean p-value must be close to
// the p-value of an exact permutation test, which tries all 252 ways to divide ten runs in two and
// assumes no distribution.
func TestAgreesWithPermutations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const tasks = 300
	apart, above := 0.0, 0.0
	for range tasks {
		all := make([]float64, 10)
		for i := range all {
			all[i] = 100 * math.Exp(0.3*r.NormFloat64())
		}
		got := Judge([]Pair{{all[:5], all[5:]}}).Tasks[0].P
		difference := func(set int) float64 {
			sum := 0.0
			for i, x := range all {
				if set>>i&1 == 1 {
					sum += x
				} else {
					sum -= x
				}
			}
			return math.Abs(sum)
		}
		as, ways := 0, 0
		for set := range 1 << 10 {
			ones := 0
			for i := range 10 {
				ones += set >> i & 1
			}
			if ones == 5 {
				ways++
				if difference(set) >= difference(0b11111)-1e-9 {
					as++
				}
			}
		}
		want := float64(as) / float64(ways)
		apart += math.Abs(got-want) / tasks
		above += (got - want) / tasks
	}
	if apart > 0.03 || math.Abs(above) > 0.01 {
		t.Errorf("p differs by %.4f on the average, and is above by %.4f", apart, above)
	}
}

// A random makes tasks with noise of runs, of tasks and of counts. In the first `grown` tasks, the
// subject uses more by the factor 1+growth.
type random struct {
	tasks, subject, reference int
	run, own, quantum         float64
	grown                     int
	growth                    float64
	// If even is set, all tasks are equally noisy.
	even bool
}

func (o random) pairs(r *rand.Rand) []Pair {
	common := make([]float64, o.subject+o.reference)
	for k := range common {
		common[k] = math.Exp(o.run * r.NormFloat64())
	}
	pairs := make([]Pair, o.tasks)
	for i := range pairs {
		mean, own := math.Exp(3+1.5*r.NormFloat64()), o.own
		if !o.even {
			own *= math.Exp(0.5 * r.NormFloat64())
		}
		all := make([]float64, len(common))
		for k := range all {
			x := mean * common[k] * math.Exp(own*r.NormFloat64())
			if i < o.grown && k < o.subject {
				x *= 1 + o.growth
			}
			if o.quantum > 0 {
				x = o.quantum * poisson(r, x/o.quantum)
			}
			all[k] = x
		}
		pairs[i] = Pair{all[:o.subject:o.subject], all[o.subject:]}
	}
	return pairs
}

// poisson returns a random count with the given mean.
func poisson(r *rand.Rand, mean float64) float64 {
	n, left := 0.0, mean
	for left -= r.ExpFloat64(); left > 0; left -= r.ExpFloat64() {
		n++
	}
	return n
}

// TestLaws checks these laws. Swapping the sides mirrors the results. Another unit changes no
// verdict. An interval excludes zero exactly if there is a verdict, and always contains the
// difference. Equal runs are no evidence.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	verdicts := 0
	for range shorten.Count(150) {
		o := random{tasks: 1 + r.IntN(40), subject: 2 + r.IntN(5), reference: 2 + r.IntN(5), run: 0.2 * r.Float64(), own: 0.2 * r.Float64(), grown: 5, growth: r.Float64()}
		if r.IntN(2) == 0 {
			o.quantum = 5
		}
		pairs := o.pairs(r)
		mirrored, scaled, same := make([]Pair, len(pairs)), make([]Pair, len(pairs)), make([]Pair, len(pairs))
		for i, p := range pairs {
			mirrored[i] = Pair{p.Reference, p.Subject}
			scaled[i] = Pair{times(p.Subject, 1024), times(p.Reference, 1024)}
			same[i] = Pair{p.Subject, p.Subject}
		}
		s, m, l := Judge(pairs), Judge(mirrored), Judge(scaled)
		for i, e := range s.Tasks {
			back, large := m.Tasks[i], l.Tasks[i]
			opposite := [...]Verdict{NoEvidence: NoEvidence, Costlier: Cheaper, Cheaper: Costlier}
			if back.Verdict != opposite[e.Verdict] || !near(back.P, e.P, 1e-6) || !near(back.Interval.Least, -e.Interval.Most, 1e-6) || !near(back.Subject.Median, e.Reference.Median, 0) {
				t.Fatalf("%+v is mirrored as %+v", e, back)
			}
			if large.Verdict != e.Verdict || !near(large.Interval.Most, 1024*e.Interval.Most, 1e-6) {
				t.Fatalf("%+v is times 1024 %+v", e, large)
			}
			if e.Interval.Least > e.Difference || e.Interval.Most < e.Difference {
				t.Fatalf("%+v lies outside of its interval", e)
			}
			if out := e.Interval.Least > 0 || e.Interval.Most < 0; out != (e.Verdict != NoEvidence) {
				t.Fatalf("%+v at level %v: the interval contradicts the verdict", e, s.Level)
			}
			if e.Verdict != NoEvidence {
				verdicts++
			}
			if m := e.Subject; m.Median > 0 && (m.Least > m.Median || m.Most < m.Median || m.Least < 0) {
				t.Fatalf("%+v is no interval", m)
			}
		}
		for _, e := range Judge(same).Tasks {
			if e.Verdict != NoEvidence || e.P != 1 {
				t.Fatalf("equal runs give %+v", e)
			}
		}
	}
	if verdicts < shorten.Count(100) {
		t.Errorf("the test saw %d verdicts", verdicts)
	}
}

func times(figures []float64, f float64) []float64 {
	out := make([]float64, len(figures))
	for i, x := range figures {
		out[i] = f * x
	}
	return out
}

// TestLittle checks that one run on each side, or no runs, tasks or figures, give no evidence, and
// that no result is NaN.
func TestLittle(t *testing.T) {
	for _, pairs := range [][]Pair{
		nil,
		{{[]float64{3}, []float64{1}}},
		{{[]float64{3, 3, 3}, []float64{1}}},
		{{[]float64{0, 0}, []float64{0, 0}}, {[]float64{1, 2}, []float64{0, 0}}},
		{{[]float64{}, []float64{}}},
	} {
		for _, e := range Judge(pairs).Tasks {
			if e.Verdict != NoEvidence {
				t.Errorf("%v gives %+v", pairs, e)
			}
			for _, x := range []float64{e.P, e.Q, e.Difference, e.Interval.Least, e.Interval.Most, e.Subject.Least, e.Reference.Most} {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("%v gives %+v", pairs, e)
				}
			}
		}
	}
	// Runs that are equal to the last digit have no noise, so a difference between the sides cannot
	// be chance.
	if e := Judge([]Pair{{[]float64{3, 3}, []float64{2, 2}}}).Tasks[0]; e.Verdict != Costlier || e.Interval != (Interval{1, 1}) {
		t.Errorf("without noise: %+v", e)
	}
}

func TestOutlying(t *testing.T) {
	for _, c := range []struct {
		totals []float64
		want   []int
	}{
		{[]float64{3.3, 4.0, 108.5, 3.8, 3.7, 4.6}, []int{2}},
		{[]float64{3.3, 4.0, 0.1, 3.8, 3.7, 4.6}, []int{2}},
		{[]float64{3, 4, 108}, nil},
		{[]float64{100, 100, 100, 101}, nil},
		{[]float64{100, 100, 100, 120}, []int{3}},
		{[]float64{0, 1, 1, 1}, nil},
	} {
		if got := Outlying(c.totals); !slices.Equal(got, c.want) {
			t.Errorf("of %v %v are outlying, want %v", c.totals, got, c.want)
		}
	}
}

// TestMiddles has groups of equal noise. Groups with equally many runs must have equally wide
// intervals, and groups with fewer runs wider ones. The intervals must contain the true level as
// often as stated.
func TestMiddles(t *testing.T) {
	const series, runs, noise = 400, 4, 0.1
	r := rand.New(rand.NewPCG(13, 14))
	held, all := 0, 0
	for range series {
		groups := make([][]float64, 6)
		for i := range groups {
			for range runs {
				groups[i] = append(groups[i], float64(100*(i+1))*math.Exp(noise*r.NormFloat64()))
			}
		}
		groups = append(groups, []float64{50})
		middles := Medians(groups)
		for i, m := range middles[:6] {
			if level := float64(100 * (i + 1)); m.Least <= level && level <= m.Most {
				held++
			}
			all++
			if !near(m.Most/m.Median, middles[0].Most/middles[0].Median, 1e-9) || m.Most/m.Median >= middles[6].Most/middles[6].Median {
				t.Fatalf("%+v beside %+v and %+v", m, middles[0], middles[6])
			}
		}
	}
	if share := float64(held) / float64(all); share < 0.945 || share > 0.985 {
		t.Errorf("%.1f%% of the intervals hold their level", 100*share)
	}
	for _, m := range Medians([][]float64{{3}, {5}}) {
		if m.Least != 0 || !math.IsInf(m.Most, 1) {
			t.Errorf("single runs tell %+v", m)
		}
	}
	if m := Medians([][]float64{{0, 0}, {1, 2}, nil}); m[0] != (MedianInterval{}) || m[2] != (MedianInterval{}) || m[1].Most <= m[1].Median {
		t.Errorf("%+v", m)
	}
}
