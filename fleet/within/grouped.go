package within

import "github.com/diffprof/diffprof/fleet/sums"

// Groups is the number of groups of clients, for sums over parts of clients. A client has parts
// under several conditions, so such sums cannot identify clients. Each element of a row has the n
// and the d of one group. Errors are clustered by group. All parts of a client are in the same
// group, so the errors are right for any combination of the sums.
const Groups = sums.Width

// groupBits is the number of bits for d in the sum of a group. n has the higher bits.
const groupBits = 62

// AddGrouped adds n and d to the sum of a group.
func AddGrouped(r *sums.Row, group int, n, d int64) {
	r[group].AddProduct(n, 1<<groupBits)
	r[group].Add(d)
}

// Grouped returns the contrast of a row. It uses groups in place of clients.
func Grouped(r *sums.Row) Contrast {
	var c Contrast
	for _, both := range r {
		if d := both.Low(groupBits); d > 0 {
			c.Add(both.Shifted(groupBits).Int64(), d)
		}
	}
	return c
}
