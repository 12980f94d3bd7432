package repeats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Reading is the figure of a row on one side of a comparison, with its noise. The noise is not
// estimated from the figures, because a single run cannot show it.
type Reading struct {
	// Figure is the figure of the row. It is 0 if the side has no such row.
	Figure float64
	// Common and Quantum define the noise: a figure with the mean μ has the dispersion Common +
	// Quantum/μ. Common is the variation of a whole run. Quantum is the figure of a single sample,
	// because numbers of samples vary as counts do.
	Common, Quantum float64
	// Fixed is a part of Figure that has no noise. It is at most Figure.
	Fixed float64
	// Calls is the number of calls whose energy the figure is. It is 0 if calls were not counted.
	Calls float64
	// Event is the number of calls that one counted call stands for. It is the factor of a scaled
	// run. 0 means 1.
	Event float64
}

// A Once is a row with a single reading on each side.
type Once struct {
	Subject, Reference Reading
	// Elsewhere is the difference of another figure, which may contain a part of this row's figure
	// in one of the runs. For example, a compiler that inlines a call moves its energy to the
	// caller. Elsewhere is 0 if there is no such figure. If it is opposite to this row's
	// difference, the two differences cancel, and the row has none.
	Elsewhere float64
}

// OnceMethod names the statistics of JudgeOnce for users.
const OnceMethod = "intervals from samples or stated noise, combined by MOVER, corrected by Benjamini and Hochberg"

// A Programs states how the programs of the two runs are related.
type Programs uint8

// The relations.
const (
	// Unlike means that the runs are of different programs, whose rows may all differ.
	Unlike Programs = iota
	// Alike means that both runs are of the same program, and that their noise is an assumption. If
	// all rows shift by the same factor, a run may just be slow or longer, so the shift counts as
	// noise. A row that shifts further differs by what exceeds the shift.
	Alike
	// Steady means that both runs are of the same program, and that the noise of a run is known. If
	// all rows shift by the same factor, this is then a difference, and only the scatter around the
	// shift counts as noise.
	Steady
)

// fewReadings is the minimum number of rows that can show that two runs are noisier than stated.
// halfNormal is the median distance of a standard normal variable from 0.
const (
	fewReadings = 5
	halfNormal  = 0.6744897501960817
)

// farthest is the maximum number of standard errors that is considered. Chance never makes a
// difference this large.
const farthest = 37.0

// JudgeOnce judges rows with a single reading on each side.
//
// A figure x has the interval x·exp(±r) at z standard errors, with r² =
// (2·asinh(z·√(Quantum/x)/2))² + z²·log(1+Common). The first term of r² is the score interval of a
// Poisson mean. The second term is the interval of a log-normal variable. The interval of a figure
// of 0 ends at z²·Quantum. The intervals of the two sides are combined to the interval of the
// difference (Zou and Donner, "Construction of confidence limits about effect measures: a general
// approach", 2008, known as MOVER). Let z be the value at which the interval of a row begins to
// contain 0. The p-value of the row is the probability that belongs to this z.
//
// Numbers of calls are exact. If one side calls a row more often, by more than counts of events
// vary, the row differs by at least the energy of the additional calls. If chance cannot explain a
// row at all, such as a row that only one side calls, its p-value is 0, and it does not count as
// one of the tests.
//
// Most rows of two runs of the same program do not differ. If rows nevertheless differ by more than
// their noise, JudgeOnce multiplies the noise of all rows by Study.Excess. programs decides what
// counts as a deviation. If Alike rows have a common shift, their noise is multiplied by their scatter
// around the shift instead, and only what exceeds the shift is evidence.
func JudgeOnce(rows []Once, programs Programs) *Study {
	s := &Study{Tasks: make([]Estimate, len(rows)), Level: 1 - Rate, Excess: 1, Shift: 1}
	z := make([]float64, len(rows))
	var matched []float64
	for i := range rows {
		z[i] = rows[i].errors()
		if rows[i].Subject.Figure > 0 && rows[i].Reference.Figure > 0 {
			matched = append(matched, z[i])
		}
	}
	if programs == Steady {
		matched = aroundShift(rows)
	}
	if programs != Unlike && len(matched) >= fewReadings {
		s.Excess = max(1, Median(matched)/halfNormal)
	}
	excess, others := s.Excess, []Once(nil)
	if programs == Alike {
		if shift, scatter := commonShift(rows); shift != 0 {
			s.Shift = math.Exp(shift)
			excess, others = min(excess, scatter), withoutShift(rows, s.Shift)
			for i := range others {
				z[i] = min(z[i], others[i].errors())
				if a, b := rows[i].difference(), others[i].difference(); a*b <= 0 {
					z[i] = 0
				}
			}
		}
	}
	p, tests, order := make([]float64, len(rows)), []float64(nil), []int(nil)
	for i := range rows {
		if p[i] = beyond(z[i] / excess); p[i] > 0 {
			tests, order = append(tests, p[i]), append(order, i)
		}
	}
	q, passed := make([]float64, len(rows)), 0
	for k, x := range Adjusted(tests) {
		if q[order[k]] = x; x <= Rate {
			passed++
		}
	}
	if len(tests) > 0 {
		s.Level = 1 - Rate*float64(max(passed, 1))/float64(len(tests))
	}
	reach := excess * within(s.Level)
	for i := range rows {
		s.Tasks[i] = rows[i].estimate(reach)
		if others != nil {
			s.Tasks[i].widen(others[i].interval(reach))
		}
		s.Tasks[i].P, s.Tasks[i].Q = p[i], q[i]
	}
	return s
}

