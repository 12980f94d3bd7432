package finding

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Component is the energy that a part of the device, such as the screen, used for a run, a
// thread, a method or a task.
type Component struct {
	// Name is trace.Account.Component, and may be empty.
	Name       string
	Provenance trace.Provenance
	Drain
	// Least and Most bound the energy if the power model states ranges for its figures. Otherwise
	// both equal the energy.
	Least, Most units.Energy
}

// A Drain is the energy of one component, divided by its purpose.
type Drain struct {
	// Use is the energy of the component's operations. Tail is the energy that it uses after an
	// operation, while it waits for more work. Rest is unattributed.
	Use, Tail, Rest units.Energy
}

// Energy returns the sum of the parts.
func (d Drain) Energy() units.Energy { return d.Use + d.Tail + d.Rest }

// part returns a pointer to the energy of a part.
func (d *Drain) part(p trace.Part) *units.Energy {
	switch p {
	case trace.Tail:
		return &d.Tail
	case trace.Rest:
		return &d.Rest
	}
	return &d.Use
}

// plus returns the sum of d and o.
func (d Drain) plus(o Drain) Drain { return Drain{d.Use + o.Use, d.Tail + o.Tail, d.Rest + o.Rest} }

// A Ledger breaks down the energy of a run by component. Its lists are sorted by energy and add up
// to the total energy. They leave out components without energy. They are nil if the run has no
// energy by component.
type Ledger struct {
	in *analysis.Input
	// names lists the components. Their energies are 0. rows maps accounts to indices in names.
	names []Component
	rows  []int
	// assumed has the assumed figures of the run's power model.
	assumed assumedFigures
}

// NewLedger makes the ledger of a run.
func NewLedger(in *analysis.Input) *Ledger {
	l := &Ledger{in: in, assumed: assumed(in)}
	accounts := in.Trace.Accounts
	if len(accounts) < 2 {
		return l
	}
	for _, a := range accounts {
		at := slices.IndexFunc(l.names, func(c Component) bool { return c.Name == a.Component })
		if at < 0 {
			at = len(l.names)
			l.names = append(l.names, Component{Name: a.Component, Provenance: a.Provenance})
		}
		l.rows = append(l.rows, at)
	}
	return l
}

// HasComponents reports whether the run has its energy by component.
func (l *Ledger) HasComponents() bool { return len(l.rows) > 0 }

// Run lists the components of the run.
func (l *Ledger) Run() []Component { return l.Node(&l.in.Tree.Source.Measures, cct.Root) }

// Node lists the energy of each component in a node and its descendants. tree is one of the run's
// trees.
func (l *Ledger) Node(tree *cct.Measures, node int32) []Component {
	return l.list(tree.Energy.All(node), func(a trace.AccountID) units.Energy {
		sum := int64(0)
		for run := range tree.Runs() {
			sum += tree.All(node, cct.Key{Run: run, Quantity: cct.Energy, Account: a})
		}
		return units.Energy(sum)
	})
}

// Thread lists the energy of each component in a thread.
func (l *Ledger) Thread(id int) []Component {
	tree := l.in.Tree.Source
	return l.list(tree.ThreadEnergy[id], func(a trace.AccountID) units.Energy { return tree.EnergyOfThread(id, a) })
}

// list adds up the accounts by component. In a scaled run, each account is rounded separately. The
// component with the most energy gets the difference to total.
func (l *Ledger) list(total units.Energy, on func(trace.AccountID) units.Energy) []Component {
	if !l.HasComponents() {
		return nil
	}
	list := slices.Clone(l.names)
	for a, at := range l.rows {
		e := on(trace.AccountID(a))
		*list[at].part(l.in.Trace.Accounts[a].Part) += e
		total -= e
	}
	list = sortedComponents(list, total)
	l.assumed.bound(list)
	return list
}

