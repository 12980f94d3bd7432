package repeats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Reading is the figure (the energy) of a row in a single run, with its noise. A single run
// cannot show the noise, so it is given and not estimated.
type Reading struct {
	// Figure is the energy, or 0 if the run has no such row.
	Figure float64
	// Common and Quantum define the noise: a figure with the mean μ has the dispersion Common +
	// Quantum/μ. Common is the dispersion of whole runs. Quantum is the figure of a single sample,
	// because numbers of samples vary as counts do.
	Common, Quantum float64
	// Fixed is a part of Figure that has no noise. It is at most Figure.
	Fixed float64
	// Calls is the number of calls that used the energy. It is 0 if calls were not counted.
	Calls float64
	// Event is how many calls one recorded call represents, in a run whose figures were scaled by
	// this factor. 0 means 1.
	Event float64
}

// A ReadingPair is a row of two single runs that are compared.
type ReadingPair struct {
	Subject, Reference Reading
	// Elsewhere is the difference of another row to which a part of this row's energy may have
	// moved. It is 0 if there is none. For example, a compiler that inlines a call moves its energy
	// to the caller. If the two differences have opposite signs, they cancel.
	Elsewhere float64
}

// ReadingsMethod names the statistics of JudgeReadings for users.
const ReadingsMethod = "intervals from samples or stated noise, combined by MOVER, corrected by Benjamini and Hochberg"

// Programs tells how the programs of the two runs are related.
type Programs uint8

// The relations.
const (
	// DifferentPrograms means that the runs are of different programs, whose rows may all differ.
	DifferentPrograms Programs = iota
	// SameProgram means the same program in both runs, and assumed noise. If all rows change by the
	// same factor (a shift), a run may just be slower or longer, so the shift is no evidence. A row
	// that changes by more differs by the excess.
	SameProgram
	// SameProgramKnownNoise means the same program in both runs, and known noise. If all rows
	// change by the same factor (a shift), this is a difference. Only the scatter around the shift
	// counts as noise.
	SameProgramKnownNoise
)

// minReadings is how many rows it takes to show that two runs are noisier than stated. halfNormal
// is the median distance of a standard normal variable from 0.
const (
	minReadings = 5
	halfNormal  = 0.6744897501960817
)

// farthest limits the number of standard errors. Chance never makes a difference this large.
const farthest = 37.0

