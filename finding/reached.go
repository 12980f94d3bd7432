package finding

import (
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Fired is an alternative of a gate whose conditions all hold.
type Fired struct {
	// Text has the conditions as they were given.
	Text    string
	Reached []Reached
}

// A Reached is the figure that a condition was compared with.
type Reached struct {
	Condition
	// Share and Energy are the figure that the condition limits, as a fraction and as energy. Both are
	// 0 for Evidence.
	Share  float64
	Energy units.Energy
	// Of is the energy that Share is a part of.
	Of units.Energy
	// Interval has the bounds of Energy. Both are Energy if no bounds are known.
	Interval Interval
	// Row is the row of the condition Row, or the first row that counts for Evidence. Rows is the
	// number of rows that count. Row is meaningless if Rows is 0.
	Row  Ranked
	Rows int
	// TotalCostlier is set for Evidence if the total is larger by more than chance.
	TotalCostlier bool
	// Known is set for Total and Evidence if rows are left out of the total.
	Known bool
	// Claim is the fleet's claim, for FleetHog.
	Claim *claim.Claim
}

// Met returns the alternatives that a comparison fulfils, or nil. It evaluates every condition. It
// fails if one of them cannot be judged, whatever the figures of the others are: runs with little in
// common have no savings, and one run per side is no evidence.
func (g Gate) Met(of *Set) ([]Fired, error) {
	return g.met(func(c Condition, all []Condition) (Reached, bool, error) { return c.on(of, all) })
}

// on evaluates a condition on a comparison. all are the conditions that are joined with it.
func (c Condition) on(of *Set, all []Condition) (Reached, bool, error) {
	if c.Measure == FleetHog {
		return c.hog(of.Suspicion)
	}
	reached, ok, err := c.reached(of, leastEvident(all, of))
	if err == nil && !ok {
		err = c.unseparated(of, &reached)
	}
	return reached, ok, err
}

// MetBy is Met for a gate of single runs. The voltage turns charge into energy.
func (g Gate) MetBy(in *analysis.Input, v units.Voltage) ([]Fired, error) {
	return g.met(func(c Condition, _ []Condition) (Reached, bool, error) { return c.wasted(in, v) })
}

// Measures reports whether a condition has this measure.
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

func (g Gate) met(reach func(c Condition, all []Condition) (Reached, bool, error)) ([]Fired, error) {
	var fired []Fired
	for _, all := range g.alternatives {
		holds := Fired{Text: text(all)}
		for _, c := range all {
			reached, ok, err := reach(c, all)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Measure, err)
			}
			if ok {
				holds.Reached = append(holds.Reached, reached)
			}
		}
		if len(holds.Reached) == len(all) {
			fired = append(fired, holds)
		}
	}
	return fired, nil
}

// An Examined is an alternative of a gate with each of its conditions, for people who check the gate.
type Examined struct {
	Text       string
	Conditions []ExaminedCondition
}

// An ExaminedCondition is a condition with its figure. If Err is set it cannot be judged.
type ExaminedCondition struct {
	Reached
	Holds bool
	Err   error
	// Always is set if the condition holds for the reference by itself, too. Then it fails whatever the
	// change is.
	Always bool
}

// Examine evaluates each condition of a gate by itself.
func (g Gate) Examine(of *Set) []Examined {
	var list []Examined
	for _, all := range g.alternatives {
		e := Examined{Text: text(all)}
		for _, c := range all {
			x := ExaminedCondition{}
			x.Reached, x.Holds, x.Err = c.on(of, all)
			x.Condition = c // also if it cannot be judged
			if c.Measure == Wasted && x.Holds {
				_, there, err := c.wasted(&of.Result.Reference, of.Result.Voltage)
				x.Always = there && err == nil
			}
			e.Conditions = append(e.Conditions, x)
		}
		list = append(list, e)
	}
	return list
}

// reached returns the figure of a result, and whether it is more than the condition allows. least is
// the smallest difference for Evidence, nil for any.
func (c Condition) reached(s *Set, least *float64) (reached Reached, ok bool, err error) {
	r := s.Result
	reached = Reached{Condition: c}
	switch c.Measure {
	case Evidence:
		return c.evidence(s, least)
	case Wasted:
		return c.wasted(&r.Subject, r.Voltage)
	}
	if r.TwoKinds() {
		return reached, false, errors.New("the numbers of the two runs are of two kinds, which do not compare")
	}
	if c.Measure == Total {
		return c.total(s)
	}
	if s.judged.all == LittleInCommon {
		return reached, false, fmt.Errorf("these runs have little in common, %.1f%% of the energy of tasks and app code: nothing can be called a saving", 100*r.Summary.Common)
	}
	reached.Of = r.Subject.Energy
	s.measure(&reached)
	reached.Share = units.Share(reached.Energy, reached.Of)
	ok, err = c.exceeded(reached, r.Voltage)
	return reached, ok && !(c.Measure == Saving && s.improved()), err
}

// improved reports whether the subject is a version of the reference's app that uses less in total,
// by more than chance and in comparable runs. Then the reference as a whole shows no saving, and
// only the condition Row judges the rows that cost more.
func (s *Set) improved() bool {
	r := s.judged.r
	return r.AppCode.OneApp && r.Chance.Total.Verdict == repeats.Cheaper && len(r.Comparability) == 0
}

