package lines

import "github.com/diffprof/diffprof/units"

// weigh sets how much the power of the rows varies. contexts has the outermost contexts of each row, in the
// order of the rows.
//
// Let a line have the share w of the energy of a row, and the share W of the energy of the run. If the powers
// of lines vary independently with the variance σ², the power of the row relative to the power of the run has
// the variance σ²·Σ(w-W)². The sum is 0 for a row that has all energy of the run. It is nearly 1 for a small
// line that calls nothing.
func (t *Table) weigh(contexts [][]int32) {
	tree := t.tree
	within := make([]units.Energy, len(t.own)) // within has the energy of lines within the present row.
	var touched []int32
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.All == 0 || r.AllSamples*float64(t.Runs) < LeastSamples {
			continue
		}
		for _, from := range contexts[i] {
			for v := from; v < tree.Nodes[from].End; v++ {
				e, at := tree.Energy.Self(v), t.lineOf[tree.Nodes[v].Method]
				if e == 0 {
					continue
				}
				if within[at] == 0 {
					touched = append(touched, at)
				}
				within[at] += e
			}
		}
		squares, products := 0.0, 0.0
		for _, at := range touched {
			e := float64(within[at])
			squares, products = squares+e*e, products+e*float64(t.own[at])
			within[at] = 0
		}
		touched = touched[:0]
		r.varied = t.vary(squares, products, float64(r.All))
	}
}

// vary returns Σ(w-W)² for energies within a row. squares adds up the squares of the energies, and products their
// products with the energies of the lines in the run.
func (t *Table) vary(squares, products, all float64) float64 {
	total := float64(t.Total)
	return max(0, squares/(all*all)-2*products/(all*total)+t.squares/(total*total))
}
