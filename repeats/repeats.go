// Package repeats tests repeated runs of two programs: which of their tasks differ by more than
// runs of one program do.
//
// # The method
//
// A task has a figure for each run of either side, its energy. What it could save is the
// difference of the two means. Runs are few and their figures are skewed, so the noise of a
// task is not estimated from its own runs alone:
//
//   - The noise of a task is relative: a run's deviation from the mean of its side, divided
//     by that mean. Its square, the dispersion, is that of a quasi-likelihood whose variance
//     grows with the square of the mean (McCullagh and Nelder, Generalized Linear Models, 2nd
//     edition, Section 9.2). Zeros need no special care, and tasks of any size compare.
//   - Tasks share information about noise. The dispersion of a task of mean μ is expected to
//     be a + b/μ: a is the variation of a run as a whole, b the
//     variation of small counts, such as samples. A task's own dispersion is shrunk towards this
//     expectation, the more the more alike the tasks are
//     (Smyth, "Linear models and empirical Bayes methods for assessing differential
//     expression in microarray experiments", 2004; limma and edgeR use the same trend).
//   - Tasks of one run go up and down together, and then a hundred tasks show no more about
//     noise than a few. So the precision of a variance is bounded by a lower bound of the number
//     of independent tasks (Tasks of [Noise]), which follows from the correlation of the
//     deviations.
//   - The difference divided by its standard error has Student's t distribution. The
//     standard error is the larger of those with the two sides' own means and with their
//     common one, so that a side with few runs does not look surer than it is.
//
// Tasks are tested together. Their p-values are corrected by Benjamini and Hochberg
// ("Controlling the false discovery rate", 1995), and the intervals by Benjamini and
// Yekutieli ("False discovery rate-adjusted multiple confidence intervals", 2005), so that
// an interval leaves out zero where, and only where, the task has a verdict.
//
// # What it assumes
//
// Runs are independent of each other and were made under the same conditions, except for the
// change under test. Both sides are equally noisy, relative to their means. The false
// discovery rate holds for tasks that are independent or depend on each other positively,
// as tasks with common causes and nested tasks do. The tests check the rates by simulation with
// common noise of runs, skewed noise and counts. They hold for two or more runs on each side;
// [Judge] gives no verdict for fewer. [JudgeOnce] judges one run on each side by stated noise.
//
// All functions are pure and may be called concurrently. Swapped sides give mirrored
// results, and figures in another unit the same in that unit.
package repeats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Rate is the false discovery rate of verdicts: of tasks with a verdict, one in twenty is
// expected to have it by chance. Intervals are of 95 %.
const Rate = 0.05

// LeastRuns is how many runs either side needs for a verdict.
const LeastRuns = 2

// A Pair is what one task had in each run of the subject and of the reference; 0 in a run
// without it. All pairs of a study have the same numbers of runs.
type Pair struct{ Subject, Reference []float64 }

// A Verdict is the result of the test of one task.
type Verdict uint8

// The verdicts.
const (
	// NoEvidence: the difference may be chance.
	NoEvidence Verdict = iota
	// Costlier and Cheaper: the subject spends more on it, or less.
	Costlier
	Cheaper
)

// String names the verdict as people read it.
func (v Verdict) String() string { return [...]string{"no evidence", "costlier", "cheaper"}[v] }

// An Interval has the bounds of a figure.
type Interval struct{ Least, Most float64 }

// An Estimate is what the runs show of one task.
type Estimate struct {
	Verdict Verdict
	// Difference is the subject's mean minus the reference's, and Interval its confidence interval.
	// The coverage is simultaneous for all tasks with a verdict: see Study.Level.
	Difference float64
	Interval   Interval
	// P is the probability of such a difference between equal tasks. Q is the smallest false
	// discovery rate at which the task has a verdict.
	P, Q float64
	// Subject and Reference are the middles of the two sides.
	Subject, Reference Middle
}

// A Middle is the median of a side's runs, with its interval of 95 %.
type Middle struct {
	Median float64
	Interval
}

// A Study is what runs show of all tasks.
type Study struct {
	// Tasks has an estimate for each pair, in their order.
	Tasks []Estimate
	// Level is the confidence level of the tasks' intervals, 0.95 or more. 95 % of the intervals
	// of tasks with a verdict contain the true difference.
	Level float64
	Noise Noise
	// Conditions are how the runs were made, unknown for JudgeOnce.
	Conditions Conditions
	// Excess is the factor by which rows scatter more than their noise, 1 or more: see JudgeOnce.
	// It is 0 of a Study of several runs.
	Excess float64
}

// Method names the statistics of Judge for people.
const Method = "moderated t-test of relative deviations, corrected by Benjamini and Hochberg"

// Evident counts the tasks with a verdict.
func (s *Study) Evident() int {
	n := 0
	for i := range s.Tasks {
		if s.Tasks[i].Verdict != NoEvidence {
			n++
		}
	}
	return n
}

// Judge studies the tasks of runs of an unknown order, without noise between builds.
func Judge(pairs []Pair) *Study { return JudgeUnder(Conditions{}, pairs) }

