package lines

import "slices"

// ByMethod returns the table with one row per method, which has the own energy of all its lines. The
// rows have no energy with callees, because lines of a method may be part of each other.
func (t *Table) ByMethod() *Table {
	out := *t
	out.Rows = nil
	at := make(map[string]int)
	for i := range t.Rows {
		r := &t.Rows[i]
		label := r.Method.Label()
		k, ok := at[label]
		if !ok {
			k = len(out.Rows)
			at[label] = k
			out.Rows = append(out.Rows, Row{Method: r.Method})
		}
		out.Rows[k].Own += r.Own
		out.Rows[k].Samples += r.Samples
	}
	slices.SortFunc(out.Rows, compareRows)
	return &out
}
