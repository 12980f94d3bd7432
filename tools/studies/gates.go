package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/repeats"
)

// An Answer is the answer of a gate.
type Answer uint8

// The answers.
const (
	Green Answer = iota
	Red
	CannotJudge
)

// gates are the gates in the documentation. Package finding defines their rules.
var gates = []string{"evidence", "total>+3%", "total>+3% and evidence", "row>1% and evidence"}

// matters is the default of the smallest relevant difference.
const matters = 0.05

// A Judged is a study with the estimates of all rows and of the total.
type Judged struct {
	Study
	Found *repeats.Study
	Whole repeats.Estimate
}

// judge judges a study. builds is the noise between builds that the test assumes.
func judge(s Study, builds float64) Judged {
	c := repeats.Conditions{Order: s.Order.TestTrend(s.Total), Builds: builds, Assumed: builds == repeats.DefaultBuilds}
	return Judged{s, repeats.JudgeUnder(c, s.Rows), repeats.JudgeUnder(c, []repeats.Pair{s.Total}).Tasks[0]}
}

// answers returns the answers of all gates.
func (j *Judged) answers() []Answer {
	mean := func(values []float64) float64 {
		sum := 0.0
		for _, x := range values {
			sum += x
		}
		return sum / float64(len(values))
	}
	reference, subject := mean(j.Total.Reference), mean(j.Total.Subject)
	total, evident, large := j.Whole.Verdict == repeats.Costlier && j.Whole.Difference > 0.03*reference, false, false
	for i, e := range j.Found.Tasks {
		if e.Verdict != repeats.Costlier {
			continue
		}
		evident = evident || e.Difference >= matters*mean(j.Rows[i].Reference)
		large = large || e.Difference > 0.01*subject
	}
	evident = evident || j.Whole.Verdict == repeats.Costlier && j.Whole.Difference >= matters*reference
	loose := total || slices.ContainsFunc(j.Found.Tasks, func(e repeats.Estimate) bool { return e.Verdict == repeats.Costlier })
	found := []bool{evident, total, total && loose, large}
	out := make([]Answer, len(found))
	for i, red := range found {
		switch {
		case red:
			out[i] = Red
		case j.Study.Order.Sequence == repeats.OneAfterOther:
			out[i] = CannotJudge
		}
	}
	return out
}

// A rival is another statistical test. It returns the p-value of a row.
type rival struct {
	name string
	p    func(repeats.Pair) float64
	// corrected is true if the p-values are corrected for the number of rows.
	corrected bool
}

var rivals = []rival{{"Welch and BH", welch, true}, {"Mann–Whitney and BH", mannWhitney, true}, {"benchstat's rule", mannWhitney, false}}

// found reports, for each row, whether the rival test finds that it costs more.
func (t rival) found(rows []repeats.Pair) []bool {
	p := make([]float64, len(rows))
	for i := range rows {
		p[i] = t.p(rows[i])
	}
	if t.corrected {
		p = repeats.Adjusted(p)
	}
	out := make([]bool, len(rows))
	for i := range rows {
		out[i] = p[i] < repeats.Rate
	}
	return out
}

// welch returns the p-value of Welch's test on logarithms. A run without the row counts as a small
// value.
func welch(p repeats.Pair) float64 {
	moments := func(values []float64) (mean, variance, n float64) {
		n = float64(len(values))
		for _, x := range values {
			mean += math.Log(x+1) / n
		}
		for _, x := range values {
			variance += (math.Log(x+1) - mean) * (math.Log(x+1) - mean) / (n - 1)
		}
		return mean, variance, n
	}
	a, va, n := moments(p.Subject)
	b, vb, m := moments(p.Reference)
	v := va/n + vb/m
	if v == 0 {
		return 1
	}
	freedom := v * v / (va*va/n/n/(n-1) + vb*vb/m/m/(m-1))
	return 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival(math.Abs(a-b)/math.Sqrt(v))
}

// mannWhitney returns the exact two-sided p-value of the Mann-Whitney test. Ties count half.
func mannWhitney(p repeats.Pair) float64 {
	n, m := len(p.Subject), len(p.Reference)
	smaller := 0.0
	for _, a := range p.Subject {
		for _, b := range p.Reference {
			switch {
			case a < b:
				smaller++
			case a == b:
				smaller += 0.5
			}
		}
	}
	few := min(smaller, float64(n*m)-smaller)
	counts := ways(n, m)
	all, at := 0.0, 0.0
	for k, c := range counts {
		all += c
		if float64(k) <= few {
			at += c
		}
	}
	return min(1, 2*at/all)
}

var known = make(map[[2]int][]float64)

// ways returns, for each value of Mann and Whitney's statistic, how many orders of n and m numbers
// have this value.
func ways(n, m int) []float64 {
	if c, ok := known[[2]int{n, m}]; ok {
		return c
	}
	c := make([]float64, n*m+1)
	if n == 0 || m == 0 {
		c[0] = 1
		return c
	}
	for k, x := range ways(n-1, m) {
		c[k+m] += x
	}
	for k, x := range ways(n, m-1) {
		c[k] += x
	}
	known[[2]int{n, m}] = c
	return c
}
