package finding

import (
	"errors"

	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// OneAfterOther reports whether all repeated runs of one side were recorded before those on the
// other side. A drift of the device then looks like a change.
func (s *Set) OneAfterOther() bool {
	r := s.judged.r
	return r.Repeats != nil && r.Chance.Order.Sequence == repeats.OneAfterOther
}

// unseparated checks a condition that does not hold. It returns an error if the runs of one side
// were recorded before those on the other side, because a drift of the device can also hide a
// change.
func (c Condition) unseparated(s *Set, reached *ConditionValue) error {
	switch {
	case !s.OneAfterOther(), c.Measure == Wasted:
		return nil
	case c.Measure == Total && !c.couldHold(s, reached):
		return nil
	}
	return errors.New("the runs of one side were recorded after the runs of the other, so a drift cannot be separated from a change: record the sides in turn, as diffprof record does")
}

// couldHold reports whether the upper bound of the total exceeds the condition's limit.
func (c Condition) couldHold(s *Set, reached *ConditionValue) bool {
	most := *reached
	most.Energy = reached.Interval.Most
	most.Share = units.Share(most.Energy, most.Base)
	ok, err := c.exceeded(most, s.Result.Voltage)
	return ok || err != nil
}

// leastEvident returns the smallest difference that Evidence accepts, as a share of the energy. It
// is nil if another condition of the same alternative sets an amount.
func leastEvident(all []Condition, s *Set) *float64 {
	for _, c := range all {
		switch c.Measure {
		case Total, Row, Saving, Unmatched:
			return nil
		}
	}
	return &s.Result.MinRelevant
}

// amounts returns the saving and the energy of a row.
func (s *Set) amounts(at Ranked) (saving, energy units.Energy) {
	r := s.Result
	if at.Code {
		return r.AppCode.Rows[at.Index].Saving, r.AppCode.Rows[at.Index].Energy
	}
	return r.Tasks[at.Index].Saving, r.Tasks[at.Index].Energy
}
