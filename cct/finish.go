package cct

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

func (b *builder) closeThreads() {
	for i := range b.threads {
		if n := len(b.threads[i].stack); n > 1 {
			b.closedEnd += int64(n - 1)
		}
	}
}

func (b *builder) warnings() []trace.Warning {
	var ws []trace.Warning
	// several is a format with the number of calls. one is the message for a single call.
	warn := func(n int64, code, one, several string) {
		switch {
		case n == 1:
			ws = append(ws, trace.Warning{Code: code, Message: one})
		case n > 1:
			ws = append(ws, trace.Warning{Code: code, Message: fmt.Sprintf(several, n)})
		}
	}
	warn(b.orphans, "open-at-start", "1 call began before recording started; it was restored from its exit",
		"%d calls began before recording started; they were restored from their exits")
	warn(b.closedEnd, "open-at-end", "1 call was still running when recording stopped; it is cut there",
		"%d calls were still running when recording stopped; they are cut there")
	warn(b.lostExits, "lost-exits", "1 call has no exit; it ends with the call around it",
		"%d calls have no exit; they end with the call around them")
	warn(b.stray, "stray-exits", "1 exit does not match any open call and was ignored",
		"%d exits do not match any open call and were ignored")
	if b.sets.overflow != nil {
		ws = append(ws, trace.Warning{Code: "many-threads", Message: "too many combinations of threads share calls; the threads of each call are not shown"})
	}
	warn(b.unmarked, "unmarked-charges", "1 amount of energy belongs to an unknown call; it is counted for the whole run",
		"%d amounts of energy belong to unknown calls; they are counted for the whole run")
	warn(b.unresolved, "unresolved-handovers", "1 hand-over of work between threads was dispatched before it was enqueued",
		"%d hand-overs of work between threads were dispatched before they were enqueued")
	return ws
}

// finish puts the nodes into canonical preorder and computes the measures.
func (b *builder) finish(methods []name.Method) (*Tree, error) {
	t, place, err := b.shape(methods)
	if err != nil {
		return nil, err
	}
	t.Measures = b.measures(t.Ends(), place)
	t.Recursions = b.recursions.list(b, place)
	for i := range b.threads {
		t.ThreadEnergy = append(t.ThreadEnergy, b.threads[i].energy)
	}
	t.threadAccounts = b.threadAccounts
	return t, nil
}

// shape makes the tree without its measures. It also returns where nodes moved: place[i] is the new
// index of node i, or -1 if the node was removed.
func (b *builder) shape(methods []name.Method) (t *Tree, place []int32, err error) {
	first, next, err := b.children(methods)
	if err != nil {
		return nil, nil, err
	}
	handover := make(map[int32]int32, len(b.handovers)) // node: origin
	for key, i := range b.handovers {
		handover[i] = key.origin
	}
	t = &Tree{Nodes: make([]Node, 0, b.nodes.len), Methods: methods}
	place = make([]int32, b.nodes.len)
	for i := Root; i >= 0; i = b.following(i, first, next) {
		if len(handover) > 0 && first[i] < 0 && i != Root && b.empty(i) {
			place[i] = -1 // all calls of the node moved to hand-overs
			continue
		}
		from := b.nodes.at(i)
		place[i] = int32(len(t.Nodes))
		parent := int32(-1)
		if i != Root {
			parent = place[from.parent]
		}
		if origin, ok := handover[i]; ok {
			t.Handovers = append(t.Handovers, Handover{Node: place[i], Origin: origin})
		}
		t.Nodes = append(t.Nodes, Node{Method: from.method, Parent: parent, End: place[i] + 1, threads: int32(from.threads)})
	}
	for i := range t.Handovers {
		h := &t.Handovers[i]
		// The origin was removed as empty, so use its nearest remaining ancestor.
		for place[h.Origin] < 0 {
			h.Origin = b.nodes.at(h.Origin).parent
		}
		h.Origin = place[h.Origin]
	}
	// Children follow their parents in preorder, so one pass from the end is enough.
	for i := len(t.Nodes) - 1; i > 0; i-- {
		n := &t.Nodes[i]
		parent := &t.Nodes[n.Parent]
		parent.End = max(parent.End, n.End)
	}
	t.numberSets(&b.sets)
	return t, place, nil
}

