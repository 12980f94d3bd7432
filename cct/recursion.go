package cct

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Recursion counts the recursive calls that one caller made to one method. A recursive call
// merges into an ancestor, so the tree's shape does not show who made it.
type Recursion struct {
	// Node is the node into which the calls merged. Caller is the node that made the calls. It is
	// below Node, or is Node itself.
	Node, Caller int32
	// Recursive counts the calls that are in Measures.Recursive. Calls counts those that are in
	// Measures.Calls, as all calls of samples are.
	Recursive, Calls int64
}

// A recursionKey is the Node and the Caller of a Recursion while the tree is being built.
type recursionKey struct{ node, caller int32 }

// recursions are the recursive calls by caller. It is nil unless Limits.Recursions is true.
type recursions struct {
	all map[recursionKey]*openRecursion
	// recent is a direct-mapped cache of recursions. Most calls find their recursion here, which is
	// faster than the map.
	recent [recentRecursions]*openRecursion
}

// recentRecursions is a power of two.
const recentRecursions = 1 << 10

// openRecursion is a Recursion while the tree is being built.
type openRecursion struct {
	recursionKey
	recursive, calls int64
}

func newRecursions() *recursions { return &recursions{all: make(map[recursionKey]*openRecursion)} }

// count adds recursive calls made by a caller.
func (r *recursions) count(node, caller int32, recursive, calls int64) {
	if r == nil {
		return
	}
	key := recursionKey{node, caller}
	place := &r.recent[uint32(node*31+caller)%recentRecursions]
	if *place == nil || (*place).recursionKey != key {
		found := r.all[key]
		if found == nil {
			found = &openRecursion{recursionKey: key}
			r.all[key] = found
		}
		*place = found
	}
	(*place).recursive += recursive
	(*place).calls += calls
}

// list returns the recursions for a finished tree, sorted by node and caller. Node i has moved to
// place[i].
func (r *recursions) list(b *builder, place []int32) []Recursion {
	if r == nil {
		return nil
	}
	list := slices.Grow([]Recursion(nil), len(r.all))
	for key, found := range r.all {
		// If the caller's node was removed as empty, use its nearest remaining ancestor.
		for place[key.caller] < 0 {
			key.caller = b.nodes.at(key.caller).parent
		}
		if place[key.node] >= 0 {
			list = append(list, Recursion{place[key.node], place[key.caller], found.recursive, found.calls})
		}
	}
	slices.SortFunc(list, func(a, b Recursion) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Recursive, b.Recursive), cmp.Compare(a.Calls, b.Calls))
	})
	return list
}

// Charged returns a copy of the tree with other energies. accounts[a][i] is the new exclusive
// energy of node i on account a. It is divided equally among the threads that made the node's
// calls, and the first threads get the remainder. If the node has no threads, the first thread of
// the run gets the energy.
func (t *Tree) Charged(accounts ...[]units.Energy) *Tree {
	out := *t
	ends := t.Ends()
	total := make([]units.Energy, len(t.Nodes))
	out.ThreadEnergy = make([]units.Energy, max(len(t.ThreadEnergy), 1))
	out.threadAccounts, out.parts, out.repeats = nil, nil, nil
	for a, self := range accounts {
		for i, e := range self {
			if e == 0 {
				continue
			}
			total[i] += e
			out.share(int32(i), trace.AccountID(a), e)
		}
	}
	out.Energy = NewColumn(ends, total)
	if len(accounts) > 1 {
		for a, self := range accounts {
			if column := sum(ends, self); column.before != nil {
				out.parts = append(out.parts, part{Key{Account: trace.AccountID(a)}, column})
			}
		}
	}
	out.Elapsed = false
	return &out
}

// share divides the energy of a node among the threads that made its calls.
func (t *Tree) share(node int32, a trace.AccountID, e units.Energy) {
	threads := t.threadSet(node)
	if len(threads) <= 1 {
		id := trace.ThreadID(0)
		if len(threads) == 1 {
			id = threads[0]
		}
		t.addEnergy(id, a, e)
		return
	}
	each, rest := e/units.Energy(len(threads)), e%units.Energy(len(threads))
	for k, id := range threads {
		part := each
		if units.Energy(k) < rest {
			part++
		}
		t.addEnergy(id, a, part)
	}
}

// addEnergy adds energy on an account to a thread.
func (t *Tree) addEnergy(id trace.ThreadID, a trace.AccountID, e units.Energy) {
	add(&t.ThreadEnergy, int32(id), e)
	if a != 0 {
		t.threadAccounts = grow(t.threadAccounts, int32(a)-1)
		add(&t.threadAccounts[a-1], int32(id), e)
	}
}

// Shared reports whether several threads made the calls of a node.
func (t *Tree) Shared(node int32) bool { return len(t.threadSet(node)) > 1 }

// threadSet returns the threads that made the calls of a node.
func (t *Tree) threadSet(node int32) []trace.ThreadID {
	if s := t.Nodes[node].threads; s != 0 {
		return t.threadSets[s]
	}
	return nil
}
