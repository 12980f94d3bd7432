package analysis

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An edge is a call of one app method by another, with the numbers of codeNumbers. If no app method
// calls the callee, the caller is -1 minus the label of the callback around the call.
type edge struct{ caller, callee int32 }

// A transfer is code that may have moved from one app method to another. most is an upper bound of
// its energy.
type transfer struct {
	from, to int32
	most     units.Energy
}

// extracted finds, for each row of app code, the energy of code that moved between methods of the
// app. Developers extract, inline and rename methods, and compilers inline them. Exclusive energy
// then moves from one row to another although no work is new. Code moved from method A to method B
// in three cases:
//
//   - A calls B only in the subject, so B may be extracted from A.
//   - B calls A only in the reference, so A may be inlined in B.
//   - A is only in the reference, B only in the subject, and both have the same caller or callback.
//     B may then be A with another name.
//
// The third case has two more conditions:
//
//   - The energies of A and B are similar. Or each has most of the energy of those methods of this
//     caller that only one run has; B is then perhaps a slower or faster A.
//   - Both are in one class, or call mostly the same methods. If both call nothing, it is enough
//     that one app method of both runs calls them.
//
// If no app method calls A and B, B may still be A if they are in one class or file, call nothing,
// and use about the same energy.
//
// Sampled recordings of native code follow frame pointers. A method that calls nothing often sets
// no frame pointer, and its sample then lacks the caller. So a method without callees that only one
// run has may be extracted from, or inlined in, any method of its namespace or file whose energy
// changed by about the same amount.
//
// A must use less than in the reference, and B more. The energy that moved is at most that
// difference, and at most the energy of the calls that only one run has. samples is true if both
// runs are sampled.
//
// The rules also apply to the trace slices of two apps. Each app and each version of Android names
// other parts of the same work. So all energy of a slice that only one app has may be elsewhere in
// the other app.
func (t *table) extracted(r *Result, samples bool) {
	if !r.AppCode.OneApp && !ofSlices(r) || r.AppCode.By == appcode.Shape {
		return
	}
	numbers := newCodeNumbers(r)
	trees, edges := [2]*preprocess.Tree{r.Subject.Tree, r.Reference.Tree}, [2]map[edge]units.Energy{}
	bothRuns(func(run int) { edges[run] = numbers.edges(run, trees[run]) })
	here, there := edges[0], edges[1]
	var found []transfer
	less, more := make(map[int32][]transfer), make(map[int32][]transfer) // by the common caller
	for e, energy := range here {
		if _, both := there[e]; !both && energy > 0 {
			if e.caller >= 0 {
				found = append(found, transfer{e.caller, e.callee, energy})
			}
			more[e.caller] = append(more[e.caller], transfer{-1, e.callee, energy})
		}
	}
	for e, energy := range there {
		if _, both := here[e]; !both && energy > 0 {
			if e.caller >= 0 {
				found = append(found, transfer{e.callee, e.caller, energy})
			}
			less[e.caller] = append(less[e.caller], transfer{e.callee, -1, energy})
		}
	}
	for caller, from := range less {
		for i, a := range from {
			for j, b := range more[caller] {
				if (largest(from, i) && largest(more[caller], j) || numbers.similar(a.from, b.to)) && numbers.renamed(a.from, b.to, caller) {
					found = append(found, transfer{a.from, b.to, min(a.most, b.most)})
				}
			}
		}
	}
	found = append(found, numbers.uncalled(here, there)...)
	if samples {
		found = append(found, numbers.unlinked(units.Energy(minTested*float64(r.Subject.Energy)))...)
	}
	replaced := t.newReplacements(r, numbers, here, there)
	found = append(found, replaced.transfers()...)
	moved := numbers.move(found)
	if !r.AppCode.OneApp {
		unpaired(r, moved)
	}
	for i := range r.AppCode.Rows {
		if row := &r.AppCode.Rows[i]; len(row.Parts) > 0 {
			if k, ok := t.code[&row.Parts[0]]; ok {
				t.rows[k].leave(moved[i])
			} else if moved[i].all() < 0 {
				t.smallMoved[&row.Parts[0]] = true
			}
		}
	}
	for i := range r.AppCode.Only.Sides {
		parts, gone := r.AppCode.Only.Sides[i].Parts, moved[len(r.AppCode.Rows)+i]
		if k, ok := t.codeThere[i]; ok {
			t.rows[k].leave(gone)
		} else if gone.all() > 0 && len(parts) > 0 {
			t.smallMoved[&parts[0]] = true
		}
	}
	replaced.leave(moved)
}

