package eflask

import (
	"slices"
	"sync/atomic"

	"github.com/emirpasic/gods/queues/priorityqueue"
)

// weight is the weight of an edge of an assignment: first the size of the matching below the edge,
// then the values by which [Match] breaks ties. Weights compare lexicographically, and addition
// preserves this order. So one search finds the largest matching that is also best by the rule for
// ties.
type weight struct{ size, distance, name, energy int64 }

func (a weight) plus(b weight) weight {
	return weight{a.size + b.size, a.distance + b.distance, a.name + b.name, a.energy + b.energy}
}

func (a weight) minus(b weight) weight {
	return weight{a.size - b.size, a.distance - b.distance, a.name - b.name, a.energy - b.energy}
}

func (a weight) less(b weight) bool {
	switch {
	case a.size != b.size:
		return a.size < b.size
	case a.distance != b.distance:
		return a.distance < b.distance
	case a.name != b.name:
		return a.name < b.name
	}
	return a.energy < b.energy
}

// An edge joins the child of one node at index row with the child of another node at index col.
type edge struct {
	row, col int32
	size     int32
}

// assigner finds assignments of largest weight. It reuses its memory in later calls. Only one
// goroutine may use it at a time.
type assigner struct {
	stopped *atomic.Bool
	// mark[node] == epoch means that the column node has occurred in this call. number[node] is
	// then the column's number.
	mark   []uint32
	number []int32
	epoch  uint32
	cols   []int32
	// The edges of row r are list[start[r]:start[r+1]], with columns by number.
	start  []int32
	list   []arc
	rowPot []weight // potential of each row, at least the weight of the row's best free column
	colPot []weight // potential of each column, never negative
	rowOf  []int32  // row of each column, -1 for a free column
	colOf  []int32  // column of each row, -1 for a free row
	// The other fields belong to augment, which searches for a path that improves the assignment.
	dist []weight
	from []int32 // for each column, the row from which the search reached it
	done []bool
	seen []int32
	rows []int32
}

// A reached is a column that the search has reached, with its distance when it was reached.
type reached struct {
	col  int32
	dist weight
}

// nearest orders columns by distance, then by number.
func nearest(a, b any) int {
	x, y := a.(reached), b.(reached)
	switch {
	case x.dist.less(y.dist):
		return -1
	case y.dist.less(x.dist):
		return 1
	}
	return int(x.col) - int(y.col)
}

// newAssigner returns an assigner whose columns are nodes below n. Once stopped is true, the
// results of the assigner are meaningless.
func newAssigner(n int, stopped *atomic.Bool) *assigner {
	return &assigner{stopped: stopped, mark: make([]uint32, n), number: make([]int32, n)}
}

type arc struct {
	col    int32
	weight weight
}

// best returns the largest total size of an assignment. The edges are sorted by row and have
// positive sizes.
//
// In nearly all cases, the best columns of the rows are all different. Then each row gets its best
// column, because no assignment can exceed the sum of the rows' best sizes.
func (a *assigner) best(edges []edge) int32 {
	if len(edges) == 1 {
		return edges[0].size
	}
	if sum, ok := a.rowMaxima(edges); ok {
		return sum
	}
	return int32(a.solve(edges, nil))
}

// rowMaxima returns the sum of the rows' best sizes. ok reports whether the best columns are all
// different.
func (a *assigner) rowMaxima(edges []edge) (sum int32, ok bool) {
	a.nextEpoch()
	for i := 0; i < len(edges); {
		j, best := i+1, i
		for ; j < len(edges) && edges[j].row == edges[i].row; j++ {
			if edges[j].size > edges[best].size {
				best = j
			}
		}
		if a.mark[edges[best].col] == a.epoch {
			return 0, false
		}
		a.mark[edges[best].col] = a.epoch
		sum += edges[best].size
		i = j
	}
	return sum, true
}

func (a *assigner) nextEpoch() {
	if a.epoch++; a.epoch == 0 {
		clear(a.mark)
		a.epoch = 1
	}
}

// solve finds an assignment of largest total weight, and returns its total size. If ties is nil,
// the weight of an edge is its size. Otherwise ties returns the weight. solve leaves the assignment
// in colOf, as indices into cols.
//
// It is the Hungarian method on sparse edges. Rows enter one after the other, each on the shortest
// path that improves the assignment (Jonker and Volgenant, 1987). A row may stay without a column.
// Its weight is then zero.
func (a *assigner) solve(edges []edge, ties func(e edge) weight) int64 {
	a.load(edges, ties)
	// Potentials start at each row's best weight. A row whose best column is free takes
	// it. Ties are rare, so this assigns nearly all rows.
	for r := range a.colOf {
		for _, e := range a.list[a.start[r]:a.start[r+1]] {
			if a.rowPot[r].less(e.weight) {
				a.rowPot[r] = e.weight
			}
		}
		for _, e := range a.list[a.start[r]:a.start[r+1]] {
			if e.weight == a.rowPot[r] && a.rowOf[e.col] < 0 {
				a.rowOf[e.col], a.colOf[r] = int32(r), e.col
				break
			}
		}
	}
	for r := range a.colOf {
		if a.stopped.Load() {
			return 0
		}
		if a.colOf[r] < 0 {
			a.augment(int32(r))
		}
	}
	var sum int64
	for r, c := range a.colOf {
		if c < 0 {
			continue
		}
		for _, e := range a.list[a.start[r]:a.start[r+1]] {
			if e.col == c {
				sum += e.weight.size
			}
		}
	}
	return sum
}

