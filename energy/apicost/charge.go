package apicost

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Options define how calls are charged.
type Options struct {
	Table *Table
	// Platform separates the app's code from the framework's, and knows the class hierarchy.
	Platform *platform.Platform
	// Guess also charges calls without a known cost. Table.Guess estimates the cost, and the energy
	// is on the account GuessAccount.
	Guess bool
	// Orka looks up costs as the original Orka did, see [Log].
	Orka bool
}

// The accounts of a charged tree. The second exists if Options.Guess is set.
const (
	CostAccount trace.AccountID = iota
	GuessAccount
)

// Accounts returns the accounts of a charged tree.
func (o *Options) Accounts() []trace.Account {
	accounts := []trace.Account{{Component: "API costs", Provenance: trace.APICost}}
	if o.Guess {
		accounts = append(accounts, trace.Account{Component: "guess", Provenance: trace.APICost})
	}
	return accounts
}

// A Bill lists the charged and the uncharged calls.
type Bill struct {
	// Calls counts the calls of the app into the packages that the table covers. Costed counts the
	// calls with a known cost. Guessed counts the calls with a guessed cost.
	Calls, Costed, Guessed int64
	// Elsewhere counts the calls of the app into other packages of the framework.
	Elsewhere int64
	// APIs are the called methods with a cost, sorted by energy. Missing are the called methods
	// without a cost, sorted by calls.
	APIs    []API
	Missing []Missing
	// Routines are the app's methods that call methods with a known or guessed cost. They are
	// sorted by the average energy of a call of the routine.
	Routines []Routine
	// Shared counts the charged calls on paths that several threads run. The tree divides the
	// energy of such a call evenly between these threads.
	Shared int64
}

// An API is a framework method with a cost.
type API struct {
	Method name.Method
	// Row is an index in Table.Rows.
	Row   int
	Calls int64
	Each  Cost
	// Energy is the rounded energy that the tree has. Exact is the energy before rounding.
	Energy units.Energy
	Exact  Amount
}

// A Missing is a framework method without a cost.
type Missing struct {
	Method name.Method
	Why    Reason
	Calls  int64
	// Each is the guessed cost of one call, or 0 if there is no guess. Energy is the guessed energy
	// of all calls.
	Each   Cost
	Energy units.Energy
}

// A Routine is a method of the app, with the energy of the method's calls into the framework.
type Routine struct {
	Method name.Method
	// Calls counts the calls of the method. It is 0 if the method was called only before the
	// recording began.
	Calls int64
	// Energy is the rounded energy that the tree has. Exact is the energy before rounding. Average
	// is Exact divided by Calls.
	Energy         units.Energy
	Exact, Average Amount
	// Guess is the guessed energy. The other fields do not include it.
	Guess units.Energy
}

// ErrNotCounted is returned by Charge for a tree without counted calls.
var ErrNotCounted = errors.New("the recording does not count calls")

// Charge returns a copy of the tree whose energy is the cost of the app's calls into the framework.
// It needs tree.Recursions.
func Charge(tree *cct.Tree, o Options) (*cct.Tree, *Bill, error) {
	if tree.Counted != trace.CountedCalls {
		return nil, nil, ErrNotCounted
	}
	c := newCharger(tree, o)
	c.routines = make(map[trace.MethodID]*Routine)
	accounts := 1
	if o.Guess {
		accounts = 2
	}
	c.self = make([][]units.Energy, accounts)
	for a := range c.self {
		c.self[a] = make([]units.Energy, len(tree.Nodes))
	}
	c.countCalls()
	if !c.total.fits() {
		return nil, nil, errors.New("the sum of the costs of all calls is too large: check the unit of the table")
	}
	c.list()
	return tree.Charged(c.self...), c.bill, nil
}

// A charger is the state of Charge.
type charger struct {
	Options
	tree *cct.Tree
	bill *Bill
	// owners has the owner of each method.
	owners []platform.Owner
	// prices has an entry for each framework method that the app calls.
	prices   []price
	self     [][]units.Energy
	routines map[trace.MethodID]*Routine
	total    Amount
}

// A price is the cost of a framework method, with the sums over its calls.
type price struct {
	known bool
	// covered is set for methods in the packages of the table. row is an index in Table.Rows, or
	// -1.
	covered, recorder bool
	row               int
	why               Reason
	guess             Cost
	// calls counts all calls. exact and energy are sums over the charged calls.
	calls  int64
	exact  Amount
	energy units.Energy
}