// unpaired states that all energy of methods without a counterpart may have moved.
func unpaired(r *Result, moved []movedEnergy) {
	for i := range r.AppCode.Rows {
		if row := &r.AppCode.Rows[i]; row.Peer == nil {
			moved[i] = movedEnergy{code: -row.Energy}
		}
	}
	for i := range r.AppCode.Only.Sides {
		moved[len(r.AppCode.Rows)+i] = movedEnergy{code: r.AppCode.Only.Sides[i].Energy}
	}
}

// ofSlices reports whether the app code of both runs consists of slices.
func ofSlices(r *Result) bool {
	all := func(t *preprocess.Tree) bool {
		return !slices.ContainsFunc(t.Source.Methods, func(m name.Method) bool { return m.Lang != name.Slice })
	}
	return all(r.Subject.Tree) && all(r.Reference.Tree)
}

// leave sets the energy that moved between this row and others. A row may exchange energy with the
// other calls of the same method in two ways: a compiler inlines a call, or other calls replace it.
// The larger energy is used.
func (c *compared) leave(e movedEnergy) {
	switch c.moved = e.all(); {
	case c.moved < 0:
		c.elsewhere = min(c.elsewhere, e.calls, 0) + e.code
	case c.moved > 0:
		c.elsewhere = max(c.elsewhere, e.calls, 0) + e.code
	}
}

// codeNumbers has a number for each app method of two runs. Two counterparts have the same number,
// the index of their row. A method that only the reference has gets the number of rows plus its
// index in AppCode.Only.Sides. Methods without a row have larger numbers.
type codeNumbers struct {
	labels [2]map[string]int32
	saving []units.Energy
	// both is true for methods that both runs have. places are the classes, modules or files of the
	// methods. native is true for methods of native code.
	both, native []bool
	places       []string
	// around has, for each node of each run's source tree, the innermost app method of both runs at
	// or above it. It is -1 if there is none. edges fills it.
	around [2][]int32
	// callees has the callees of each method that is in only one run. App methods of both runs are
	// there by number. An F-method is there as -1 minus its label. Other callees are left out.
	callees []map[int32]bool
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
		n.native = append(n.native, m.Lang == name.Native || m.Lang == name.CPP || m.Lang == name.Rust)
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
	// Methods without energy have no row, but may be callers if both runs have them.
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
	n.callees = make([]map[int32]bool, len(n.saving))
	return n
}

// renamed reports whether method b may be method a with another name. caller is the edge.caller of
// both.
func (n *codeNumbers) renamed(a, b, caller int32) bool {
	if n.both[a] || n.both[b] {
		return false
	}
	leaves := len(n.callees[a]) == 0 && len(n.callees[b]) == 0
	return n.places[a] == n.places[b] || leaves && caller >= 0 || n.alike(a, b)
}

// largest reports whether each other transfer has less than half of the energy of transfer i.
func largest(list []transfer, i int) bool {
	for j, other := range list {
		if j != i && 2*other.most >= list[i].most {
			return false
		}
	}
	return true
}

// alike reports whether two methods have at least half of their callees in common.
func (n *codeNumbers) alike(a, b int32) bool {
	common := 0
	for callee := range n.callees[a] {
		if n.callees[b][callee] {
			common++
		}
	}
	return common > 0 && 2*common >= len(n.callees[a])+len(n.callees[b])-common
}

// unlinked returns the possible transfers between a native method that only one run has and one
// that both runs have. The former must call nothing. Both must be in the same class or file. least
// is the smallest energy of a transfer.
func (n *codeNumbers) unlinked(least units.Energy) []transfer {
	changed := make(map[string][]int32) // methods that both runs have, by place
	for m, saving := range n.saving {
		if n.both[m] && max(saving, -saving) >= least && n.native[m] {
			changed[n.places[m]] = append(changed[n.places[m]], int32(m))
		}
	}
	var found []transfer
	for m, saving := range n.saving {
		leaf := int32(m)
		if n.both[m] || !n.native[m] || len(n.callees[leaf]) > 0 || max(saving, -saving) < least {
			continue
		}
		for _, other := range changed[n.places[m]] {
			if saving > 0 && n.similar(other, leaf) {
				found = append(found, transfer{other, leaf, saving})
			} else if saving < 0 && n.similar(leaf, other) {
				found = append(found, transfer{leaf, other, -saving})
			}
		}
	}
	return found
}

