package finding

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// A Grain is what a row of a [MethodTable] represents, such as a class or a thread.
type Grain string

// The grains. EachLibrary has one row per library group, and the rows named below for methods
// outside of groups.
const (
	EachMethod Grain = "method"
	// EachLine has one row per known source line of a method. The inputs must have been read with
	// analysis.Options.Lines.
	EachLine    Grain = "line"
	EachClass   Grain = "class"
	EachPackage Grain = "package"
	EachLibrary Grain = "library"
	EachThread  Grain = "thread"
	EachProcess Grain = "process"
	// EachCall has a row for each system call and for each method that uses a component, including
	// all callees. All other energy is in one row.
	EachCall Grain = "syscall"
)

// Names of the rows for methods that have no class, no package, and so on.
const (
	noClass   = "(no class)"
	noPackage = "(no package)"
	noThread  = "(no name)"
	noProcess = "(no name)"
	noCall    = "(no system call)"
	// Rows of EachLibrary for methods outside of library groups.
	ownCode   = "(own code)"
	ofSlices  = "(slices)"
	otherCode = "(other code of the app)"
	framework = "(framework)"
	recording = "(recording the run)"
)

// Grains lists the grains.
func Grains() []string {
	return []string{string(EachLibrary), string(EachPackage), string(EachClass), string(EachMethod), string(EachLine), string(EachThread), string(EachProcess), string(EachCall)}
}

// InPackages reports whether each row of the grain belongs to one package.
func (g Grain) InPackages() bool {
	return g == EachMethod || g == EachLine || g == EachClass || g == EachPackage
}

// ByGrain makes a table like [ByMethod], with one row per class, per thread, or per unit of another
// grain. A row's Method holds the name of the row, and its scope and module if it has them. The
// table has no links. These laws hold for each run:
//
//   - Self adds up to the run's energy over all rows;
//   - a row's All is the energy of its methods with all callees. A row counts each event once.
//     Several rows may count the same event;
//   - a row's Calls are the calls from methods of other rows. Recursive is 0, because recursive
//     calls are not counted.
//
// Threads and processes do not call each other: their All is their Self, and they have no Calls.
// Threads with the same name are one row, because only names identify threads across two runs.
func ByGrain(grain Grain, inputs ...*analysis.Input) *MethodTable {
	if grain == EachMethod {
		return ByMethod(inputs...)
	}
	t := &MethodTable{Components: componentsOf(inputs), assumed: assumed(inputs...)}
	rows := make(map[string]int)
	for run, in := range inputs {
		if grain == EachThread || grain == EachProcess {
			t.addThreads(run, in, grain, rows)
		} else {
			t.addCoarse(run, in, grain, rows)
		}
	}
	slices.SortFunc(t.Methods, func(a, b MethodUse) int { return cmp.Compare(a.Method.Name, b.Method.Name) })
	return t
}

// addCoarse adds a run to a table by class, library, or another grain. rows maps names to rows.
func (t *MethodTable) addCoarse(run int, in *analysis.Input, grain Grain, rows map[string]int) {
	tree := in.Tree.Source
	rowAt, outermost := make([]int, len(tree.Nodes)), make([]bool, len(tree.Nodes))
	rowOf := t.byMethod(in, grain, rows)
	if grain == EachCall {
		rowOf = t.byCall(in, rowAt, rows)
	}
	var last []int32 // for each row, the end of its latest outermost node
	for i, n := range tree.Nodes {
		node := int32(i)
		at := rowOf(node)
		for len(last) <= at {
			last = append(last, 0)
		}
		rowAt[i] = at
		if n.Parent < 0 || rowAt[n.Parent] != at {
			t.Methods[at].Runs[run].Calls += tree.Calls.Self(node)
		}
		if node >= last[at] {
			last[at], outermost[i] = n.End, true
		}
	}
	g := gathering{t, run, rowAt, outermost}
	gather(&g, tree.Energy, energies)
	times, clock := timesOf(tree)
	t.Time[run] = clock
	gather(&g, times, durations)
	names := components(t.Components)
	for _, c := range names.columns(in) {
		gather(&g, c.Column, c.locate(names))
	}
}

// byMethod returns a function from a node to its row. Nodes of the same method have the same row.
func (t *MethodTable) byMethod(in *analysis.Input, grain Grain, rows map[string]int) func(node int32) int {
	ofMethod := make(map[trace.MethodID]int)
	return func(node int32) int {
		m := in.Tree.Source.Nodes[node].Method
		at, ok := ofMethod[m]
		if !ok {
			at = t.coarse(rows, in, m, grain)
			ofMethod[m] = at
		}
		return at
	}
}

// A gathering is the state of adding a run to a table. rows has the row of each node. outermost is
// true for a node if no ancestor is in the same row.
type gathering struct {
	*MethodTable
	run       int
	rows      []int
	outermost []bool
}

// gather adds the values of a column to the rows of a table. figures finds the two sums of a Use to
// add to: exclusive and inclusive.
func gather[T ~int64](g *gathering, column cct.Column[T], figures func(*Use) (self, all *T)) {
	for i, row := range g.rows {
		x := column.Self(int32(i))
		if x == 0 && !g.outermost[i] {
			continue
		}
		self, all := figures(&g.Methods[row].Runs[g.run])
		*self += x
		if g.outermost[i] {
			*all += column.All(int32(i))
		}
	}
}

// coarse returns the row of a method of a run. The row's Owner is the owner of all its methods, or
// platform.Caller if they have different owners.
func (t *MethodTable) coarse(rows map[string]int, in *analysis.Input, m trace.MethodID, grain Grain) int {
	label, owner, own := cct.RootLabel, platform.Caller, false
	library := ""
	var method name.Method
	if m != cct.NoMethod {
		method = in.Tree.Source.Methods[m]
		owner, own, library = owners[in.Tree.MethodKind(m)], in.Own.Is(m), in.Libraries[m]
		switch grain {
		case EachClass:
			label = cmp.Or(method.Place(), noClass)
		case EachLine:
			label = method.Label()
		case EachPackage:
			label = cmp.Or(method.Scope, noPackage)
		default:
			label = part(in, m)
			method = name.Method{}
		}
	}
	at, ok := rows[label]
	if !ok {
		at = len(t.Methods)
		rows[label] = at
		stands := name.Method{Lang: method.Lang, Module: method.Module, Scope: method.Scope, Name: label}
		if grain == EachLine {
			stands = method
		}
		t.Methods = append(t.Methods, MethodUse{Method: stands, Owner: owner, Library: library, Own: own})
	}
	use := &t.Methods[at]
	use.Own = use.Own || own
	if use.Owner != owner {
		use.Owner = platform.Caller
	}
	if use.Library != library {
		use.Library = ""
	}
	return at
}

// part returns a method's library group. For a method outside of groups it returns the name of the
// row that the method is in.
func part(in *analysis.Input, m trace.MethodID) string {
	switch kind := in.Tree.MethodKind(m); {
	case kind == preprocess.Recorder:
		return recording
	case in.Tree.Source.Methods[m].Lang == name.Slice:
		return ofSlices
	case in.Own.Is(m):
		return ownCode
	case in.Libraries[m] != "":
		return in.Libraries[m]
	case kind == preprocess.Framework:
		return framework
	case kind == preprocess.App:
		return otherCode
	}
	return noClass
}