// sortedComponents sorts components by decreasing energy and removes components without energy. It
// adds lacks, a difference left by rounding, to the largest component.
func sortedComponents(list []Component, lacks units.Energy) []Component {
	slices.SortStableFunc(list, func(a, b Component) int { return cmp.Compare(b.Energy(), a.Energy()) })
	list[0].Use += lacks
	return slices.DeleteFunc(list, func(c Component) bool { return c.Drain == Drain{} })
}

// components lists the components of all runs. Their energies are 0.
type components []Component

// componentsOf returns the components of several runs. It returns nil if no run has its energy by
// component.
func componentsOf(inputs []*analysis.Input) components {
	var names components
	found := false
	for _, in := range inputs {
		found = found || NewLedger(in).HasComponents()
		for _, a := range in.Trace.Accounts {
			if names.index(a.Component) < 0 {
				names = append(names, Component{Name: a.Component, Provenance: a.Provenance})
			}
		}
	}
	if !found {
		return nil
	}
	return names
}

func (names components) index(name string) int {
	return slices.IndexFunc(names, func(c Component) bool { return c.Name == name })
}

// allocate allocates the energies by component of a Use.
func (names components) allocate(u *Use) {
	if u.SelfBy == nil {
		u.SelfBy, u.AllBy = make([]Drain, len(names)), make([]Drain, len(names))
	}
}

// An accountColumn has the energy of each node on one account, such as the tail of the modem.
type accountColumn struct {
	cct.Column[units.Energy]
	// component is an index into the table's components.
	component int
	part      trace.Part
}

// locate returns a function that finds this column's two sums in a Use: exclusive and inclusive.
func (c accountColumn) locate(names components) func(*Use) (self, all *units.Energy) {
	return func(u *Use) (self, all *units.Energy) {
		names.allocate(u)
		return u.SelfBy[c.component].part(c.part), u.AllBy[c.component].part(c.part)
	}
}

// columns returns one column per account of a run. It returns none if there are no components.
func (names components) columns(in *analysis.Input) []accountColumn {
	if names == nil {
		return nil
	}
	var columns []accountColumn
	tree := in.Tree.Source
	for a, account := range in.Trace.Accounts {
		for run := range tree.Runs() {
			key := cct.Key{Run: run, Quantity: cct.Energy, Account: trace.AccountID(a)}
			columns = append(columns, accountColumn{tree.Column(key), names.index(account.Component), account.Part})
		}
	}
	return columns
}

// ByComponent divides the Self or the All of a [Use] by component. total is the energy to divide.
// The parameter by is the SelfBy or AllBy of the Use. The list is nil if the table has no
// components.
func (t *MethodTable) ByComponent(total units.Energy, by []Drain) []Component {
	if t.Components == nil {
		return nil
	}
	list := slices.Clone(t.Components)
	for i := range by {
		list[i].Drain = by[i]
		total -= by[i].Energy()
	}
	list = sortedComponents(list, total)
	t.assumed.bound(list)
	return list
}

// Processor is the component that runs code. eprof calls all other components I/O.
const Processor = "cpu"

// An IO sums up the energy that methods used in components other than the processor (eprof, Section
// 8.1 and Table 5). It excludes unattributed energy.
type IO struct {
	Energy units.Energy
	// Routines counts the methods with exclusive I/O energy. All counts all methods that ran.
	Routines, AllRoutines int
}

// InputOutput sums up the I/O energy in a table of one run. It returns the zero IO if the run has
// no energy by component.
func (t *MethodTable) InputOutput() IO {
	var sum IO
	if t.Components == nil {
		return sum
	}
	for _, m := range t.Methods {
		if m.Method.Name == cct.RootLabel {
			continue
		}
		sum.AllRoutines++
		others := units.Energy(0)
		for i, d := range m.Runs[0].SelfBy {
			if t.Components[i].Name != Processor {
				others += d.Energy()
			}
		}
		if others != 0 {
			sum.Routines++
		}
		sum.Energy += others
	}
	return sum
}
