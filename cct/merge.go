package cct

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Merge merges the trees of several runs into one, as if one recording had the threads of all runs.
// The fields of Measures are sums over the runs. Key.Run selects the numbers of one run by its
// index among the arguments.
//
// Methods with equal labels are one method. ThreadEnergy lists the threads of the first run, then
// of the second run, and so on. The order of the arguments affects only the indices of runs and
// threads, and the order of hand-overs with equal labels under one node.
//
// Merge returns an error if a sum over all runs does not fit 63 bits, or if hand-overs depend on
// each other in a cycle. A recording has no such cycle.
func Merge(trees ...*Tree) (*Tree, error) {
	m := merger{builder: newBuilder(Limits{}, nil), ids: make(map[string]trace.MethodID)}
	m.unify(trees)
	into := make([][]int32, len(trees))
	for k, t := range trees {
		var err error
		if into[k], err = m.add(t); err != nil {
			return nil, err
		}
	}
	out, place, err := m.shape(m.methods)
	if err != nil {
		return nil, err
	}
	out.ThreadEnergy, out.threadAccounts = m.energy, m.threadAccounts
	ends := out.Ends()
	for k, t := range trees {
		for i, n := range into[k] {
			into[k][i] = place[n]
		}
		if !out.Measures.extend(t.Fold(into[k], ends, nil)) {
			return nil, errors.New("the sum of energy, of time or of calls over the runs leaves 63 bits")
		}
		out.Elapsed = out.Elapsed || t.Elapsed
		if k == 0 || t.Counted < out.Counted {
			out.Counted = t.Counted
		}
	}
	return out, nil
}

// A merger is a builder whose input is trees instead of events.
type merger struct {
	*builder
	methods []name.Method
	ids     map[string]trace.MethodID // by label
	energy  []units.Energy            // by thread
}

// unify makes the table of methods: one method per label, sorted by label.
func (m *merger) unify(trees []*Tree) {
	for _, t := range trees {
		m.methods = append(m.methods, t.Methods...)
	}
	label := make(map[name.Method]string, len(m.methods))
	for _, method := range m.methods {
		label[method] = method.Label()
	}
	slices.SortStableFunc(m.methods, func(a, b name.Method) int {
		return cmp.Or(cmp.Compare(label[a], label[b]), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	m.methods = slices.CompactFunc(m.methods, func(a, b name.Method) bool { return label[a] == label[b] })
	for id, method := range m.methods {
		m.ids[label[method]] = trace.MethodID(id)
	}
}

// add adds a tree. It returns, for each of the tree's nodes, the builder's node.
func (m *merger) add(t *Tree) ([]int32, error) {
	methods := make([]trace.MethodID, len(t.Methods))
	for i := range t.Methods {
		methods[i] = m.ids[t.Methods[i].Label()]
	}
	threads := m.addThreads(t)

	handovers := make(map[int32]handoverKey, len(t.Handovers))
	alike := make(map[handoverKey]int32)
	for _, h := range t.Handovers {
		// Equal hand-overs of one tree stay separate.
		key := handoverKey{parent: t.Nodes[h.Node].Parent, origin: h.Origin, method: t.Nodes[h.Node].Method}
		handovers[h.Node] = handoverKey{origin: h.Origin, nth: alike[key]}
		alike[key]++
	}

	const untouched, begun = -1, -2
	into := slices.Repeat([]int32{untouched}, len(t.Nodes))
	into[Root] = Root
	// A node must be added after its parent, and a hand-over also after its origin, which may be
	// anywhere in the tree.
	var waiting []int32
	for i := range int32(len(t.Nodes)) {
		for waiting = append(waiting, i); len(waiting) > 0; {
			at := waiting[len(waiting)-1]
			if into[at] >= 0 {
				waiting = waiting[:len(waiting)-1]
				continue
			}
			into[at] = begun
			from := &t.Nodes[at]
			key, handedOver := handovers[at]
			first := from.Parent
			if into[first] >= 0 && handedOver {
				first = key.origin
			}
			switch into[first] {
			case untouched:
				waiting = append(waiting, first)
				continue
			case begun:
				return nil, errors.New("a hand-over comes before the call that enqueued it")
			}
			// The plain node must come before the hand-overs of its method, so add it even if it
			// stays empty. shape removes empty nodes.
			to, err := m.callee(into[from.Parent], methods[from.Method], false)
			if err == nil && handedOver {
				to, err = m.handover(handoverKey{into[from.Parent], into[key.origin], methods[from.Method], key.nth})
			}
			if err != nil {
				return nil, err
			}
			n := m.nodes.at(to)
			n.calls = 1 // keeps the node, although it is empty: columns have its numbers
			for _, id := range t.Threads(at) {
				n.threads = threads[id].entered(n.threads, &m.sets)
			}
			into[at] = to
		}
	}
	return into, nil
}

func (m *merger) addThreads(t *Tree) []thread {
	n := len(t.ThreadEnergy)
	for _, set := range t.threadSets {
		for _, id := range set {
			n = max(n, int(id)+1)
		}
	}
	threads := make([]thread, n)
	for i := range threads {
		threads[i].id = trace.ThreadID(len(m.energy) + i)
	}
	m.threadAccounts = append(m.threadAccounts, make([][]units.Energy, max(0, len(t.threadAccounts)-len(m.threadAccounts)))...)
	for a, energies := range t.threadAccounts {
		for i, e := range energies {
			add(&m.threadAccounts[a], int32(len(m.energy)+i), e)
		}
	}
	m.energy = append(m.energy, t.ThreadEnergy...)
	m.energy = append(m.energy, make([]units.Energy, n-len(t.ThreadEnergy))...)
	return threads
}

// extend adds the numbers of more runs, whose trees have the same shape. ok is false if a sum does
// not fit 63 bits.
func (m *Measures) extend(more Measures) (ok bool) {
	for _, key := range more.Keys() {
		column := more.column(key)
		m.parts = append(m.parts, part{Key{m.runs + key.Run, key.Quantity, key.Account}, column})
	}
	m.runs += more.Runs()
	from := more.fields()
	for what, to := range m.fields() {
		if *to, ok = to.plus(*from[what]); !ok {
			return false
		}
	}
	return true
}

// plus adds two columns of one tree. ok is false if the sum does not fit 63 bits.
func (c sums) plus(d sums) (sum sums, ok bool) {
	if c.before == nil {
		return d, true
	}
	if d.before == nil {
		return c, true
	}
	if last := len(c.before) - 1; c.before[last] > math.MaxInt64-d.before[last] {
		return sums{}, false
	}
	before := make([]int64, len(c.before))
	for i := range before {
		before[i] = c.before[i] + d.before[i]
	}
	return sums{before, c.ends}, true
}
