package finding_test

import (
	"iter"
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// TestAccepting checks that a known row is accepted up to its known saving, also at each of its
// callers, and that a known row that no longer occurs is gone.
func TestAccepting(t *testing.T) {
	set := repeated(t)
	at := finding.Ranked{Index: 0} // TextView.setText, which counts
	saving := set.Result.Tasks[0].Saving
	entry := func(factor float64, caller string) finding.Accepted {
		known := units.Energy(factor * float64(saving))
		return finding.Accepted{ID: set.ID(0), Saving: known, Interval: finding.Interval{Least: known * 9 / 10, Most: known * 11 / 10},
			Callers: []finding.CallerSaving{{Method: caller, Saving: known}}}
	}
	for _, test := range []struct {
		name        string
		known       finding.Accepted
		left, worse int
		gone        int
	}{
		{"as known", entry(1, "Feed.onClick"), 1, 0, 0},
		{"within the bounds", entry(0.95, "Feed.onClick"), 1, 0, 0},
		{"larger", entry(0.5, "Feed.onClick"), 0, 1, 0},
		{"another class", entry(1, "Checkout.onClick"), 0, 1, 0},
		{"another row", finding.Accepted{ID: "0123"}, 0, 0, 1},
	} {
		left, a := set.Accept([]finding.Accepted{test.known})
		if a.Removed.Tasks != test.left || len(a.Increases) != test.worse || len(a.Gone) != test.gone {
			t.Errorf("%s: %+v", test.name, a)
		}
		if len(left.Result.Tasks) != len(set.Result.Tasks)-test.left {
			t.Errorf("%s: %d tasks", test.name, len(left.Result.Tasks))
		}
	}
	if parts := set.Callers(at); len(parts) != 1 || parts[0] != (finding.CallerSaving{Method: "Feed.onClick", Saving: saving}) {
		t.Errorf("callers %v", parts)
	}
}

// TestRest checks that the difference without some rows, and the difference of these rows, add up
// to the whole difference.
func TestRest(t *testing.T) {
	set := repeated(t)
	whole := set.Remainder()
	if whole.Excluded != 0 || whole.Difference != set.Result.Subject.Energy-set.Result.Reference.Energy {
		t.Errorf("%+v", whole)
	}
	for only := range set.Result.Tasks {
		id := set.ID(only)
		left, _ := set.Without(func(other, _ string, _ iter.Seq[string]) bool { return other == id })
		rest := left.Remainder()
		if rest.Excluded != 1 || rest.Difference+rest.ExcludedDifference != whole.Difference || rest.ExcludedDifference != set.Result.Tasks[only].Saving {
			t.Errorf("without task %d: %+v", only, rest)
		}
	}
	left, fewer := set.Without(func(string, string, iter.Seq[string]) bool { return true })
	if rest := left.Remainder(); fewer.Tasks != 3 || rest.Costlier || rest.Difference != 0 {
		t.Errorf("without all: %+v", rest)
	}
}
