package lines

// Gather adds up the rows of a table that have the same place in the sources. For example, a
// compiler makes several methods for one line with lambdas. place returns the place of a row, or
// false to leave out the row.
//
// Own energies are summed. The energy with callees is the largest of the rows, because the methods
// of a place may call each other. It is thus a lower bound. The method of the result is the method
// of the row that uses most energy.
func Gather[P comparable](t *Table, place func(r *Row) (P, bool)) map[P]*Row {
	sums := make(map[P]*Row)
	for i := range t.Rows {
		r := &t.Rows[i]
		at, ok := place(r)
		if !ok {
			continue
		}
		sum := sums[at]
		if sum == nil {
			sum = &Row{Method: r.Method, Line: r.Line}
			sums[at] = sum
		}
		if sum.errors.Own += r.errors.Own; t.errors != nil && r.errors.Own == 0 {
			sum.errors.Own += r.Samples * t.Clump
		}
		sum.squares += r.squares
		sum.Own, sum.Samples = sum.Own+r.Own, sum.Samples+r.Samples
		if sum.AllSamples == 0 || r.All > sum.All {
			sum.All, sum.AllSamples, sum.errors.All, sum.contexts = r.All, r.AllSamples, r.errors.All, r.contexts
		}
	}
	return sums
}
