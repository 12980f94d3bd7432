package analysis

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Normalization selects how the reference's energies are scaled, to make runs of different
// lengths comparable. If the subject has several runs, the other runs of both sides are scaled to
// its median run. The zero value scales nothing.
type Normalization struct {
	By NormalizedBy
	// Method is the method whose calls ByCalls counts: a label with or without parameters, or a
	// short name.
	Method string
	// Subject and Reference are, for ByWork, how much work each run does, such as the number of
	// user actions. Both are positive.
	Subject, Reference int64
}

// NormalizedBy is the quantity that is equal in both runs after scaling.
type NormalizedBy uint8

// The quantities.
const (
	NoNormalization NormalizedBy = iota
	// ByTime scales the reference to the subject's length.
	ByTime
	// ByEnergy scales the reference to the subject's total energy.
	ByEnergy
	// ByWork scales the reference to the subject's work: see Normalization.Subject.
	ByWork
	// ByCalls scales the reference to the subject's number of calls of Normalization.Method.
	ByCalls
)

// String describes the quantity.
func (by NormalizedBy) String() string {
	return [...]string{"nothing", "the subject's length", "the subject's energy", "the subject's work", "the subject's calls of a method"}[by]
}

// A Scale is the factor Times/Of by which a run's energies were multiplied. For an input with
// several runs it is the mean factor. nil means 1.
type Scale struct {
	Times, Of int64
	By        NormalizedBy

	counted bool // whether the recording has exact numbers of calls
}

// Factor returns the scale as a number.
func (s *Scale) Factor() float64 {
	if s == nil {
		return 1
	}
	return float64(s.Times) / float64(s.Of)
}

// normalize scales the runs to the subject's only run, or to the median of its runs.
func (s *setup) normalize(runs [][]reading) error {
	n := s.options.Normalize
	if n.By == NoNormalization || len(runs) == 1 && len(runs[0]) == 1 {
		return nil
	}
	amounts := make([][]int64, len(runs))
	for i, list := range runs {
		for _, run := range list {
			amount, err := n.amount(i, &run)
			if err != nil {
				return fmt.Errorf("normalizing %s: %w", run.in.Path, err)
			}
			amounts[i] = append(amounts[i], amount)
		}
	}
	sorted := slices.Sorted(slices.Values(amounts[0]))
	target := sorted[len(sorted)/2]
	for i := range runs {
		if i == 0 && len(runs[0]) == 1 {
			continue // this is the run to which the others are scaled
		}
		for k := range runs[i] {
			if err := runs[i][k].scale(Scale{Times: target, Of: amounts[i][k], By: n.By}); err != nil {
				return err
			}
		}
	}
	return nil
}

// amount returns a run's amount of the quantity that the normalization makes equal.
func (n *Normalization) amount(side int, run *reading) (int64, error) {
	switch n.By {
	case ByTime:
		if l := int64(Length(run.in.Trace)); l > 0 {
			return l, nil
		}
		return 0, errors.New("the recording does not state its duration")
	case ByEnergy:
		if run.in.Energy > 0 {
			return int64(run.in.Energy), nil
		}
		return 0, errors.New("the run used no energy")
	case ByCalls:
		return calls(run, n.Method)
	}
	if side == 0 {
		return n.Subject, nil
	}
	return n.Reference, nil
}

// calls counts the calls of a method in a run.
func calls(run *reading, method string) (int64, error) {
	if run.tree.Counted != trace.CountedCalls {
		return 0, errors.New("the recording does not count calls")
	}
	count, found := int64(0), make([]bool, len(run.tree.Methods))
	for i, m := range run.tree.Methods {
		label := m.Label()
		plain, _, _ := strings.Cut(label, "(")
		found[i] = method == label || method == plain || method == m.Short()
	}
	for i := range run.tree.Nodes {
		if m := run.tree.Nodes[i].Method; m >= 0 && found[m] {
			count += run.tree.Calls.Self(int32(i)) + run.tree.Recursive.Self(int32(i))
		}
	}
	if count == 0 {
		return 0, fmt.Errorf("the run does not call %s", method)
	}
	return count, nil
}

// scale multiplies the energies of a run by the factor.
func (r *reading) scale(by Scale) error {
	if r.in.Energy != 0 && by.Factor() > math.MaxInt64/2/float64(r.in.Energy) {
		return fmt.Errorf("normalizing %s: the energy %d × %d/%d is too large", r.in.Path, r.in.Energy, by.Times, by.Of)
	}
	by.counted = r.tree.Counted == trace.CountedCalls
	r.tree = r.tree.Scaled(by.Times, by.Of)
	tr := *r.in.Trace
	tr.Calls = trace.NoCalls
	r.in.Trace, r.in.Scale, r.in.Energy, r.in.Bundles = &tr, &by, r.tree.Energy.Total(), nil
	if c := r.in.APICosts; c != nil {
		without := *c
		without.Bill = nil
		r.in.APICosts = &without
	}
	r.in.Components = componentsIn(r.tree, r.in.Components)
	return nil
}

// scaled returns a warning for each input that was scaled.
func scaled(inputs []*Input) []trace.Warning {
	var warnings []trace.Warning
	for i, in := range inputs {
		if s := in.Scale; s != nil {
			times := units.Fixed(s.Factor(), 3)
			if in.Runs != nil {
				least, most := math.Inf(1), 0.0
				for _, run := range in.Runs {
					least, most = min(least, run.Scale.Factor()), max(most, run.Scale.Factor())
				}
				times = fmt.Sprintf("%s to %s, each run by its own factor", units.Fixed(least, 3), units.Fixed(most, 3))
			}
			warnings = append(warnings, trace.Warning{Code: "normalized", Message: fmt.Sprintf(
				"%s energies are multiplied by %s, to match %s; calls do not scale and are not shown", sideName(i == 0), times, s.By)})
		}
	}
	return warnings
}
