package finding

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A MethodTable has the energy of each method in one or two runs, summed over all call paths.
//
// A recursive call is part of the outer call, so All counts no energy twice. These laws hold for
// each run:
//
//   - Self adds up to the run's energy over all methods;
//   - a method's All is at least its Self and at most the run's energy;
//   - the links from a method's callers add up to the method's All. The links to its callees and its
//     Self also add up to its All.
type MethodTable struct {
	// Methods are sorted by label. They include the root, with the label cct.RootLabel, for energy
	// outside any method.
	Methods []MethodUse
	// Links connect methods to their callees, sorted by Caller and Callee.
	Links []Link
	// Components lists the components of the runs. Their energies are 0. It is nil if the runs have
	// no energy by component. Time is the clock of each run's times.
	Components []Component
	Time       [2]Clock
	// assumed has the assumed figures of the runs' power model.
	assumed assumedFigures
}

// A Clock says whether the times of a [Use] are processor time or elapsed time.
type Clock string

// The clocks. NoClock means that the run has none.
const (
	NoClock        Clock = ""
	ProcessorClock Clock = "cpu"
	WallClock      Clock = "wall"
)

// timesOf returns the times of a tree's nodes. They are processor times if these were recorded, and
// elapsed times otherwise.
func timesOf(tree *cct.Tree) (cct.Column[time.Duration], Clock) {
	switch {
	case tree.CPU.Total() != 0:
		return tree.CPU, ProcessorClock
	case tree.Wall.Total() != 0:
		return tree.Wall, WallClock
	}
	return cct.Column[time.Duration]{}, NoClock
}

// A MethodUse is a method's use in the subject and in the reference.
type MethodUse struct {
	Method name.Method
	// Owner is platform.Caller for the root and for methods that belong to their callers.
	Owner platform.Owner
	// Own is true if the method is the app's own code in at least one run. Library is its library
	// group, which may be empty.
	Own     bool
	Library string
	Runs    [2]Use
}

// A Link is the energy of the calls from one method to another. All is the inclusive energy of
// these calls, and Self the exclusive part of the callee. Recursive is not set.
type Link struct {
	// Caller and Callee are indices into MethodTable.Methods.
	Caller, Callee int
	Runs           [2]Use
}

// A Use is the energy, the time and the calls of a method in one run.
type Use struct {
	// Self is the exclusive energy. All is the inclusive energy.
	Self, All units.Energy
	// SelfTime and AllTime are the exclusive and the inclusive time.
	SelfTime, AllTime time.Duration
	// SelfBy and AllBy divide Self and All by component, in the order of MethodTable.Components.
	SelfBy, AllBy []Drain
	// Calls counts the calls if the recording has them (cct.Tree.Counted). Recursive counts the
	// calls inside a call of the same method.
	Calls, Recursive int64
}

// ByMethod makes the table of one run, or of the subject and the reference.
func ByMethod(inputs ...*analysis.Input) *MethodTable { return byMethod(nil, inputs) }

// Merged makes the table again, with several overloads in one row. overloads are indices of
// methods of t that differ only in their signatures. The row's method has no signature. inputs are
// the inputs of t. ok is false if the methods differ in more than the signature.
func (t *MethodTable) Merged(overloads []int, inputs ...*analysis.Input) (table *MethodTable, row int, ok bool) {
	one := t.Methods[overloads[0]].Method
	as := name.OfClass(one.Class(), one.Name, "")
	labels := make(map[string]name.Method)
	for _, i := range overloads {
		m := t.Methods[i].Method
		if m.Lang != name.JVM || m.Type == "" || m.In(one.Class()).Label() != m.Label() || m.Name != one.Name {
			return nil, 0, false
		}
		labels[m.Label()] = as
	}
	table = byMethod(labels, inputs)
	row = slices.IndexFunc(table.Methods, func(u MethodUse) bool { return u.Method.Label() == as.Label() })
	return table, row, true
}

// byMethod makes a table. The map as replaces methods by others, by label. It may be nil.
func byMethod(as map[string]name.Method, inputs []*analysis.Input) *MethodTable {
	b := &tableBuilder{as: as, rows: make(map[string]int), links: make(map[[2]int]*Link), components: componentsOf(inputs), assumed: assumed(inputs...)}
	for run, in := range inputs {
		b.add(run, in)
	}
	return b.table()
}

// Find returns the indices of the methods that match a text, by the rules of name.Find.
func (t *MethodTable) Find(text string) []int {
	methods := make([]name.Method, len(t.Methods))
	for i := range t.Methods {
		methods[i] = t.Methods[i].Method
	}
	return name.Find(methods, text)
}

// Row returns the index of the method with a label.
func (t *MethodTable) Row(label string) (row int, ok bool) {
	return slices.BinarySearchFunc(t.Methods, label, func(m MethodUse, label string) int { return strings.Compare(m.Method.Label(), label) })
}

// Linked returns the links to a method from its callers, or from the method to its callees. The
// links are sorted by the larger of their energies in the two runs.
func (t *MethodTable) Linked(row int, callers bool) []Link {
	var out []Link
	for _, l := range t.Links {
		if callers && l.Callee == row || !callers && l.Caller == row {
			out = append(out, l)
		}
	}
	most := func(l Link) units.Energy { return max(l.Runs[0].All, l.Runs[1].All) }
	slices.SortStableFunc(out, func(a, b Link) int { return cmp.Compare(most(b), most(a)) })
	return out
}

// A tableBuilder makes a table from runs.
type tableBuilder struct {
	as      map[string]name.Method
	methods []MethodUse
	rows    map[string]int   // indices of methods, by label
	links   map[[2]int]*Link // by caller and callee
	// components are the components of all runs.
	components components
	assumed    assumedFigures
	time       [2]Clock
}