func (a *assigner) load(edges []edge, ties func(e edge) weight) {
	a.nextEpoch()
	a.cols, a.rows, a.start, a.list = a.cols[:0], a.rows[:0], a.start[:0], a.list[:0]
	for i, e := range edges {
		if i == 0 || e.row != edges[i-1].row {
			if a.stopped.Load() {
				break
			}
			a.start = append(a.start, int32(i))
			a.rows = append(a.rows, e.row)
		}
		if a.mark[e.col] != a.epoch {
			a.mark[e.col] = a.epoch
			a.number[e.col] = int32(len(a.cols))
			a.cols = append(a.cols, e.col)
		}
		c := a.number[e.col]
		w := weight{size: int64(e.size)}
		if ties != nil {
			w = ties(e)
		}
		a.list = append(a.list, arc{c, w})
	}
	a.start = append(a.start, int32(len(a.list)))
	rows, cols := len(a.rows), len(a.cols)
	a.rowPot = fill(a.rowPot, rows, weight{})
	a.colOf = fill(a.colOf, rows, -1)
	a.colPot = fill(a.colPot, cols, weight{})
	a.rowOf = fill(a.rowOf, cols, -1)
	a.dist = fill(a.dist, cols, weight{})
	a.from = fill(a.from, cols, -1)
	a.done = fill(a.done, cols, false)
}

// fill returns a slice with n elements equal to x. It reuses s if s is large enough.
func fill[T any](s []T, n int, x T) []T {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = x
	}
	return s
}

// augment adds row r to the assignment. It takes the path that loses the least weight compared with
// the potentials. Edge (row, col) loses rowPot + colPot - weight ≥ 0. A row that ends without a
// column loses its rowPot.
func (a *assigner) augment(r int32) {
	a.seen = a.seen[:0]
	queue := priorityqueue.NewWith(nearest)
	var base weight // distance of the current row
	lastRow := r    // the row at which the path ends, if it ends without a column
	endCol := int32(-1)
	bestEnd := a.rowPot[r] // smallest loss of all ends found so far
	for scanned := r; endCol < 0; {
		for _, e := range a.list[a.start[scanned]:a.start[scanned+1]] {
			if a.done[e.col] {
				continue
			}
			d := base.plus(a.rowPot[scanned]).plus(a.colPot[e.col]).minus(e.weight)
			if !d.less(bestEnd) || a.from[e.col] >= 0 && !d.less(a.dist[e.col]) {
				continue // a known end or a known path to e.col is at least as short
			}
			if a.from[e.col] < 0 {
				a.seen = append(a.seen, e.col)
			}
			a.dist[e.col], a.from[e.col] = d, scanned
			queue.Enqueue(reached{e.col, d})
		}
		next, ok := queue.Dequeue()
		for ok && a.done[next.(reached).col] { // the search reached this column on a shorter path
			next, ok = queue.Dequeue()
		}
		if !ok || !next.(reached).dist.less(bestEnd) {
			break
		}
		c := next.(reached).col
		a.done[c] = true
		if a.rowOf[c] < 0 {
			endCol, bestEnd = c, a.dist[c]
			break
		}
		scanned, base = a.rowOf[c], a.dist[c]
		if end := base.plus(a.rowPot[scanned]); end.less(bestEnd) {
			bestEnd, lastRow = end, scanned
		}
	}

	// The new potentials keep all losses non-negative. On the path, all losses become zero.
	a.rowPot[r] = a.rowPot[r].minus(bestEnd)
	for _, c := range a.seen {
		if gain := bestEnd.minus(a.dist[c]); a.done[c] && (weight{}).less(gain) {
			a.colPot[c] = a.colPot[c].plus(gain)
			if row := a.rowOf[c]; row >= 0 {
				a.rowPot[row] = a.rowPot[row].minus(gain)
			}
		}
	}

	if endCol < 0 && lastRow != r {
		endCol = a.colOf[lastRow]
		a.colOf[lastRow] = -1
	}
	for c := endCol; c >= 0; {
		row := a.from[c]
		a.rowOf[c] = row
		next := a.colOf[row]
		a.colOf[row] = c
		if c = next; row == r {
			break
		}
	}
	for _, c := range a.seen {
		a.done[c], a.from[c] = false, -1
	}
}

// optimal returns the edges that are in at least one assignment of largest size. By complementary
// slackness these are the edges without loss under the potentials of any best assignment.
func (a *assigner) optimal(edges []edge) []edge {
	a.solve(edges, nil)
	var tight []edge
	for r := range a.colOf {
		for i := a.start[r]; i < a.start[r+1]; i++ {
			e := a.list[i]
			if a.rowPot[r].plus(a.colPot[e.col]) == e.weight {
				tight = append(tight, edges[i])
			}
		}
	}
	return tight
}

// chosen returns the edges of the assignment that the last call of solve found.
func (a *assigner) chosen(edges []edge) []edge {
	var out []edge
	for r, c := range a.colOf {
		for i := a.start[r]; c >= 0 && i < a.start[r+1]; i++ {
			if a.list[i].col == c {
				out = append(out, edges[i])
			}
		}
	}
	return out
}

// isMatching reports whether no two edges share a row or a column. The edges are sorted by row.
func (a *assigner) isMatching(edges []edge) bool {
	a.nextEpoch()
	for i, e := range edges {
		if a.mark[e.col] == a.epoch || i > 0 && edges[i-1].row == e.row {
			return false
		}
		a.mark[e.col] = a.epoch
	}
	return true
}
