package finding

import (
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A FiredAlternative is an alternative of a gate that holds. The comparison then fails.
type FiredAlternative struct {
	// Text has the conditions as the user wrote them.
	Text   string
	Values []ConditionValue
}

// A ConditionValue is a condition of a gate with its value in a comparison.
type ConditionValue struct {
	Condition
	// Energy is the condition's value. Share is the same value as a fraction of Base. Share is 0
	// for Evidence.
	Share  float64
	Energy units.Energy
	// Base is the energy that Share is a fraction of.
	Base units.Energy
	// Interval has the bounds of Energy. Both bounds equal Energy if no bounds are known.
	Interval Interval
	// Row is a row to look at. For the measure Row it has the largest saving. For Evidence it is
	// the first row that counts. Rows is the number of rows that count. Row is valid only if Rows
	// is not 0.
	Row  Ranked
	Rows int
	// TotalCostlier is true for Evidence if the subject's total is larger by more than chance.
	TotalCostlier bool
	// Known is true for Total and Evidence if the total leaves out rows that Set.Without excludes.
	Known bool
	// Claim is the fleet's claim, for FleetHog.
	Claim *claim.Claim
}

// Met returns the alternatives that hold for a comparison, or nil. It evaluates every condition. It
// returns an error if a condition cannot be judged, even if other conditions decide the gate. For
// example, runs with little in common have no savings, and one run per side cannot show evidence.
func (g Gate) Met(set *Set) ([]FiredAlternative, error) {
	return g.met(func(c Condition, all []Condition) (ConditionValue, bool, error) { return c.judge(set, all) })
}

// judge evaluates a condition on a comparison. all are the conditions of its alternative.
func (c Condition) judge(set *Set, all []Condition) (ConditionValue, bool, error) {
	if c.Measure == FleetHog {
		return c.hog(set.Suspicion)
	}
	least := leastEvident(all, set)
	reached, ok, err := c.reached(set, least)
	if err == nil && !ok {
		err = c.unseparated(set, &reached)
	}
	if err == nil && !ok {
		err = c.unlessWaited(set, least)
	}
	return reached, ok, err
}

// MetBy is like Met, for a gate of single runs. The voltage converts charge to energy.
func (g Gate) MetBy(in *analysis.Input, v units.Voltage) ([]FiredAlternative, error) {
	return g.met(func(c Condition, _ []Condition) (ConditionValue, bool, error) { return c.wasted(in, v) })
}

// Measures reports whether the gate has a condition with the named measure.
func (g Gate) Measures(what string) bool {
	for _, all := range g.alternatives {
		for _, c := range all {
			if c.Measure == what {
				return true
			}
		}
	}
	return false
}

func (g Gate) met(reach func(c Condition, all []Condition) (ConditionValue, bool, error)) ([]FiredAlternative, error) {
	var fired []FiredAlternative
	for _, all := range g.alternatives {
		holds := FiredAlternative{Text: text(all)}
		for _, c := range all {
			reached, ok, err := reach(c, all)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Measure, err)
			}
			if ok {
				holds.Values = append(holds.Values, reached)
			}
		}
		if len(holds.Values) == len(all) {
			fired = append(fired, holds)
		}
	}
	return fired, nil
}

// An Examined is an alternative of a gate with the value of each condition. It helps users to check
// their gate.
type Examined struct {
	Text       string
	Conditions []ExaminedCondition
}

// An ExaminedCondition is a condition with its value. Err is not nil if it cannot be judged.
type ExaminedCondition struct {
	ConditionValue
	Holds bool
	Err   error
	// Always is true if the condition also holds when the reference is compared with itself. The
	// gate then fails for every change.
	Always bool
}

// Examine evaluates each condition of a gate separately.
func (g Gate) Examine(set *Set) []Examined {
	var list []Examined
	for _, all := range g.alternatives {
		e := Examined{Text: text(all)}
		for _, c := range all {
			x := ExaminedCondition{}
			x.ConditionValue, x.Holds, x.Err = c.judge(set, all)
			x.Condition = c // also if the condition cannot be judged
			if c.Measure == Wasted && x.Holds {
				_, there, err := c.wasted(&set.Result.Reference, set.Result.Voltage)
				x.Always = there && err == nil
			}
			e.Conditions = append(e.Conditions, x)
		}
		list = append(list, e)
	}
	return list
}

