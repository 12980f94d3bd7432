package analysis

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An edge is a call of one app method by another. Both are numbers of methods.
type edge struct{ caller, callee int32 }

// A transfer is code that may have moved from one app method to another.
type transfer struct {
	from, to int32
	most     units.Energy
}

// extracted finds, for each row of app code, the energy of code that moved between methods of the app.
// Developers extract methods, inline them and rename them, and compilers inline them too.
// The exclusive energy then moves from one row to another, and no work is new. Code moved from method A
// to method B in three cases:
//
//   - A calls B only in the subject, so B may be extracted from A.
//   - B calls A only in the reference, so A may be inlined in B.
//   - One method calls A in the reference and B in the subject, both in one class, and the other run has
//     neither. If their energies are alike, B may be A with another name.
//
// A must use less than in the reference, and B more. The energy that moved is at most that difference,
// and at most the energy of the calls that only one run has.
func (t *table) extracted(r *Result) {
	if !r.AppCode.OneApp || r.AppCode.By == appcode.Shape {
		return
	}
	numbers := newCodeNumbers(r)
	here, there := numbers.edges(0, r.Subject.Tree), numbers.edges(1, r.Reference.Tree)
	var found []transfer
	less, more := make(map[int32][]transfer), make(map[int32][]transfer) // by the common caller
	for e, energy := range here {
		if _, both := there[e]; !both && energy > 0 {
			found = append(found, transfer{e.caller, e.callee, energy})
			more[e.caller] = append(more[e.caller], transfer{-1, e.callee, energy})
		}
	}
	for e, energy := range there {
		if _, both := here[e]; !both && energy > 0 {
			found = append(found, transfer{e.callee, e.caller, energy})
			less[e.caller] = append(less[e.caller], transfer{e.callee, -1, energy})
		}
	}
	for caller, from := range less {
		for _, a := range from {
			for _, b := range more[caller] {
				if numbers.renamed(a.from, b.to) {
					found = append(found, transfer{a.from, b.to, min(a.most, b.most)})
				}
			}
		}
	}
	moved := numbers.move(found)
	for i := range r.AppCode.Rows {
		if row := &r.AppCode.Rows[i]; len(row.Parts) > 0 {
			if k, ok := t.code[&row.Parts[0]]; ok {
				t.rows[k].leave(moved[i])
			}
		}
	}
	for i, k := range t.codeThere {
		t.rows[k].leave(moved[len(r.AppCode.Rows)+i])
	}
}

// leave sets the energy that moved between this row and others. It is negative if it moved here.
func (c *compared) leave(e units.Energy) {
	switch c.moved = e; {
	case e < 0:
		c.elsewhere = min(c.elsewhere, 0) + e
	case e > 0:
		c.elsewhere = max(c.elsewhere, 0) + e
	}
}

// codeNumbers has a number for each app method of two runs. Counterparts have one number: the index of
// the row, or the number of rows plus the index of the reference's side without a counterpart. Methods
// without a row have larger numbers.
type codeNumbers struct {
	labels [2]map[string]int32
	saving []units.Energy
	// both is set for methods of both runs. places are the classes, modules or files of the methods.
	both   []bool
	places []string
}

func newCodeNumbers(r *Result) *codeNumbers {
	n := &codeNumbers{labels: [2]map[string]int32{make(map[string]int32), make(map[string]int32)}}
	trees := [2]*preprocess.Tree{r.Subject.Tree, r.Reference.Tree}
	put := func(run int, side *appcode.Side) {
		if len(side.Parts) > 0 {
			known := trees[run].Compared(side.Parts[0].Method)
			n.labels[run][known.Label()] = int32(len(n.saving))
		}
	}
	add := func(m name.Method, saving units.Energy, both bool) {
		n.saving, n.both, n.places = append(n.saving, saving), append(n.both, both), append(n.places, m.Place())
	}
	for i := range r.AppCode.Rows {
		row := &r.AppCode.Rows[i]
		if put(0, &row.Side); row.Peer != nil {
			put(1, row.Peer)
		}
		add(row.Method, row.Saving, row.Peer != nil)
	}
	for i := range r.AppCode.Only.Sides {
		side := &r.AppCode.Only.Sides[i]
		put(1, side)
		add(side.Method, -side.Energy, false)
	}
	// Methods without energy have no row. Those of both runs may be callers.
	for run, tree := range trees {
		for m := range tree.Source.Methods {
			known := tree.Compared(trace.MethodID(m))
			label := known.Label()
			_, done := n.labels[run][label]
			number, other := n.labels[1-run][label]
			switch {
			case done || tree.MethodKind(trace.MethodID(m)) != preprocess.App:
			case other:
				n.labels[run][label], n.both[number] = number, true
			default:
				n.labels[run][label] = int32(len(n.saving))
				add(known, 0, false)
			}
		}
	}
	return n
}

// renamed reports whether method b may be method a with another name.
func (n *codeNumbers) renamed(a, b int32) bool {
	less, more := -n.saving[a], n.saving[b]
	return less > 0 && more > 0 && !n.both[a] && !n.both[b] && n.places[a] == n.places[b] && 3*min(less, more) >= 2*max(less, more)
}

// edges returns the exclusive energy of app methods by their callers. The caller is the nearest app
// method around the call that both runs have. So several methods may be extracted from it at once, one
// within the other.
func (n *codeNumbers) edges(run int, t *preprocess.Tree) map[edge]units.Energy {
	methods := make([]int32, len(t.Source.Methods))
	for m := range methods {
		known := t.Compared(trace.MethodID(m))
		number, ok := n.labels[run][known.Label()]
		if methods[m] = -1; ok {
			methods[m] = number
		}
	}
	nodes, actors := t.Source.Nodes, t.Actors()
	number := func(x int32) int32 {
		if m := nodes[x].Method; m != cct.NoMethod && t.Into[x] >= 0 && t.Nodes[t.Into[x]].Kind == preprocess.App {
			return methods[m]
		}
		return -1
	}
	// around has the innermost method of both runs at or above each node.
	around := make([]int32, len(nodes))
	out := make(map[edge]units.Energy)
	for x := range int32(len(nodes)) {
		around[x] = -1
		if m := number(x); m >= 0 && n.both[m] {
			around[x] = m
		} else if p := nodes[x].Parent; p >= 0 {
			around[x] = around[p]
		}
	}
	for x := range int32(len(nodes)) {
		actor := actors[x]
		callee := number(actor)
		if p := nodes[actor].Parent; callee >= 0 && p >= 0 && around[p] >= 0 && around[p] != callee {
			out[edge{around[p], callee}] += t.Source.Energy.Self(x)
		}
	}
	return out
}

// move returns the energy that moved from each method, negative if it moved to the method. The largest
// transfers come first. Each takes at most what is left of the two differences.
func (n *codeNumbers) move(found []transfer) []units.Energy {
	left, moved := slices.Clone(n.saving), make([]units.Energy, len(n.saving))
	slices.SortFunc(found, func(a, b transfer) int {
		return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	for _, f := range found {
		if e := min(f.most, -left[f.from], left[f.to]); e > 0 {
			left[f.from] += e
			left[f.to] -= e
			moved[f.from] += e
			moved[f.to] -= e
		}
	}
	return moved
}
