package lines

import "github.com/diffprof/diffprof/units"

// varied returns the variance of the power of a row with callees, as a multiple of the variance of
// a line's power.
//
// Let a line have the share w of the energy of the row, and the share W of the energy of the run.
// If the powers of lines vary independently with the variance σ², the power of the row relative to
// the power of the run has the variance σ²·Σ(w-W)². The sum is 0 for a row that has all energy of
// the run. It is nearly 1 for a small line that calls nothing.
func (t *Table) varied(r *Row) float64 {
	within := make([]units.Energy, len(t.own)) // within has the energy of lines within the row.
	for _, from := range r.contexts {
		for v := from; v < t.tree.Nodes[from].End; v++ {
			within[t.lineOf[t.tree.Nodes[v].Method]] += t.tree.Energy.Self(v)
		}
	}
	squares, products := 0.0, 0.0
	for at, e := range within {
		squares, products = squares+float64(e)*float64(e), products+float64(e)*float64(t.own[at])
	}
	return t.vary(squares, products, float64(r.All))
}

// vary returns Σ(w-W)² for a row with the energy all. Let e be the energy of a line in the row, and
// E its energy in the run. Then squares is Σe², and products is Σe·E.
func (t *Table) vary(squares, products, all float64) float64 {
	total := float64(t.Total)
	return max(0, squares/(all*all)-2*products/(all*total)+t.squares/(total*total))
}