// empty reports whether all numbers of a node are 0.
func (b *builder) empty(i int32) bool {
	n := b.nodes.at(i)
	return n.calls == 0 && at(b.recursive, i) == 0 && n.cpu|n.wall|int64(n.energy) == 0 && at(b.weight, i)|at(b.seen, i) == 0
}

// measures makes the columns from the builder's numbers. Node i has moved to place[i].
func (b *builder) measures(ends, place []int32) Measures {
	n := len(ends) + 1 // summed expects the number of node i in element i+1
	energy, calls, cpu, wall := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i, to := range place {
		if to >= 0 { // one pass reads everything, because loading a node costs a cache line
			from := b.nodes.at(int32(i))
			energy[to+1], calls[to+1], cpu[to+1], wall[to+1] = int64(from.energy), int64(from.calls), from.cpu, from.wall
		}
	}
	m := Measures{
		Energy: Column[units.Energy]{summed(ends, energy)}, CPU: Column[time.Duration]{summed(ends, cpu)},
		Wall: Column[time.Duration]{summed(ends, wall)}, Calls: Column[int64]{summed(ends, calls)},
		Recursive: Column[int64]{scattered(b.recursive, ends, place)},
		Weight:    Column[int64]{scattered(b.weight, ends, place)},
		Seen:      Column[int64]{scattered(b.seen, ends, place)},
	}
	for a, booked := range b.accounts {
		if column := scattered(booked, ends, place); column.before != nil {
			m.parts = append(m.parts, part{Key{Account: trace.AccountID(a + 1)}, column})
		}
	}
	if len(m.parts) == 0 {
		return m
	}
	// The first account gets the remaining energy.
	rest := make([]int64, n)
	for i := range ends {
		rest[i+1] = m.Energy.self(int32(i))
		for _, p := range m.parts {
			rest[i+1] -= p.self(int32(i))
		}
	}
	if column := summed(ends, rest); column.before != nil {
		m.parts = slices.Insert(m.parts, 0, part{Key{}, column})
	}
	return m
}

// scattered makes a column from a list indexed by node.
func scattered[T int64 | uint32 | units.Energy](list []T, ends, place []int32) sums {
	if len(list) == 0 {
		return sums{}
	}
	self := make([]int64, len(ends)+1)
	for i, x := range list[:min(len(list), len(place))] {
		if to := place[i]; to >= 0 {
			self[to+1] = int64(x)
		}
	}
	return summed(ends, self)
}

// following returns the node that follows i in preorder, or -1 after the last.
func (b *builder) following(i int32, first, next []int32) int32 {
	if first[i] >= 0 {
		return first[i]
	}
	for i != Root && next[i] < 0 {
		i = b.nodes.at(i).parent
	}
	return next[i]
}

// children links each node's children, sorted by label. Among children with equal labels, the plain
// node comes first, then hand-overs in the order in which they appeared. first is a node's first
// child, and next its next sibling, or -1.
//
// It does not sort the children of each node. It sorts all nodes by label once, with a counting
// sort, and then distributes them to their parents.
func (b *builder) children(methods []name.Method) (first, next []int32, err error) {
	n := int(b.nodes.len)
	count := make([]int32, len(methods)+1)
	for i := int32(1); int(i) < n; i++ {
		m := b.nodes.at(i).method
		if m < 0 || int(m) >= len(methods) {
			return nil, nil, fmt.Errorf("an event refers to unknown method %d (the recording has %d)", m, len(methods))
		}
		count[m]++
	}
	labels := make([]string, len(methods))
	order := make([]trace.MethodID, 0, len(methods))
	for m := range methods {
		if count[m] > 0 {
			labels[m] = methods[m].Label()
			order = append(order, trace.MethodID(m))
		}
	}
	slices.SortFunc(order, func(a, b trace.MethodID) int {
		return cmp.Or(cmp.Compare(labels[a], labels[b]), cmp.Compare(a, b))
	})
	sum := int32(0)
	for _, m := range order {
		sum, count[m] = sum+count[m], sum
	}
	sorted := make([]int32, max(n-1, 0))
	for i := int32(1); int(i) < n; i++ {
		m := b.nodes.at(i).method
		sorted[count[m]] = i
		count[m]++
	}

	first, next = slices.Repeat([]int32{-1}, n), make([]int32, n)
	next[Root] = -1
	for _, i := range slices.Backward(sorted) {
		p := b.nodes.at(i).parent
		first[p], next[i] = i, first[p]
	}
	return first, next, nil
}