// aroundShift returns the number of standard errors of each row that both sides have, after
// removing the common shift. The common shift is the median of the rows' ratios.
func aroundShift(rows []Once) []float64 {
	return errorsAround(rows, Median(ratios(rows)))
}

// ratios returns the logarithms of the ratios of the rows that both sides have.
func ratios(rows []Once) []float64 {
	var all []float64
	for _, o := range rows {
		if o.Subject.Figure > 0 && o.Reference.Figure > 0 {
			all = append(all, math.Log(o.Subject.Figure/o.Reference.Figure))
		}
	}
	return all
}

// errorsAround returns the errors of the rows that both sides have, after the logarithms of their
// ratios were reduced by shift.
func errorsAround(rows []Once, shift float64) []float64 {
	half := math.Exp(shift / 2)
	var errors []float64
	for _, o := range rows {
		if o.Subject.Figure > 0 && o.Reference.Figure > 0 {
			o.Subject, o.Reference = o.Subject.scaled(1/half), o.Reference.scaled(half)
			errors = append(errors, o.errors())
		}
	}
	return errors
}

// A shift is common if it is at least leastShift, on a logarithmic scale, and at least
// shiftErrors standard errors of the median of the ratios. leastShift is a factor of about 1.1.
// medianError is the standard error of a median, in standard errors of a mean.
const (
	leastShift  = 0.1
	shiftErrors = 4
	medianError = 1.2533141373155003
)

// commonShift returns the common shift of the rows, on a logarithmic scale, or 0 if there is none.
// excess is the factor by which the rows scatter around the shift more than their noise, at least
// 1. Calls are left out, because a slow run has as many calls, and a longer run has more.
func commonShift(rows []Once) (shift, excess float64) {
	all := ratios(rows)
	if len(all) < fewReadings {
		return 0, 1
	}
	shift = Median(all)
	distances := make([]float64, len(all))
	for i, x := range all {
		distances[i] = math.Abs(x - shift)
	}
	// The distances from a median of few ratios are too small (Croux and Rousseeuw, "Time-efficient
	// algorithms for two highly robust estimators of scale", 1992).
	n := float64(len(all))
	small := 1.2
	if n >= 10 {
		small = n / (n - 0.8)
	}
	deviation := small * Median(distances) / halfNormal
	if math.Abs(shift) < max(leastShift, shiftErrors*medianError*deviation/math.Sqrt(n)) {
		return 0, 1
	}
	uncounted := slices.Clone(rows)
	for i := range uncounted {
		uncounted[i].Subject.Calls, uncounted[i].Reference.Calls = 0, 0
	}
	return shift, max(1, small*Median(errorsAround(uncounted, shift))/halfNormal)
}

// withoutShift returns the rows without their common shift. factor is the shift, as a factor of the
// subject's figures. The smaller side is scaled, with its numbers of calls.
func withoutShift(rows []Once, factor float64) []Once {
	rows = slices.Clone(rows)
	for i := range rows {
		if factor > 1 {
			rows[i].Reference = rows[i].Reference.scaled(factor)
		} else {
			rows[i].Subject = rows[i].Subject.scaled(1 / factor)
		}
	}
	return rows
}

// scaled returns the reading of a run in which everything was multiplied by factor.
func (r Reading) scaled(factor float64) Reading {
	r.Figure, r.Quantum, r.Fixed = r.Figure*factor, r.Quantum*factor, r.Fixed*factor
	r.Calls, r.Event = r.Calls*factor, r.counted()*factor
	return r
}

// counted returns the number of calls that one counted call stands for.
func (r *Reading) counted() float64 { return cmp.Or(r.Event, 1) }

// difference returns the difference of the figures.
func (o *Once) difference() float64 { return o.Subject.Figure - o.Reference.Figure }

// beyond returns the probability that a normal variable is more than z standard errors from its
// mean.
func beyond(z float64) float64 {
	if z >= farthest {
		return 0
	}
	return math.Erfc(z / math.Sqrt2)
}

// within returns the number of standard errors around its mean within which a normal variable is
// with probability level.
func within(level float64) float64 { return -distuv.UnitNormal.Quantile((1 - level) / 2) }

// alone is the number of standard errors of an interval that is not corrected for other intervals.
var alone = within(1 - Rate)

