// Package repeats tests repeated runs of two programs. It finds the tasks that differ by more than
// they do between runs of the same program.
//
// # The method
//
// The figure of a task in a run is its energy. The possible saving of a task is the difference
// between the means of the two sides. Runs are few, and their figures are skewed. The noise of a
// task is therefore not estimated only from its own runs:
//
//   - The noise of a task is relative. It is the deviation of a run from the mean of its side,
//     divided by that mean. The mean square of this noise is the task's dispersion, as in a
//     quasi-likelihood whose variance grows with the square of the mean (McCullagh and Nelder,
//     Generalized Linear Models, 2nd edition, Section 9.2). Zeros need no special treatment, and
//     tasks of any size can be compared.
//   - The noise of a task is evidence about the noise of others. The expected dispersion of a task
//     with the mean μ is a + b/μ. a is the variation of a whole run, and b is the variation of small
//     counts, such as samples. A task's own dispersion is shrunk towards this expectation, and more so
//     if the tasks are more alike (Smyth, "Linear models and empirical Bayes methods for assessing
//     differential expression in microarray experiments", 2004; limma and edgeR use the same
//     trend).
//   - The tasks of a run increase and decrease together. A hundred tasks then have no more
//     information about noise than a few. A variance therefore counts as no more precise than the
//     variance of a few independent tasks. Their number (Tasks of [Noise]) follows from the
//     correlation of the deviations.
//   - The difference divided by its standard error has Student's t distribution. There are two
//     standard errors, one with the separate means of the two sides and one with their common mean.
//     The larger of the two is used. Otherwise a side with few runs would look too certain.
//
// All tasks are tested together. Their p-values are corrected by the procedure of Benjamini and
// Hochberg ("Controlling the false discovery rate", 1995). Their intervals are corrected by the
// procedure of Benjamini and Yekutieli ("False discovery rate-adjusted multiple confidence
// intervals", 2005). An interval therefore excludes zero exactly if the task has a verdict.
//
// # What it assumes
//
// Runs must be independent of each other, and be made under the same conditions, except for the
// change under test. Both sides must be equally noisy, relative to their means. The false discovery
// rate holds for tasks that are independent or positively dependent. Tasks with common causes, and
// nested tasks, are positively dependent. The tests check the rates by simulations with common
// noise of runs, skewed noise and counts. The rates hold for two or more runs on each side. For
// fewer runs, [Judge] gives no verdict. [JudgeReadings] judges one run on each side with stated
// noise.
//
// All functions are pure and may be called concurrently. If the sides are swapped, the results are
// mirrored. If the figures have another unit, the results are the same in that unit.
package repeats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Rate is the false discovery rate of verdicts: one in twenty tasks with a verdict is expected to
// have it by chance. Accordingly, intervals have a confidence level of 95 %.
const Rate = 0.05

// LeastRuns is the minimum number of runs on each side for a verdict.
const LeastRuns = 2

// A Pair has the figures (energies) of a task in each run of the subject and of the reference. The
// figure is 0 in a run without the task. All pairs of a study have the same numbers of runs.
type Pair struct{ Subject, Reference []float64 }

// A Verdict is the result of testing a task.
type Verdict uint8

// The verdicts.
const (
	// NoEvidence means that the difference may be chance.
	NoEvidence Verdict = iota
	// Costlier means that the subject uses more energy for the task, and Cheaper that it uses less.
	Costlier
	Cheaper
)

// String returns the verdict in words for users.
func (v Verdict) String() string { return [...]string{"no evidence", "costlier", "cheaper"}[v] }

// An Interval has the bounds of a confidence interval.
type Interval struct{ Least, Most float64 }

// An Estimate has the results for one task.
type Estimate struct {
	Verdict Verdict
	// Difference is the subject's mean minus the reference's mean. Interval is its confidence
	// interval at Study.Level.
	Difference float64
	Interval   Interval
	// P is the p-value: the probability of a difference at least this large if the task is equal on
	// both sides. Q is P corrected for the number of tasks, and a verdict needs Q of at most Rate.
	P, Q float64
	// Subject and Reference are the medians of the runs of the two sides.
	Subject, Reference MedianInterval
}

// A MedianInterval is the median of the runs of a side, with its 95 % interval.
type MedianInterval struct {
	Median float64
	Interval
}