// JudgeReadings tests which rows differ between two single runs.
//
// The interval of a row's difference at z standard errors follows in two steps:
//
//  1. A figure x has the interval x·exp(±r), with r² = (2·asinh(z·√(Quantum/x)/2))² +
//     z²·log(1+Common). The first term of r² is the score interval of a Poisson mean. The second term
//     is the interval of a log-normal variable. The interval of a figure of 0 ends at z²·Quantum.
//  2. The intervals of the two figures are combined by MOVER (Zou and Donner, "Construction of
//     confidence limits about effect measures: a general approach", 2008).
//
// The p-value of a row belongs to the z at which its interval begins to contain 0.
//
// Numbers of calls are exact. If one side calls a row more often, by more than counts of events
// vary, the row differs by at least the energy of the additional calls. If chance cannot explain a
// row at all, such as a row that only one side calls, its p-value is 0, and it does not count as
// one of the tests.
//
// Most rows of two runs of the same program do not differ. If rows nevertheless differ by more than
// their noise, JudgeReadings multiplies the noise of all rows by Study.Excess. The parameter
// programs decides what counts as noise. If SameProgram rows have a common shift, two things
// change: their noise grows only as far as they scatter around the shift, and only what exceeds the
// shift is evidence.
func JudgeReadings(rows []ReadingPair, programs Programs) *Study {
	s := &Study{Tasks: make([]Estimate, len(rows)), Level: 1 - Rate, Excess: 1, Shift: 1}
	z := make([]float64, len(rows))
	var matched []float64
	for i := range rows {
		z[i] = rows[i].errors()
		if rows[i].Subject.Figure > 0 && rows[i].Reference.Figure > 0 {
			matched = append(matched, z[i])
		}
	}
	if programs == SameProgramKnownNoise {
		matched = matchedErrors(withoutShift(rows, math.Exp(Median(ratios(rows)))))
	}
	if programs != DifferentPrograms && len(matched) >= minReadings {
		s.Excess = max(1, Median(matched)/halfNormal)
	}
	excess, others := s.Excess, []ReadingPair(nil)
	if programs == SameProgram {
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
		if p[i] = tailProbability(z[i] / excess); p[i] > 0 {
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
	reach := excess * confidenceWidth(s.Level)
	for i := range rows {
		s.Tasks[i] = rows[i].estimate(reach)
		if others != nil {
			s.Tasks[i].widen(others[i].interval(reach))
		}
		s.Tasks[i].P, s.Tasks[i].Q = p[i], q[i]
	}
	return s
}

// matchedErrors returns how many standard errors each row differs. It omits rows that only one side
// has.
func matchedErrors(rows []ReadingPair) []float64 {
	var all []float64
	for _, o := range rows {
		if o.Subject.Figure > 0 && o.Reference.Figure > 0 {
			all = append(all, o.errors())
		}
	}
	return all
}

// ratios returns the logarithm of subject/reference for each row that both sides have.
func ratios(rows []ReadingPair) []float64 {
	var all []float64
	for _, o := range rows {
		if o.Subject.Figure > 0 && o.Reference.Figure > 0 {
			all = append(all, math.Log(o.Subject.Figure/o.Reference.Figure))
		}
	}
	return all
}

// Constants of commonShift. A shift is at least minShift, a logarithm (a factor of about 1.1),
// and at least shiftErrors standard errors of the median ratio. medianError is the standard error
// of a median, in standard errors of a mean.
const (
	minShift    = 0.1
	shiftErrors = 4
	medianError = 1.2533141373155003
)

// commonShift returns the logarithm of the factor by which all rows differ, or 0 if there is none.
// excess is how many times more than their noise the rows scatter around it, at least 1. Numbers of
// calls are ignored, because a slow run has as many calls, and a longer run has more.
func commonShift(rows []ReadingPair) (shift, excess float64) {
	all := ratios(rows)
	if len(all) < minReadings {
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
	if math.Abs(shift) < max(minShift, shiftErrors*medianError*deviation/math.Sqrt(n)) {
		return 0, 1
	}
	uncounted := slices.Clone(rows)
	for i := range uncounted {
		uncounted[i].Subject.Calls, uncounted[i].Reference.Calls = 0, 0
	}
	return shift, max(1, small*Median(matchedErrors(withoutShift(uncounted, math.Exp(shift))))/halfNormal)
}

// withoutShift removes a common shift from rows whose subject is larger by factor. It scales up the
// figures of the smaller side, with its numbers of calls.
func withoutShift(rows []ReadingPair, factor float64) []ReadingPair {
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

// scaled returns the reading if everything in the run were multiplied by factor.
func (r Reading) scaled(factor float64) Reading {
	r.Figure, r.Quantum, r.Fixed = r.Figure*factor, r.Quantum*factor, r.Fixed*factor
	r.Calls, r.Event = r.Calls*factor, r.counted()*factor
	return r
}

// counted returns Event, or 1 if it is not set.
func (r *Reading) counted() float64 { return cmp.Or(r.Event, 1) }

func (o *ReadingPair) difference() float64 { return o.Subject.Figure - o.Reference.Figure }

// tailProbability returns the probability that a normal variable is more than z standard deviations
// from its mean.
func tailProbability(z float64) float64 {
	if z >= farthest {
		return 0
	}
	return math.Erfc(z / math.Sqrt2)
}

// confidenceWidth returns the half width of a normal confidence interval, in standard deviations.
// level is the confidence level.
func confidenceWidth(level float64) float64 { return -distuv.UnitNormal.Quantile((1 - level) / 2) }

// singleHalfWidth is the half width of a 95 % interval, in standard errors, without a correction
// for several intervals.
var singleHalfWidth = confidenceWidth(1 - Rate)

// JudgeReading tests a single row of two runs of unlike programs, as JudgeReadings does for many.
func JudgeReading(row ReadingPair) Estimate {
	e := row.estimate(singleHalfWidth)
	e.P = tailProbability(row.errors())
	e.Q = min(e.P, 1)
	return e
}

// estimate returns the row's estimate without P and Q. Its interval has z standard errors.
func (o ReadingPair) estimate(z float64) Estimate {
	e := Estimate{Difference: o.Subject.Figure - o.Reference.Figure, Interval: o.interval(z)}
	for _, side := range []struct {
		from *Reading
		to   *MedianInterval
	}{{&o.Subject, &e.Subject}, {&o.Reference, &e.Reference}} {
		least, most := side.from.limits(singleHalfWidth)
		*side.to = MedianInterval{side.from.Figure, Interval{least, most}}
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

// widen extends the interval to include another one, and sets the verdict again.
func (e *Estimate) widen(by Interval) {
	e.Interval = Interval{min(e.Interval.Least, by.Least), max(e.Interval.Most, by.Most)}
	e.judge()
}

// interval returns the interval of the difference at z standard errors.
func (o ReadingPair) interval(z float64) Interval {
	i := Interval{lowerLimit(&o.Subject, &o.Reference, z), -lowerLimit(&o.Reference, &o.Subject, z)}
	switch difference := o.difference(); {
	case difference > 0:
		i.Least += min(0, o.Elsewhere)
	case difference < 0:
		i.Most += max(0, o.Elsewhere)
	}
	return i
}

// lowerLimit returns the lower limit at z standard errors of how much larger the first figure is.
func lowerLimit(more, fewer *Reading, z float64) float64 {
	least, _ := more.limits(z)
	_, most := fewer.limits(z)
	limit := more.Figure - fewer.Figure - math.Hypot(more.Figure-least, most-fewer.Figure)
	return max(limit, lowerLimitByCalls(more, fewer, z))
}

// lowerLimitByCalls is like lowerLimit, but infers the limit from the numbers of calls. An
// additional call is assumed to use as much energy as a call on the side with fewer calls. If the
// numbers of calls are no evidence, lowerLimitByCalls returns negative infinity.
func lowerLimitByCalls(more, fewer *Reading, z float64) float64 {
	difference, calls := more.Figure-fewer.Figure, more.Calls-fewer.Calls
	if difference <= 0 || fewer.Calls <= 0 || calls <= 0 {
		return math.Inf(-1)
	}
	// Calls may depend on external events, so their numbers vary between runs as counts of events
	// do.
	events := func(r *Reading) *Reading { return &Reading{Figure: r.Calls, Quantum: r.counted()} }
	limit := lowerLimit(events(more), events(fewer), z)
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

// deviation returns the standard deviation of a figure's logarithm, for the figure's dispersion.
func deviation(dispersion float64) float64 { return math.Sqrt(math.Log1p(dispersion)) }

// errors returns how many standard errors the row differs: the z at which its interval begins to
// contain 0, at most farthest.
func (o ReadingPair) errors() float64 {
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
	const rounds = 32 // The error is then below 1e-8.
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

// SpreadOf returns the Spread of a figure, such as the total, if its mean and its relative standard
// deviation are known.
func SpreadOf(mean, deviation float64) Spread {
	return Spread{Mean: mean, Deviation: deviation, prior: math.Inf(1)}
}

// RelativeSpread returns the Spread of all runs, each divided by the mean of its side. Both sides
// are assumed to be equally noisy.
func RelativeSpread(p Pair) Spread {
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