// JudgeUnder studies the tasks of runs that were made under some conditions. All estimates lack
// evidence where a side has fewer than LeastRuns runs.
func JudgeUnder(c Conditions, pairs []Pair) *Study {
	s := &Study{Tasks: make([]Estimate, len(pairs)), Level: 1 - Rate, Conditions: c}
	rows := newRows(pairs, &c)
	for i, p := range pairs {
		s.Tasks[i] = Estimate{Difference: rows[i].difference(), P: 1, Q: 1, Subject: Middle{Median: Median(p.Subject)}, Reference: Middle{Median: Median(p.Reference)}}
	}
	if len(pairs) == 0 || min(len(pairs[0].Subject), len(pairs[0].Reference)) < LeastRuns {
		return s
	}
	s.Noise = estimate(rows, c)
	s.Noise.between(rows)
	together := newPresences(pairs, rows)
	p := make([]float64, len(rows))
	for i := range rows {
		p[i] = s.Noise.p(&rows[i])
		if rows[i].presence != apart {
			continue
		}
		if chance := together.apart(); chance > Rate {
			p[i] = max(p[i], chance)
		}
	}
	q := Adjusted(p)
	passed := 0
	for i := range q {
		if q[i] <= Rate {
			passed++
		}
	}
	alpha := Rate * float64(max(passed, 1)) / float64(len(p))
	s.Level = 1 - alpha
	reach := make(map[float64]reaches) // by degrees of freedom, which have few distinct values
	for i := range rows {
		freedom := s.Noise.freedom(&rows[i])
		if _, ok := reach[freedom]; !ok {
			reach[freedom] = reaches{quantile(alpha, freedom), within(1 - alpha), quantile(Rate, freedom)}
		}
		s.Noise.conclude(&rows[i], &s.Tasks[i], p[i], q[i], reach[freedom])
	}
	return s
}

// reaches are by how many errors intervals reach to either side: that of a difference, by the noise of
// runs and by known noise, and those of medians.
type reaches struct{ difference, normal, median float64 }

// conclude fills in the estimate of a task.
func (n *Noise) conclude(r *row, e *Estimate, p, q float64, reach reaches) {
	e.P, e.Q = p, q
	trend, drift := n.drift(r)
	difference := e.Difference - trend
	half := drift + n.reach(r, reach.difference, reach.normal)
	if r.presence != always {
		// The interval agrees with the test, which is not one of the standard error alone. A larger p
		// than even would not make the interval more useful.
		const even = 0.5
		byTest := reach.difference * math.Abs(difference) / quantile(min(p, even), n.freedom(r))
		switch {
		case r.part == nil:
			half = max(half, byTest)
		case q > Rate:
			half = max(byTest, reach.difference*r.spread)
		default:
			half = byTest
		}
	}
	e.Interval = Interval{difference - half, difference + half}
	switch {
	case q > Rate:
	case difference > 0:
		e.Verdict = Costlier
	case difference < 0:
		e.Verdict = Cheaper
	}
	e.Subject.Interval = n.around(r, e.Subject.Median, r.subject, reach.median)
	e.Reference.Interval = n.around(r, e.Reference.Median, r.reference, reach.median)
}

// around is the interval of a side's median.
func (n *Noise) around(r *row, median float64, of side, reach float64) Interval {
	if median <= 0 {
		return Interval{}
	}
	return spread(median, n.dispersion(r, of.mean), reach, of.runs)
}

// p is how likely a difference is that is as large as the task's, where there is none.
func (n *Noise) p(r *row) float64 {
	if r.part != nil {
		return n.partP(r)
	}
	return n.testP(r)
}

// testP is the p of the test of a row's means.
func (n *Noise) testP(r *row) float64 {
	trend, drift := n.drift(r)
	difference := math.Abs(r.difference()-trend) - drift
	within, between := n.variance(r)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n.freedom(r)}
	switch {
	case difference <= 0:
		return 1
	case within+between == 0:
		return 0
	case between == 0:
		return 2 * student.Survival(difference/math.Sqrt(within))
	case within == 0:
		return beyond(difference / math.Sqrt(between))
	}
	// The p at which the interval begins to hold 0 is between the two of the parts alone. At each z
	// the normal quantile, t is the quantile of the same probability.
	low, high := 0.0, min(difference/math.Sqrt(between), farthest)
	const rounds = 40
	for range rounds {
		z := (low + high) / 2
		t := quantile(beyond(z), student.Nu)
		if n.reach(r, t, z) < difference {
			low = z
		} else {
			high = z
		}
		if high-low < 1e-7*high {
			break
		}
	}
	return beyond((low + high) / 2)
}

// quantile is what Student's t passes on either side with a probability of alpha in all.
func quantile(alpha, freedom float64) float64 {
	return -distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(alpha / 2)
}

// Adjusted corrects p-values of tests that are made together: each becomes the least false
// discovery rate at which its test passes (Benjamini and Hochberg, 1995).
func Adjusted(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	q, least := make([]float64, len(p)), 1.0
	for rank := len(order); rank > 0; rank-- {
		i := order[rank-1]
		least = min(least, p[i]*float64(len(p))/float64(rank))
		q[i] = least
	}
	return q
}

// Median is the middle of figures, 0 for none.
func Median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
