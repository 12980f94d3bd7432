package apicost

import (
	"cmp"
	"iter"
	"slices"

	"github.com/diffprof/diffprof/name"
)

// A Survey compares the call sites in the code of an app with a table, without a run. All call
// sites count the same, however often they run.
type Survey struct {
	// Sites counts the call sites of methods in the packages that the table covers. Costed counts
	// the call sites with a cost. Elsewhere counts the call sites of other framework methods.
	Sites, Costed, Elsewhere int64
	// Listed are the called methods with a cost. Missing are the called methods without a cost.
	// Both are sorted by call sites.
	Listed  []SurveyedAPI
	Missing []Missing
}

// A SurveyedAPI is a framework method with a cost. Row is the index of the row in the table.
type SurveyedAPI struct {
	Method name.Method
	Row    int
	Sites  int64
	Each   Cost
}

// NewSurvey compares call sites with a table. sites has the call sites of each framework method.
func NewSurvey(t *Table, sites map[name.Method]int64, supertypes func(string) iter.Seq[string]) *Survey {
	s := &Survey{}
	for m, n := range sites {
		if !t.Covers(m) {
			s.Elsewhere += n
			continue
		}
		s.Sites += n
		row, why := t.Find(m, supertypes)
		if row < 0 {
			s.Missing = append(s.Missing, Missing{Method: m, Why: why, Calls: n})
			continue
		}
		s.Costed += n
		s.Listed = append(s.Listed, SurveyedAPI{m, row, n, t.Rows[row].Cost})
	}
	slices.SortFunc(s.Listed, func(a, b SurveyedAPI) int {
		return cmp.Or(cmp.Compare(b.Sites, a.Sites), cmp.Compare(a.Method.Label(), b.Method.Label()))
	})
	slices.SortFunc(s.Missing, func(a, b Missing) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Method.Label(), b.Method.Label()))
	})
	return s
}