// row returns the index of a method.
func (b *tableBuilder) row(m name.Method, owner platform.Owner) int {
	if as, ok := b.as[m.Label()]; ok {
		m = as
	}
	label := m.Label()
	at, ok := b.rows[label]
	if !ok {
		at = len(b.methods)
		b.rows[label] = at
		b.methods = append(b.methods, MethodUse{Method: m, Owner: owner})
	}
	return at
}

// rowsOf returns the row of each node of a run's tree.
func (b *tableBuilder) rowsOf(in *analysis.Input) []int {
	tree := in.Tree.Source
	ofMethod := make(map[trace.MethodID]int)
	rows := make([]int, len(tree.Nodes))
	for i, n := range tree.Nodes {
		at, ok := ofMethod[n.Method]
		switch {
		case ok:
		case n.Method == cct.NoMethod:
			at = b.row(name.Method{Name: cct.RootLabel}, platform.Caller)
		default:
			at = b.row(tree.Methods[n.Method], owners[in.Tree.MethodKind(n.Method)])
			use := &b.methods[at]
			use.Own, use.Library = use.Own || in.Own.Is(n.Method), in.Libraries[n.Method]
		}
		ofMethod[n.Method], rows[i] = at, at
	}
	return rows
}

// add adds one run.
func (b *tableBuilder) add(run int, in *analysis.Input) {
	tree := in.Tree.Source
	w := weave{tableBuilder: b, run: run, tree: tree, rows: b.rowsOf(in)}
	w.nest()
	spread(&w, tree.Energy, energies)
	times, clock := timesOf(tree)
	b.time[run] = clock
	if clock != NoClock {
		spread(&w, times, durations)
	}
	for _, c := range b.components.columns(in) {
		spread(&w, c.Column, c.locate(b.components))
	}
}

// A weave is the state of adding one run to a table.
type weave struct {
	*tableBuilder
	run  int
	tree *cct.Tree
	// rows has the row of each node's method. outer has the outermost node of the same method on
	// the path to each node. links has the link to each outermost node, and nil for other nodes.
	rows  []int
	outer []int32
	links []*Link
}

// nest finds the outermost nodes and their links, and counts calls.
func (w *weave) nest() {
	nodes := w.tree.Nodes
	w.outer, w.links = make([]int32, len(w.rows)), make([]*Link, len(w.rows))
	// last has the latest outermost node of each method.
	last := make([]int32, len(w.methods))
	for i, row := range w.rows {
		node := int32(i)
		use := &w.methods[row].Runs[w.run]
		use.Calls += w.tree.Calls.Self(node) + w.tree.Recursive.Self(node)
		use.Recursive += w.tree.Recursive.Self(node)
		if above := last[row]; w.rows[above] == row && above < node && node < nodes[above].End {
			w.outer[i] = above
			use.Recursive += w.tree.Calls.Self(node)
			continue
		}
		w.outer[i], last[row] = node, node
		if i > 0 {
			w.links[i] = w.link(w.rows[w.outer[nodes[i].Parent]], row)
			w.links[i].Runs[w.run].Calls += w.tree.Calls.Self(node)
		}
	}
}

// spread adds the values of a column to methods and links. figures finds the two sums of a Use to
// add to: exclusive and inclusive.
func spread[T ~int64](w *weave, column cct.Column[T], figures func(*Use) (self, all *T)) {
	own, all := make([]T, len(w.rows)), make([]T, len(w.rows))
	for i, row := range w.rows {
		x := column.Self(int32(i))
		if x == 0 {
			continue
		}
		self, _ := figures(&w.methods[row].Runs[w.run])
		*self += x
		own[w.outer[i]] += x
		all[w.outer[i]] += x
	}
	for i := len(w.rows) - 1; i >= 0; i-- {
		if w.outer[i] != int32(i) || all[i] == 0 {
			continue
		}
		_, sum := figures(&w.methods[w.rows[i]].Runs[w.run])
		*sum += all[i]
		if i == 0 {
			break
		}
		all[w.outer[w.tree.Nodes[i].Parent]] += all[i]
		self, sum := figures(&w.links[i].Runs[w.run])
		*self += own[i]
		*sum += all[i]
	}
}

// energies and durations return pointers to the exclusive and the inclusive sum.
func energies(u *Use) (self, all *units.Energy) { return &u.Self, &u.All }

func durations(u *Use) (self, all *time.Duration) { return &u.SelfTime, &u.AllTime }

// link returns the link between two methods.
func (b *tableBuilder) link(caller, callee int) *Link {
	ends := [2]int{caller, callee}
	l := b.links[ends]
	if l == nil {
		l = &Link{Caller: caller, Callee: callee}
		b.links[ends] = l
	}
	return l
}

// table returns the sorted table.
func (b *tableBuilder) table() *MethodTable {
	order := make([]int, len(b.methods))
	labels := make([]string, len(b.methods))
	for label, i := range b.rows {
		order[i], labels[i] = i, label
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(labels[x], labels[y]) })
	t := &MethodTable{Methods: make([]MethodUse, len(order)), Components: b.components, Time: b.time, assumed: b.assumed}
	moved := make([]int, len(order))
	for to, from := range order {
		t.Methods[to], moved[from] = b.methods[from], to
	}
	t.Links = make([]Link, 0, len(b.links))
	for _, l := range b.links {
		l.Caller, l.Callee = moved[l.Caller], moved[l.Callee]
		t.Links = append(t.Links, *l)
	}
	slices.SortFunc(t.Links, func(x, y Link) int {
		return cmp.Or(cmp.Compare(x.Caller, y.Caller), cmp.Compare(x.Callee, y.Callee))
	})
	return t
}