// total compares the totals of both runs, without the rows that are known.
func (c Condition) total(s *Set) (reached Reached, ok bool, err error) {
	r := s.Result
	reached = Reached{Condition: c, Of: r.Reference.Energy}
	if normalizesTotal(r) {
		return reached, false, errors.New("--normalize total makes both totals equal, so this condition could never hold; leave out --normalize, or use evidence or row>5%")
	}
	if reached.Of == 0 && r.Subject.Energy > 0 && !c.InEnergy {
		return reached, false, errors.New("the reference uses no energy to compare with")
	}
	rest := s.Rest()
	reached.Energy, reached.Interval, reached.Known = rest.Difference, rest.Interval, rest.Left > 0
	reached.Share = units.Share(reached.Energy, reached.Of)
	ok, err = c.exceeded(reached, r.Voltage)
	return reached, ok && rest.Costlier, err
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

// evidence reports whether repeated runs show that something costs the subject more, by least or
// more.
func (c Condition) evidence(s *Set, least *float64) (reached Reached, ok bool, err error) {
	reached = Reached{Condition: c}
	if s.Result.Repeats == nil {
		return reached, false, fmt.Errorf("there is one run on a side: evidence needs %d or more runs on each side", repeats.LeastRuns)
	}
	matters := func(difference, of units.Energy) bool {
		return least == nil || float64(difference) >= *least*float64(of)
	}
	rest := s.Rest()
	reached.TotalCostlier, reached.Known = rest.Costlier && matters(rest.Difference, s.Result.Reference.Energy), rest.Left > 0
	reached.Energy, reached.Interval, reached.Of = rest.Difference, rest.Interval, s.Result.Reference.Energy
	for _, at := range s.Ranking() {
		saving, energy := s.amounts(at)
		if s.Standing(at).Counts && matters(saving, energy-saving) {
			if reached.Rows == 0 {
				reached.Row = at
			}
			reached.Rows++
		}
	}
	return reached, reached.TotalCostlier || reached.Rows > 0, nil
}

// hog returns the fleet's claim about the subject's app, or a version of the app.
func (c Condition) hog(s *Suspicion) (reached Reached, ok bool, err error) {
	reached = Reached{Condition: c}
	if s == nil {
		return reached, false, errors.New("name with --fleet a file that diffprof fleet analyze writes")
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

// wasted returns the waste of the components of a run.
func (c Condition) wasted(in *analysis.Input, v units.Voltage) (reached Reached, ok bool, err error) {
	reached = Reached{Condition: c}
	if in.Bundles == nil {
		return reached, false, errors.New("the waste of components is unknown: it takes a power model, and one run that has moments and does not state its energy itself")
	}
	reached.Energy, reached.Of = savable(Wastes(in)), in.Energy
	reached.Interval = exactly(reached.Energy)
	reached.Share = units.Share(reached.Energy, in.Energy)
	ok, err = c.exceeded(reached, v)
	return reached, ok, err
}

// exceeded reports whether a figure is more than the condition allows.
func (c Condition) exceeded(reached Reached, v units.Voltage) (bool, error) {
	if !c.InEnergy {
		return reached.Share > c.Share, nil
	}
	num, den := c.Unit.Scale(v)
	limit, err := units.Decimal(c.Amount, num, den)
	return err == nil && reached.Energy > units.Energy(limit), err
}

// isWord reports whether a condition has no amount.
func isWord(measure string) bool { return measure == Evidence || measure == FleetHog }

// measure sets the energy of a figure: what could be saved in all, in one row, or what is only in
// the subject. Only rows that count contribute.
func (s *Set) measure(reached *Reached) {
	if reached.Measure == Saving {
		h := s.Headline()
		reached.Energy, reached.Interval, reached.Rows, reached.Row = h.Savable.Most, h.Savable, h.Rows, h.First
		return
	}
	r := s.Result
	only := units.Energy(0)
	for _, at := range s.Ranking() {
		standing := s.Standing(at)
		if !standing.Counts {
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

// A Rest is the difference of the totals without the rows that rules leave out.
type Rest struct {
	Difference units.Energy
	Interval   Interval
	// Costlier is set if the difference is positive by more than chance.
	Costlier bool
	// Left is the number of rows that are left out, and LeftDifference their part of the difference.
	Left           int
	LeftDifference units.Energy
}

// Rest returns the difference of the totals without the rows that Without leaves out.
func (s *Set) Rest() Rest {
	r := s.judged.r
	least, most := analysis.Energies(r.Chance.Total.Interval)
	rest := Rest{
		Difference: r.Subject.Energy - r.Reference.Energy, Interval: Interval{least, most},
		Costlier: r.Chance.Total.Verdict == repeats.Costlier, Left: len(s.known.tasks) + len(s.known.code),
	}
	if rest.Left == 0 {
		return rest
	}
	// The interval keeps its width. That is the careful choice: without these rows the noise is
	// smaller.
	left := s.judged.unlisted(s.known).Difference()
	rest.LeftDifference = left
	rest.Difference -= left
	rest.Interval.Least -= left
	rest.Interval.Most -= left
	rest.Costlier = rest.Interval.Least > 0
	return rest
}