// A Study has the results of testing all tasks.
type Study struct {
	// Tasks has an estimate for each pair, in the order of the pairs.
	Tasks []Estimate
	// Level is the confidence level of the tasks' intervals. It is at least 0.95, and higher if few
	// tasks have a verdict. So 95 % of the intervals of tasks with a verdict contain the true
	// difference.
	Level float64
	Noise Noise
	// Conditions describes how the runs were made. JudgeReadings does not set it.
	Conditions Conditions
	// Excess is the factor, at least 1, by which rows scatter more than their noise. See
	// JudgeReadings. It is 0 for a Study of several runs.
	Excess float64
	// Shift is the common factor, such as 1.5, by which the rows of two alike runs differ. It is 1
	// if there is none, and 0 for a Study of several runs.
	Shift float64
}

// Method names the statistics of Judge for users.
const Method = "moderated t-test of relative deviations, corrected by Benjamini and Hochberg"

// Evident returns the number of tasks with a verdict.
func (s *Study) Evident() int {
	n := 0
	for i := range s.Tasks {
		if s.Tasks[i].Verdict != NoEvidence {
			n++
		}
	}
	return n
}

// Judge tests tasks in runs whose order is unknown. It assumes no noise between builds.
func Judge(pairs []Pair) *Study { return JudgeUnder(Conditions{}, pairs) }

// JudgeUnder tests tasks in runs that were made under the conditions c. If a side has fewer than
// LeastRuns runs, all verdicts are NoEvidence.
func JudgeUnder(c Conditions, pairs []Pair) *Study {
	s := &Study{Tasks: make([]Estimate, len(pairs)), Level: 1 - Rate, Conditions: c}
	rows := newRows(pairs, &c)
	for i, p := range pairs {
		s.Tasks[i] = Estimate{Difference: rows[i].difference(), P: 1, Q: 1, Subject: MedianInterval{Median: Median(p.Subject)}, Reference: MedianInterval{Median: Median(p.Reference)}}
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
		if rows[i].presence != oneSided {
			continue
		}
		if chance := together.chanceOneSided(); chance > Rate {
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
	reach := make(map[float64]halfWidths) // By degrees of freedom, which have few different values.
	for i := range rows {
		freedom := s.Noise.freedom(&rows[i])
		if _, ok := reach[freedom]; !ok {
			reach[freedom] = halfWidths{quantile(alpha, freedom), confidenceWidth(1 - alpha), quantile(Rate, freedom)}
		}
		s.Noise.conclude(&rows[i], &s.Tasks[i], p[i], q[i], reach[freedom])
	}
	return s
}

// halfWidths has half widths of intervals, in standard errors. difference is for the difference of
// two means if the noise is estimated from the runs. normal is the same for known noise. median is
// for a median.
type halfWidths struct{ difference, normal, median float64 }

// conclude sets the fields of a task's estimate.
func (n *Noise) conclude(r *row, e *Estimate, p, q float64, reach halfWidths) {
	e.P, e.Q = p, q
	trend, drift := n.drift(r)
	difference := e.Difference - trend
	half := drift + n.halfWidth(r, reach.difference, reach.normal)
	if r.presence != always {
		// The interval must agree with the test, which for such rows uses more than the standard
		// error. P-values above the constant even do not widen it further.
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

// around returns the confidence interval of one side's median.
func (n *Noise) around(r *row, median float64, s side, reach float64) Interval {
	if median <= 0 {
		return Interval{}
	}
	return spread(median, n.dispersion(r, s.mean), reach, s.runs)
}

// p returns the p-value of a row.
func (n *Noise) p(r *row) float64 {
	if r.part != nil {
		return n.partP(r)
	}
	return n.testP(r)
}

// testP returns the p-value of the test that compares a row's means.
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
		return tailProbability(difference / math.Sqrt(between))
	}
	// Search for the quantile of Student's t at which the interval begins to contain 0. z is the
	// quantile of the normal distribution for the same p-value. The probability of t is computed much
	// faster than a quantile.
	low, high := 0.0, difference/math.Sqrt(within)
	const rounds = 60
	for range rounds {
		t := (low + high) / 2
		p := 2 * student.Survival(t)
		if z := min(math.Sqrt2*math.Erfcinv(p), farthest); n.halfWidth(r, t, z) < difference {
			low = t
		} else {
			high = t
		}
		if high-low < 1e-8*high {
			break
		}
	}
	return 2 * student.Survival((low+high)/2)
}

// quantile returns the two-sided quantile of Student's t: its absolute value is larger with
// probability alpha.
func quantile(alpha, freedom float64) float64 {
	return -distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(alpha / 2)
}

// Adjusted corrects the p-values of tests that are made together. For each test, it returns the
// smallest false discovery rate at which the test is significant (Benjamini and Hochberg, 1995).
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

// Median returns the median of values, or 0 if there are none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
