package within

import "github.com/diffprof/diffprof/fleet/sums"

// Groups is the number of groups of clients. A client is in several cells of a tree, so sums over
// cells cannot identify clients. The sums are therefore kept by group. Each element of a row has n
// and d of one group. All data of a client are in the same group, so errors between groups are
// right for any combination of cells.
const Groups = sums.Width

// groupBits is where n begins in the sum of a group. The lower bits have d.
const groupBits = 62

// AddGrouped adds n and d to the sum of a group.
func AddGrouped(r *sums.Row, group int, n, d int64) {
	r[group].AddProduct(n, 1<<groupBits)
	r[group].Add(d)
}

// Grouped reads the contrast of a row from AddGrouped. Each group counts as one client.
func Grouped(r *sums.Row) Contrast {
	var c Contrast
	for _, both := range r {
		if d := both.Low(groupBits); d > 0 {
			c.Add(both.Shifted(groupBits).Int64(), d)
		}
	}
	return c
}
