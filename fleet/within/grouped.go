package within

import "github.com/diffprof/diffprof/fleet/sums"

// Groups is how many groups clients are in, where sums are of parts of clients: a client has such parts
// under many conditions, and sums of those know no clients any more. The n and d of a group stand in one
// sum, so that errors can be clustered by groups, and so by whole clients, whatever is added up.
const Groups = sums.Width

// groupBits is how many bits of a group's sum d has; n has those above.
const groupBits = 62

// AddGrouped adds an n and d to those of a group.
func AddGrouped(r *sums.Row, group int, n, d int64) {
	r[group].AddProduct(n, 1<<groupBits)
	r[group].Add(d)
}

// Grouped is the contrast of a row with groups in the place of clients.
func Grouped(r *sums.Row) Contrast {
	var c Contrast
	for _, both := range r {
		if d := both.Low(groupBits); d > 0 {
			c.Add(both.Shifted(groupBits).Int64(), d)
		}
	}
	return c
}