// similar reports whether a uses less, b uses more, and the two differences are similar: neither is
// more than twice the other.
func (n *codeNumbers) similar(a, b int32) bool {
	less, more := -n.saving[a], n.saving[b]
	return less > 0 && more > 0 && 2*min(less, more) >= max(less, more)
}

// uncalled returns the transfers between methods that only one run has, and that no app method
// calls. Examples are trace slices, and compiled code that an interpreter called: their samples
// lack the caller. Both methods must be in the same class or file and call nothing. The energy of
// one must be at most twice that of the other.
func (n *codeNumbers) uncalled(here, there map[edge]units.Energy) []transfer {
	leaf := func(e edge) bool { return e.caller < 0 && !n.both[e.callee] && len(n.callees[e.callee]) == 0 }
	gone := make(map[string][]int32)
	for e := range there {
		if leaf(e) {
			gone[n.places[e.callee]] = append(gone[n.places[e.callee]], e.callee)
		}
	}
	var found []transfer
	for e, energy := range here {
		if leaf(e) {
			for _, other := range gone[n.places[e.callee]] {
				if n.similar(other, e.callee) {
					found = append(found, transfer{other, e.callee, energy})
				}
			}
		}
	}
	return found
}

// edges returns the exclusive energy of each app method by its caller. The caller is the nearest
// app method above the call that is in both runs. So nested methods that were extracted together
// all have the same caller. The two runs may be passed concurrently.
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
		if m := nodes[x].Method; m != cct.NoMethod && t.Image[x] >= 0 && t.Nodes[t.Image[x]].Kind == preprocess.App {
			return methods[m]
		}
		return -1
	}
	// around has, for each node, the innermost method of both runs at or above it.
	around := make([]int32, len(nodes))
	n.around[run] = around
	out := make(map[edge]units.Energy)
	for x := range int32(len(nodes)) {
		around[x] = -1
		p := nodes[x].Parent
		if m := number(x); m >= 0 && n.both[m] {
			around[x] = m
		} else if p >= 0 {
			around[x] = around[p]
		}
		if p >= 0 {
			n.called(number(actors[p]), number(x), t, x)
		}
	}
	for x := range int32(len(nodes)) {
		actor := actors[x]
		callee, p := number(actor), nodes[actor].Parent
		if callee < 0 || p < 0 {
			continue
		}
		caller := around[p]
		if caller < 0 {
			caller = -1 - int32(t.Nodes[t.Image[actor]].Label)
		}
		if caller != callee {
			out[edge{caller, callee}] += t.Source.Energy.Self(x)
		}
	}
	return out
}

// called adds the call at node x of the source tree to the callees of caller, a method that only
// one run has. callee is -1 for methods outside the app.
func (n *codeNumbers) called(caller, callee int32, t *preprocess.Tree, x int32) {
	switch into := t.Image[x]; {
	case caller < 0 || n.both[caller] || callee >= 0 && !n.both[callee]:
		return
	case callee < 0 && t.Nodes[into].Kind == preprocess.App:
		return // The call is part of its caller.
	case callee < 0 && !eflask.IsTask(t, into):
		return // An interrupt is no call.
	case callee < 0:
		callee = -1 - int32(t.Nodes[into].Label)
	}
	if n.callees[caller] == nil {
		n.callees[caller] = make(map[int32]bool)
	}
	n.callees[caller][callee] = true
}

// movedEnergy is the energy that moved from a row. It is negative if energy moved to the row. The
// field code has energy that moved between methods of the app. The field calls has energy that
// moved between the calls of one method, or between a method and its calls.
type movedEnergy struct{ code, calls units.Energy }

func (m movedEnergy) all() units.Energy { return m.code + m.calls }

// move returns the energy that moved from each row. It applies the largest transfers first. A
// transfer moves at most the part of both rows' differences that earlier transfers left.
func (n *codeNumbers) move(found []transfer) []movedEnergy {
	left, moved := slices.Clone(n.saving), make([]movedEnergy, len(n.saving))
	slices.SortFunc(found, func(a, b transfer) int {
		return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	for _, f := range found {
		if e := min(f.most, -left[f.from], left[f.to]); e > 0 {
			left[f.from] += e
			left[f.to] -= e
			if int(max(f.from, f.to)) < len(n.both) {
				moved[f.from].code += e
				moved[f.to].code -= e
			} else {
				moved[f.from].calls += e
				moved[f.to].calls -= e
			}
		}
	}
	return moved
}