// newCharger returns a charger with the owner of each method. Methods of one package usually have
// the same owner, so newCharger queries the platform once for all of them.
func newCharger(tree *cct.Tree, o Options) *charger {
	c := &charger{Options: o, tree: tree, bill: &Bill{}, prices: make([]price, len(tree.Methods)), owners: make([]platform.Owner, len(tree.Methods))}
	type code struct {
		lang                  name.Lang
		module, scope, symbol string
		typed                 bool
	}
	known := make(map[code]platform.Owner)
	for id := range c.tree.Methods {
		m := &c.tree.Methods[id]
		unit := code{lang: m.Lang, module: m.Module, scope: m.Scope, typed: m.Type != ""}
		if platform.ByName(*m) {
			unit.symbol = m.Name
		}
		owner, ok := known[unit]
		if !ok {
			owner = c.Platform.Owner(*m)
			known[unit] = owner
		}
		c.owners[id] = owner
	}
	return c
}

// price returns the entry of a framework method in prices. It looks up the cost on the first use.
func (c *charger) price(id trace.MethodID) *price {
	p := &c.prices[id]
	if p.known {
		return p
	}
	m := c.tree.Methods[id]
	*p = price{known: true, row: -1, recorder: c.Platform.Role(m) == platform.Recorder, covered: c.Table.Covers(m)}
	if p.covered {
		p.row, p.why = c.find(m)
		if c.Guess && p.row < 0 {
			p.guess = c.Table.Guess(m, c.Platform.Supertypes)
		}
	}
	return p
}

// find returns the table row of a method. If o.Orka is set, it searches as Orka did.
func (o *Options) find(m name.Method) (row int, why Reason) {
	if o.Orka {
		return o.Table.findByName(m)
	}
	return o.Table.Find(m, o.Platform.Supertypes)
}

// countCalls charges the calls of each node.
func (c *charger) countCalls() {
	// The recursions are sorted by node.
	recursions := c.tree.Recursions
	for i := range c.tree.Nodes {
		calls := c.tree.Calls.Self(int32(i))
		for ; len(recursions) > 0 && recursions[0].Node == int32(i); recursions = recursions[1:] {
			calls -= recursions[0].Calls
		}
		if n := &c.tree.Nodes[i]; n.Method != cct.NoMethod {
			c.call(int32(i), n.Parent, calls)
		}
	}
	for _, r := range c.tree.Recursions {
		if c.tree.Nodes[r.Node].Method != cct.NoMethod {
			c.call(r.Node, r.Caller, r.Calls+r.Recursive)
		}
	}
}

// call charges the calls that one caller made to a node's method.
func (c *charger) call(node, caller int32, calls int64) {
	id := c.tree.Nodes[node].Method
	routine := cct.NoMethod
	if caller >= 0 {
		routine = c.tree.Nodes[caller].Method
	}
	if calls <= 0 || routine == cct.NoMethod || c.owners[routine] != platform.App || c.owners[id] != platform.Framework {
		return
	}
	p := c.price(id)
	switch {
	case p.recorder:
		return
	case !p.covered:
		c.bill.Elsewhere += calls
		return
	case c.Orka && inherited(c.tree.Methods[routine], c.tree.Methods[id], c.Platform):
		return
	}
	c.bill.Calls += calls
	p.calls += calls
	each := p.guess
	if p.row >= 0 {
		each = c.Table.Rows[p.row].Cost
	}
	if each == 0 {
		return
	}
	exact := each.Times(calls)
	e := exact.Energy()
	p.energy += e
	p.exact = p.exact.Plus(exact)
	c.total = c.total.Plus(exact)
	r := c.routines[routine]
	if r == nil {
		r = &Routine{Method: c.tree.Methods[routine]}
		c.routines[routine] = r
	}
	if p.row < 0 {
		c.bill.Guessed += calls
		c.self[GuessAccount][node] += e
		r.Guess += e
	} else {
		c.bill.Costed += calls
		c.self[CostAccount][node] += e
		r.Energy += e
		r.Exact = r.Exact.Plus(exact)
	}
	if c.tree.Shared(node) {
		c.bill.Shared += calls
	}
}

