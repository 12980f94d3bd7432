package fleet

import (
	"math"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
	"github.com/diffprof/diffprof/fleet/within"
)

// cells returns the cells of an app's tree. A cell has the sums of the pairs with equal conditions.
func (f *Fleet) cells(app string) []tree.Cell {
	var cells []tree.Cell
	f.Sums.Each(sums.Key("cell", app), func(rest []string, r *sums.Row) { cells = f.appendCell(cells, rest, r) })
	return cells
}

// appendCell decodes a row into a cell and appends it. rest is the end of the row's key: the
// conditions and the version.
func (f *Fleet) appendCell(cells []tree.Cell, rest []string, r *sums.Row) []tree.Cell {
	features := len(f.splitFeatures())
	cell := tree.Cell{Sums: *r}
	for _, v := range append(strings.Split(rest[0], "\x1e"), rest[1]) {
		var values []string
		if v != "" {
			values = strings.Split(v, "|")
		}
		cell.Values = append(cell.Values, values)
	}
	if features == 0 {
		cell.Values = cell.Values[1:]
	}
	if len(cell.Values) != features+1 {
		return cells
	}
	return append(cells, cell)
}

// grower returns the Grower of the fleet's method. The Grower does not show groups of fewer than
// MinGroup clients.
func (f *Fleet) grower() *tree.Grower {
	g := &tree.Grower{Features: append(slices.Clone(f.splitFeatures()), Version), Drain: f.distDrain}
	if f.Method == Within {
		g.Drain, g.Gap = groupedDrain, groupedGap
	}
	return g
}

// unknown is the drain of a node with too few clients.
var unknown = tree.Drain{Mean: math.NaN(), Half: math.NaN()}

// distDrain returns the mean of the rates of one or more cells.
func (f *Fleet) distDrain(r sums.Row) tree.Drain {
	if atLeast(&r) < MinGroup {
		return unknown
	}
	d := distOf(r)
	return tree.Drain{Mean: d.Mean(), Half: d.Error(f.H)}
}

// groupedGap compares an app's excess with and without a condition. The result is positive if the
// difference is significant after the given number of tries. It is the difference minus its error
// (Welch), with Bonferroni's correction and the smaller degrees of freedom.
func groupedGap(with, without sums.Row, tries int) float64 {
	a, b := within.Grouped(&with).Estimate(), within.Grouped(&without).Estimate()
	both := within.Estimate{Error: math.Hypot(a.Error, b.Error), Freedom: min(a.Freedom, b.Freedom)}
	return math.Abs(a.Excess-b.Excess) - both.Half(1-0.05/float64(tries))
}

// groupedDrain returns the excess of an app in one or more cells.
func groupedDrain(r sums.Row) tree.Drain {
	c := within.Grouped(&r)
	if c.Clients.Int64() < MinGroup {
		return unknown
	}
	e := c.Estimate()
	return tree.Drain{Mean: e.Excess, Half: e.Half(0.95)}
}

// Tree returns the tree of an app's energy use by conditions. It is nil if there is no tree or too
// few data.
//
// The default method has the app's excess in the tree, from comparisons within each client. The
// paper's method has mean rates. If app is empty, the tree has the mean rates of an input without
// apps.
func (f *Fleet) Tree(app string) *tree.Node {
	cells := f.cells(app)
	if len(cells) == 0 {
		return nil
	}
	g := f.grower()
	if app == "" {
		g.Drain, g.Gap = f.distDrain, nil
	}
	if root := g.Grow(cells); root.Drain.Known() {
		return root
	}
	return nil
}

// Trees returns the trees of all apps that have a tree. The key is the app.
func (f *Fleet) Trees() map[string]*tree.Node {
	cells := map[string][]tree.Cell{}
	f.Sums.Each("cell", func(rest []string, r *sums.Row) { cells[rest[0]] = f.appendCell(cells[rest[0]], rest[1:], r) })
	trees, g := map[string]*tree.Node{}, f.grower()
	for app, all := range cells {
		if app == "" {
			continue // These are the rates of an input without apps.
		}
		if root := g.Grow(all); root.Drain.Known() {
			trees[app] = root
		}
	}
	return trees
}

// The cells of a tree cannot count clients, because a client is in several cells. Rows of rates
// therefore count pairs by group of clients. The hash of a client determines its group. The number
// of non-empty groups is a lower bound of the number of clients. The last two sums of a row have
// four groups each.
const groupBits = 30

// group returns the group of a client.
func group(id samples.ID) int { return int(uint64(id)*0x9e3779b97f4a7c15>>32) % within.Groups }

// mark counts a pair in a row, for the client's group.
func mark(r *sums.Row, id samples.ID) {
	half := within.Groups / 2
	shift := group(id) % half * groupBits
	r[sums.Width-2+group(id)/half].AddProduct(1<<(shift/2), 1<<(shift-shift/2))
}

// atLeast returns a lower bound of the number of clients in a row.
func atLeast(r *sums.Row) (n int) {
	for _, groups := range r[sums.Width-2:] {
		for range within.Groups / 2 {
			if groups.Low(groupBits) != 0 {
				n++
			}
			groups = groups.Shifted(groupBits)
		}
	}
	return n
}

// drainOf returns the estimate from sums over clients, such as a row "growth".
func (f *Fleet) drainOf(r sums.Row) tree.Drain {
	if f.Method == Paper {
		d := distOf(r)
		return tree.Drain{Mean: d.Mean(), Half: d.Error(f.H)}
	}
	c := within.ContrastOf(r)
	if c.Clients.Int64() < MinGroup {
		return tree.Drain{Mean: c.Estimate().Excess, Half: half(0, 0)}
	}
	e := c.Estimate()
	return tree.Drain{Mean: e.Excess, Half: e.Half(0.95)}
}