// reached returns the condition's value for a set, and whether the value exceeds the limit. least
// is the smallest difference that Evidence accepts, as a share. nil accepts any difference.
func (c Condition) reached(s *Set, least *float64) (reached ConditionValue, ok bool, err error) {
	r := s.Result
	reached = ConditionValue{Condition: c}
	switch c.Measure {
	case Evidence:
		return c.evidence(s, least)
	case Wasted:
		return c.wasted(&r.Subject, r.Voltage)
	}
	if r.TwoKinds() {
		return reached, false, errors.New("the figures of the two runs are of two kinds and cannot be compared")
	}
	if c.Measure == Total {
		return c.total(s)
	}
	if s.judged.all == LittleInCommon {
		return reached, false, fmt.Errorf("these runs have little in common, so nothing can be called a saving: %s", r.Summary.Shared())
	}
	reached.Base = r.Subject.Energy
	s.measure(&reached)
	reached.Share = units.Share(reached.Energy, reached.Base)
	ok, err = c.exceeded(reached, r.Voltage)
	return reached, ok && !(c.Measure == Saving && s.improved()), err
}

// improved reports whether the subject is the reference's app and uses less in total. The
// difference must be more than chance, and the runs comparable. Such a subject has no saving as a
// whole, so no condition on Saving holds.
func (s *Set) improved() bool {
	r := s.judged.r
	return r.AppCode.OneApp && r.Chance.Total.Verdict == repeats.Cheaper && len(r.Comparability) == 0
}

// total compares the totals of both runs, without the known rows.
func (c Condition) total(s *Set) (reached ConditionValue, ok bool, err error) {
	r := s.Result
	reached = ConditionValue{Condition: c, Base: r.Reference.Energy}
	if normalizesTotal(r) {
		return reached, false, errors.New("--normalize total makes both totals equal, so this condition could never hold; leave out --normalize, or use evidence or row>5%")
	}
	if reached.Base == 0 && r.Subject.Energy > 0 && !c.InEnergy {
		return reached, false, errors.New("the reference uses no energy, so there is nothing to compare with")
	}
	rest := s.Remainder()
	reached.Energy, reached.Interval, reached.Known = rest.Difference, rest.Interval, rest.Excluded > 0
	reached.Share = units.Share(reached.Energy, reached.Base)
	if ok, err = c.exceeded(reached, r.Voltage); ok && rest.Waited {
		return reached, false, errMayWait
	}
	return reached, ok && rest.Costlier, err
}

// errMayWait is the error of a condition that cannot be judged because threads may have waited.
var errMayWait = errors.New("the recordings have elapsed time, so the excess may be threads that waited: record processor time, for example with perf")

// unlessWaited returns an error if a condition does not hold but would hold if no thread waited.
func (c Condition) unlessWaited(s *Set, least *float64) error {
	if s.judged.subjectWait == 0 || c.Measure == Total || c.Measure == Wasted {
		return nil
	}
	work := newSet(s.Result, s.judged.asWork(), s.known, s.Suspicion, s.Severity)
	if _, ok, err := c.reached(work, least); err != nil || !ok {
		return err
	}
	return errMayWait
}

// normalizesTotal reports whether a result scales the runs to equal totals.
func normalizesTotal(r *analysis.Result) bool {
	for _, in := range []*analysis.Input{&r.Subject, &r.Reference} {
		if in.Scale != nil && in.Scale.By == analysis.ByEnergy {
			return true
		}
		for _, run := range in.Runs {
			if run.Scale != nil && run.Scale.By == analysis.ByEnergy {
				return true
			}
		}
	}
	return false
}

// evidence reports whether repeated runs show that something costs the subject more. least is the
// smallest difference that counts, as a share of the reference's energy. It may be nil.
func (c Condition) evidence(s *Set, least *float64) (reached ConditionValue, ok bool, err error) {
	reached = ConditionValue{Condition: c}
	if s.Result.Repeats == nil {
		return reached, false, fmt.Errorf("a side has only one run: evidence needs %d or more runs on each side", repeats.LeastRuns)
	}
	matters := func(difference, whole units.Energy) bool {
		return least == nil || float64(difference) >= *least*float64(whole)
	}
	rest := s.Remainder()
	reached.TotalCostlier, reached.Known = (rest.Costlier || rest.Waited && s.judged.subjectWait == 0) && matters(rest.Difference, s.Result.Reference.Energy), rest.Excluded > 0
	reached.Energy, reached.Interval, reached.Base = rest.Difference, rest.Interval, s.Result.Reference.Energy
	for _, at := range s.Ranking() {
		saving, energy := s.amounts(at)
		if s.Standing(at).IsFinding && matters(saving, energy-saving) {
			if reached.Rows == 0 {
				reached.Row = at
			}
			reached.Rows++
		}
	}
	return reached, reached.TotalCostlier || reached.Rows > 0, nil
}