// JudgeOne judges a single row of unlike programs, as JudgeOnce would.
func JudgeOne(row Once) Estimate {
	e := row.estimate(alone)
	e.P = beyond(row.errors())
	e.Q = min(e.P, 1)
	return e
}

// estimate returns the estimate of the row, with an interval of z standard errors. It does not set
// P and Q.
func (o Once) estimate(z float64) Estimate {
	e := Estimate{Difference: o.Subject.Figure - o.Reference.Figure, Interval: o.interval(z)}
	for _, side := range []struct {
		from *Reading
		to   *Middle
	}{{&o.Subject, &e.Subject}, {&o.Reference, &e.Reference}} {
		least, most := side.from.limits(alone)
		*side.to = Middle{side.from.Figure, Interval{least, most}}
	}
	e.judge()
	return e
}

// judge sets the verdict by the interval.
func (e *Estimate) judge() {
	switch {
	case e.Interval.Least > 0:
		e.Verdict = Costlier
	case e.Interval.Most < 0:
		e.Verdict = Cheaper
	default:
		e.Verdict = NoEvidence
	}
}

// widen extends the interval by another one, and sets the verdict again.
func (e *Estimate) widen(by Interval) {
	e.Interval = Interval{min(e.Interval.Least, by.Least), max(e.Interval.Most, by.Most)}
	e.judge()
}

// interval returns the interval of the difference at z standard errors.
func (o Once) interval(z float64) Interval {
	i := Interval{below(&o.Subject, &o.Reference, z), -below(&o.Reference, &o.Subject, z)}
	switch difference := o.difference(); {
	case difference > 0:
		i.Least += min(0, o.Elsewhere)
	case difference < 0:
		i.Most += max(0, o.Elsewhere)
	}
	return i
}

// below returns the lower limit of the difference more - fewer at z standard errors.
func below(more, fewer *Reading, z float64) float64 {
	least, _ := more.limits(z)
	_, most := fewer.limits(z)
	limit := more.Figure - fewer.Figure - math.Hypot(more.Figure-least, most-fewer.Figure)
	return max(limit, byCalls(more, fewer, z))
}

// byCalls returns the lower limit of more - fewer that follows from the numbers of calls. The
// additional calls are assumed to use as much energy as the calls on the side with fewer calls. The
// limit is negative infinity if the numbers of calls are no evidence.
func byCalls(more, fewer *Reading, z float64) float64 {
	difference, calls := more.Figure-fewer.Figure, more.Calls-fewer.Calls
	if difference <= 0 || fewer.Calls <= 0 || calls <= 0 {
		return math.Inf(-1)
	}
	// Numbers of calls are compared as counts of events, because they vary between runs that wait
	// for external events.
	events := func(r *Reading) *Reading { return &Reading{Figure: r.Calls, Quantum: r.counted()} }
	limit := below(events(more), events(fewer), z)
	if limit <= 0 {
		return math.Inf(-1)
	}
	cost := difference
	if each := fewer.Figure / fewer.Calls; each > 0 {
		cost = min(cost, calls*each)
	}
	return limit / calls * cost * math.Exp(-z*deviation(max(more.Common, fewer.Common)))
}

// limits returns the bounds of the reading's interval at z standard errors.
func (r *Reading) limits(z float64) (least, most float64) {
	varies := r.Figure - r.Fixed
	if varies <= 0 {
		return r.Fixed, r.Fixed + z*z*r.Quantum
	}
	reach := math.Hypot(2*math.Asinh(z*math.Sqrt(r.Quantum/varies)/2), z*deviation(r.Common))
	return r.Fixed + varies*math.Exp(-reach), r.Fixed + varies*math.Exp(reach)
}

// deviation returns the standard deviation of the logarithm of a figure with the given dispersion.
func deviation(dispersion float64) float64 { return math.Sqrt(math.Log1p(dispersion)) }

// errors returns the number of standard errors at which the row's interval begins to contain 0, but
// at most farthest.
func (o Once) errors() float64 {
	if o.Subject.Figure == o.Reference.Figure {
		return 0
	}
	apart := func(z float64) bool {
		i := o.interval(z)
		return i.Least > 0 || i.Most < 0
	}
	if apart(farthest) {
		return farthest
	}
	const rounds = 50
	low, high := 0.0, farthest
	for range rounds {
		middle := (low + high) / 2
		if apart(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// Planned returns the spread of a figure whose mean and relative standard deviation are known.
func Planned(mean, deviation float64) Spread {
	return Spread{Mean: mean, Deviation: deviation, prior: math.Inf(1)}
}

// Relative returns the spread of the runs of both sides around the mean of their own side. It
// assumes that both sides are equally noisy.
func Relative(p Pair) Spread {
	var figures []float64
	for _, side := range [][]float64{p.Subject, p.Reference} {
		mean := newSide(side).mean
		for _, x := range side {
			if mean > 0 {
				figures = append(figures, x/mean)
			}
		}
	}
	_, spreads := Spreads([][]float64{slices.Clip(figures)})
	return spreads[0]
}