// inherited reports whether Orka missed the call because the app's class inherits the called
// method. The call instruction then names the app's class and not the framework's.
func inherited(caller, callee name.Method, known *platform.Platform) bool {
	if callee.Type == "" {
		return false
	}
	wanted := callee.Class()
	first := true
	for class := range rawAbove(caller.Class(), known.Supertypes) {
		if !first && class == wanted {
			return true
		}
		first = false
	}
	return false
}

// list makes the sorted lists of the bill.
func (c *charger) list() {
	for i := range c.prices {
		p, m := &c.prices[i], c.tree.Methods[i]
		switch {
		case p.calls == 0:
		case p.row >= 0:
			c.bill.APIs = append(c.bill.APIs, API{m, p.row, p.calls, c.Table.Rows[p.row].Cost, p.energy, p.exact})
		default:
			c.bill.Missing = append(c.bill.Missing, Missing{m, p.why, p.calls, p.guess, p.energy})
		}
	}
	for i := range c.tree.Nodes {
		if n := &c.tree.Nodes[i]; n.Method != cct.NoMethod && c.routines[n.Method] != nil {
			c.routines[n.Method].Calls += c.tree.Calls.Self(int32(i)) + c.tree.Recursive.Self(int32(i))
		}
	}
	for _, r := range c.routines {
		r.Average = r.Exact.Over(r.Calls)
		c.bill.Routines = append(c.bill.Routines, *r)
	}
	c.bill.sort()
}

// sort sorts the lists. Labels break ties, so the order is always the same.
func (b *Bill) sort() {
	byLabel := func(a, b name.Method) int { return cmp.Compare(a.Label(), b.Label()) }
	slices.SortFunc(b.APIs, func(a, b API) int {
		return cmp.Or(b.Exact.Compare(a.Exact), cmp.Compare(b.Calls, a.Calls), byLabel(a.Method, b.Method))
	})
	slices.SortFunc(b.Missing, func(a, b Missing) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), byLabel(a.Method, b.Method))
	})
	slices.SortFunc(b.Routines, func(a, b Routine) int {
		return cmp.Or(b.Average.Compare(a.Average), b.Exact.Compare(a.Exact), cmp.Compare(b.Guess, a.Guess), byLabel(a.Method, b.Method))
	})
}

// Plus returns the sum of the bills of two runs that were charged by the same table. If either bill
// is nil, the sum is nil.
func (b *Bill) Plus(o *Bill) *Bill {
	if b == nil || o == nil {
		return nil
	}
	sum := &Bill{
		Calls: b.Calls + o.Calls, Costed: b.Costed + o.Costed, Guessed: b.Guessed + o.Guessed, Elsewhere: b.Elsewhere + o.Elsewhere, Shared: b.Shared + o.Shared,
	}
	sum.APIs = joined(b.APIs, o.APIs, func(a *API) name.Method { return a.Method }, func(a *API, b API) {
		a.Calls, a.Energy, a.Exact = a.Calls+b.Calls, a.Energy+b.Energy, a.Exact.Plus(b.Exact)
	})
	sum.Missing = joined(b.Missing, o.Missing, func(m *Missing) name.Method { return m.Method }, func(a *Missing, b Missing) {
		a.Calls, a.Energy = a.Calls+b.Calls, a.Energy+b.Energy
	})
	sum.Routines = joined(b.Routines, o.Routines, func(r *Routine) name.Method { return r.Method }, func(a *Routine, b Routine) {
		a.Calls, a.Energy, a.Exact, a.Guess = a.Calls+b.Calls, a.Energy+b.Energy, a.Exact.Plus(b.Exact), a.Guess+b.Guess
	})
	for i := range sum.Routines {
		r := &sum.Routines[i]
		r.Average = r.Exact.Over(r.Calls)
	}
	sum.sort()
	return sum
}

// joined merges two lists of rows. It adds up rows whose methods have equal labels.
func joined[T any](a, b []T, method func(*T) name.Method, add func(*T, T)) []T {
	out := slices.Clone(a)
	at := make(map[string]int, len(a))
	for i := range out {
		m := method(&out[i])
		at[m.Label()] = i
	}
	for _, row := range b {
		m := method(&row)
		if i, ok := at[m.Label()]; ok {
			add(&out[i], row)
			continue
		}
		out = append(out, row)
	}
	return out
}

// Share describes how many calls have a cost: "146 of 208 calls".
func (b *Bill) Share() string {
	return fmt.Sprintf("%d of %d calls", b.Costed, b.Calls)
}
