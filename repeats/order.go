package repeats

import (
	"cmp"
	"math"
	"slices"
)

// Conditions describes how the runs of a study were made. The zero Conditions mean an unknown order
// and no noise between builds.
type Conditions struct {
	Order Order
	// Builds is the noise between builds: the relative standard deviation of builds of the same
	// program. They differ in layout, compiled code and installation. More runs do not reduce this
	// noise, because it is the same in all runs of a build.
	Builds float64
	// Assumed is set if Builds is a guess, neither measured nor stated. If the rows of a study
	// scatter by less, the guess is corrected.
	Assumed bool
	// Expected is the relative standard deviation of a row that is expected before any run, or 0.
	// It counts as one more degree of freedom. A row that is tested alone needs it, because two
	// runs of a side are too often similar by chance.
	Expected float64
}

// DefaultBuilds is the noise between builds if nothing is known about it.
const DefaultBuilds = 0.03

// A Sequence is the order in which the runs of the two sides were made.
type Sequence uint8

// The kinds of order.
const (
	// UnknownOrder means that the times of the runs are unknown. The runs are then treated as
	// InTurn.
	UnknownOrder Sequence = iota
	// InTurn means that the sides alternate. A drift then affects both sides almost equally.
	InTurn
	// OneAfterOther means that most runs of one side came after most runs of the other side. A
	// drift then looks like a change.
	OneAfterOther
)

// Constants of the rules about drift.
const (
	// maxConfounded decides whether runs count as InTurn. It is the largest part of the variance
	// of the runs' positions that may be between the sides. For A B A B the part is 0.2, and for A
	// A B B it is 0.8.
	maxConfounded = 0.25
	// minAdjusted is the minimum number of runs for testing for a trend.
	minAdjusted = 6
	// minDriftRuns is how many runs a side needs to estimate the drift from the trend within the
	// sides. With fewer, PlausibleDrift is considered possible, and otherwise LeastDrift.
	minDriftRuns = 4
)

// If one side was recorded after the other, a drift looks like a change. Drifts of this size are
// then considered possible, relative and from one run to the next: PlausibleDrift if a side has
// fewer than four runs, and LeastDrift otherwise.
const (
	PlausibleDrift = 0.05
	LeastDrift     = 0.01
)

// An Order has the positions in time of the runs of both sides. NewOrder makes it.
type Order struct {
	Sequence Sequence
	// Adjusted is set if the runs have a trend, which is removed from the differences. TestTrend
	// sets it.
	Adjusted bool
	// Trend is the relative change of the total from one run to the next. TestTrend sets it.
	Trend float64
	// places has the position of each run, minus the mean position of its side. The subject's runs
	// come first.
	places []float64
	// gap is how much later the subject's runs are than the reference's, on average. squares is the
	// sum of the squared places.
	gap, squares float64
	few          bool
}

// NewOrder orders runs by their start times, in any unit. The order is unknown if a side has no
// times, or if all times are equal.
func NewOrder(subject, reference []float64) Order {
	n, m := float64(len(subject)), float64(len(reference))
	ranks := middleRanks(slices.Concat(subject, reference))
	if n == 0 || m == 0 {
		return Order{}
	}
	mean := func(values []float64) float64 {
		sum := 0.0
		for _, x := range values {
			sum += x
		}
		return sum / float64(len(values))
	}
	s, r := mean(ranks[:len(subject)]), mean(ranks[len(subject):])
	o := Order{gap: s - r, few: min(n, m) < minDriftRuns}
	for k, x := range ranks {
		center := s
		if k >= len(subject) {
			center = r
		}
		o.places = append(o.places, x-center)
		o.squares += (x - center) * (x - center)
	}
	between := n * m / (n + m) * o.gap * o.gap
	switch all := between + o.squares; {
	case all == 0:
		return Order{}
	case between/all > maxConfounded:
		o.Sequence = OneAfterOther
	default:
		o.Sequence = InTurn
	}
	return o
}

// middleRanks returns the rank of each value. Equal values share the mean of their ranks.
func middleRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return ranks
}

// TestTrend tests whether the totals have a trend within the sides, and returns the order with the
// result. If the runs are InTurn and have a trend, Adjusted is set. Runs that are OneAfterOther are
// never adjusted (see LeastDrift).
func (o Order) TestTrend(totals Pair) Order {
	if o.Sequence == UnknownOrder || o.squares == 0 || len(totals.Subject)+len(totals.Reference) != len(o.places) {
		return o
	}
	r := newRow(totals)
	residue := 0.0
	o.Trend, residue = o.slope(r.deviations)
	if freedom := float64(len(o.places) - 3); o.Sequence == InTurn && len(o.places) >= minAdjusted {
		t := math.Abs(o.Trend) / math.Sqrt(residue/freedom/o.squares)
		o.Adjusted = t > quantile(Rate, freedom)
	}
	return o
}

// slope fits a line to deviations over the positions of the runs. residue is the sum of the squared
// distances from the line.
func (o *Order) slope(deviations []float64) (slope, residue float64) {
	for k, x := range deviations {
		slope += x * o.places[k] / o.squares
	}
	for k, x := range deviations {
		x -= slope * o.places[k]
		residue += x * x
	}
	return slope, residue
}

// fits reports whether to fit a trend to the runs of each row.
func (o *Order) fits() bool {
	return o.squares > 0 && (o.Adjusted || o.Sequence == OneAfterOther)
}

// fit removes the trend from a row's deviations, and sets the row's slope and leverage.
func (r *row) fit(o *Order) {
	if !o.fits() || r.freedom <= 1 || len(r.deviations) != len(o.places) || r.subject.mean <= 0 || r.reference.mean <= 0 {
		return
	}
	slope, residue := o.slope(r.deviations)
	for k := range r.deviations {
		r.deviations[k] -= slope * o.places[k]
	}
	r.freedom--
	r.own = residue / r.freedom
	r.slope, r.leverage = slope, o.gap*o.gap/o.squares
}

// common returns the mean over all runs of both sides.
func (r *row) common() float64 {
	return (r.subject.mean*r.subject.runs + r.reference.mean*r.reference.runs) / (r.subject.runs + r.reference.runs)
}

// drift returns how much of a row's difference is a trend (part), and how much may be drift or a
// common offset (bound).
func (n *Noise) drift(r *row) (part, bound float64) {
	shared := n.offset(r)
	switch o := &n.conditions.Order; {
	case o.Sequence == OneAfterOther:
		least := LeastDrift
		if o.few {
			least = PlausibleDrift
		}
		return 0, shared + math.Abs(o.gap)*max(math.Abs(r.slope), least)*r.common()
	case o.Adjusted:
		return r.slope * o.gap * r.common(), shared
	}
	return 0, shared
}