// hog evaluates a FleetHog condition: whether the fleet claims that the app or the version is a
// hog.
func (c Condition) hog(s *Suspicion) (reached ConditionValue, ok bool, err error) {
	reached = ConditionValue{Condition: c}
	if s == nil {
		return reached, false, errors.New("give a file of diffprof fleet analyze with --fleet")
	}
	reached.Claim = s.Claim
	if !s.Claim.Judged {
		return reached, false, fmt.Errorf("too few devices ran %s to judge it", s.Claim.App)
	}
	if c.Version == "" || !s.Claim.Hog {
		return reached, s.Claim.Hog && s.Claim.Least() > 0, nil
	}
	for _, v := range s.Claim.Versions {
		if v.Name == c.Version && v.Enough {
			return reached, v.Least() > 0, nil
		}
	}
	return reached, false, fmt.Errorf("too few devices ran version %s of %s to judge it", c.Version, s.Claim.App)
}

// wasted returns the energy that a run's components used without need.
func (c Condition) wasted(in *analysis.Input, v units.Voltage) (reached ConditionValue, ok bool, err error) {
	reached = ConditionValue{Condition: c}
	if in.Bundles == nil {
		return reached, false, errors.New("the waste of components is unknown: give a power model, and a single run that has times of calls and states no energies")
	}
	reached.Energy, reached.Base = savable(Wastes(in)), in.Energy
	reached.Interval = exactly(reached.Energy)
	reached.Share = units.Share(reached.Energy, in.Energy)
	ok, err = c.exceeded(reached, v)
	return reached, ok, err
}

// exceeded reports whether a value exceeds the condition's limit.
func (c Condition) exceeded(reached ConditionValue, v units.Voltage) (bool, error) {
	if !c.InEnergy {
		return reached.Share > c.Share, nil
	}
	num, den := c.Unit.Scale(v)
	limit, err := units.Decimal(c.Amount, num, den)
	return err == nil && reached.Energy > units.Energy(limit), err
}

// isWord reports whether conditions with this measure have no amount.
func isWord(measure string) bool { return measure == Evidence || measure == FleetHog }

// measure sets reached.Energy for Saving, Row or Unmatched. Only rows that count contribute.
func (s *Set) measure(reached *ConditionValue) {
	if reached.Measure == Saving {
		h := s.Headline()
		reached.Energy, reached.Interval, reached.Rows, reached.Row = h.Savable.Most, h.Savable, h.Rows, h.First
		return
	}
	r := s.Result
	only := units.Energy(0)
	for _, at := range s.Ranking() {
		standing := s.Standing(at)
		if !standing.IsFinding {
			continue
		}
		saving := units.Energy(0)
		if at.Code {
			saving = r.AppCode.Rows[at.Index].Saving
		} else {
			t := &r.Tasks[at.Index]
			if saving = t.Saving; t.Peer < 0 && !t.Moved() {
				only += t.Own
			}
		}
		if reached.Rows++; saving > reached.Energy {
			reached.Energy, reached.Interval, reached.Row = saving, standing.Saving, at
		}
	}
	if reached.Measure == Unmatched {
		reached.Energy, reached.Interval = only, exactly(only)
	}
}

// A Remainder is the difference of the totals without the rows that Set.Without excludes.
type Remainder struct {
	Difference units.Energy
	Interval   Interval
	// Costlier is true if the difference is positive by more than chance, and neither waiting nor
	// an assumed figure of the power model can have caused it.
	Costlier bool
	// Waited is true if the difference is positive by more than chance, but waiting may have caused
	// it.
	Waited bool
	// Excluded is the number of excluded rows. ExcludedDifference is their part of the difference.
	Excluded           int
	ExcludedDifference units.Energy
}

// Remainder returns the difference of the totals without the rows that Without excludes.
func (s *Set) Remainder() Remainder {
	r := s.judged.r
	least, most := analysis.Energies(r.Chance.Total.Interval)
	rest := Remainder{
		Difference: r.Subject.Energy - r.Reference.Energy, Interval: Interval{least, most},
		Costlier: r.Chance.Total.Verdict == repeats.Costlier, Excluded: len(s.known.tasks) + len(s.known.code),
	}
	if rest.Excluded == 0 {
		rest.doubtElapsed(r)
		return rest
	}
	// The interval keeps its width. This is conservative, because the variation is smaller without
	// the excluded rows.
	left := s.judged.unlisted(s.known).Difference()
	rest.ExcludedDifference = left
	rest.Difference -= left
	rest.Interval.Least -= left
	rest.Interval.Most -= left
	rest.Costlier = rest.Interval.Least > 0
	rest.doubtElapsed(r)
	return rest
}

// doubtElapsed sets Waited instead of Costlier if waiting may have caused the difference. It clears
// Costlier if assumed figures of the power model decide which run uses more.
func (rest *Remainder) doubtElapsed(r *analysis.Result) {
	if waited(r) {
		rest.Costlier, rest.Waited = false, rest.Costlier
	}
	if differs, ok := modelled(r); ok && byModel(r.Subject.Energy-r.Reference.Energy, differs) {
		rest.Costlier = false
	}
}
