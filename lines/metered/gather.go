package metered

// Gather adds up the lines of a result that have the same place in the sources. For example, a
// compiler makes several methods for one line with lambdas. place returns the place of a row, or
// false to leave out the row.
//
// The ends of the intervals are added up too, as if all errors had the same sign. Executions is the
// largest number of executions of the rows. The method of the result is the method of the row that
// uses most energy.
func Gather[P comparable](r *Result, place func(r *Row) (P, bool)) map[P]*Row {
	sums := make(map[P]*Row)
	for i := range r.Rows {
		row := &r.Rows[i]
		at, ok := place(row)
		if !ok {
			continue
		}
		sum := sums[at]
		if sum == nil {
			one := *row
			sums[at] = &one
			continue
		}
		sum.Energy, sum.Least, sum.Most = sum.Energy+row.Energy, sum.Least+row.Least, sum.Most+row.Most
		sum.Executions, sum.Paths = max(sum.Executions, row.Executions), sum.Paths+row.Paths
		sum.Close, sum.Bound = sum.Close && row.Close, sum.Bound && row.Bound
	}
	return sums
}

// Shown reports whether the figure of a row is exact enough to be shown. All rows are shown if the
// formulas of the vLens paper are used.
func (r *Result) Shown(row *Row) bool {
	return row.Close && r.Grade != Nothing || r.Method == printedMethod
}

// Each returns the energy of one execution, in nJ, if the energy e is divided equally among the
// executions. It is 0 if there are no executions.
func (r *Row) Each(e float64) float64 { return ratio(e, float64(r.Executions)) }
