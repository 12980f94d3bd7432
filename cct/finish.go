package cct

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Samples implements trace.Sink.
func (b *builder) Samples(batch []trace.Sample) error {
	for i := range batch {
		s := &batch[i]
		if s.Energy < 0 || s.CPU < 0 || s.Wall < 0 || s.Calls < 0 {
			return errors.New("a sample holds a negative value")
		}
		at := Root
		// As on a thread's deep stack, methods that have not been met are not
		// looked for.
		var met map[trace.MethodID]bool
		if len(s.Stack) > deep {
			met = make(map[trace.MethodID]bool, len(s.Stack))
		}
		th, err := b.thread(s.Thread)
		if err != nil {
			return err
		}
		for _, m := range s.Stack {
			target, err := b.callee(at, m, met == nil || met[m])
			if met != nil {
				met[m] = true
			}
			if err != nil {
				return err
			}
			if at = target; target < 0 {
				at = ^target
			}
			n := b.nodes.at(at)
			n.threads = th.entered(n.threads, &b.sets)
		}
		if _, ok := units.Add(b.energy, s.Energy); !ok || b.cpu+s.CPU < 0 || b.wall+s.Wall < 0 {
			return errors.New("the sum of energy or of time over the run leaves 63 bits")
		}
		b.energy += s.Energy
		b.cpu += s.CPU
		b.wall += s.Wall
		th.energy += s.Energy
		n := b.nodes.at(at)
		n.energy += s.Energy
		n.cpu += s.CPU
		n.wall += s.Wall
		if n.calls += uint32(s.Calls); s.Calls > math.MaxUint32 || n.calls < uint32(s.Calls) {
			return errors.New("a context has more than 2³² calls")
		}
	}
	return nil
}

func (b *builder) closeThreads() {
	for i := range b.threads {
		if n := len(b.threads[i].stack); n > 1 {
			b.closedEnd += int64(n - 1)
		}
	}
}

func (b *builder) warnings() []trace.Warning {
	var ws []trace.Warning
	warn := func(n int64, code, format string) {
		if n > 0 {
			ws = append(ws, trace.Warning{Code: code, Message: fmt.Sprintf(format, n)})
		}
	}
	warn(b.orphans, "open-at-start", "%d calls had begun before the recording; they were restored from their exits")
	warn(b.closedEnd, "open-at-end", "%d calls had not ended with the recording; they end with their thread's last event")
	warn(b.lostExits, "lost-exits", "%d calls have no exit; they end with the call around them")
	warn(b.stray, "stray-exits", "%d exits belong to no open call and were ignored")
	if b.sets.spilt != nil {
		ws = append(ws, trace.Warning{Code: "many-threads", Message: "too many threads share calls in too many ways; which threads made a call is not told"})
	}
	warn(b.unmarked, "unmarked-charges", "%d amounts of energy were charged to calls that the recording had not marked; they are the whole run's")
	warn(b.unresolved, "unresolved-handovers", "%d hand-overs were dispatched before the recording showed who enqueued them")
	return ws
}

// finish puts the nodes into canonical preorder and adds the energies up.
func (b *builder) finish(methods []name.Method) (*Tree, error) {
	first, next, err := b.children(methods)
	if err != nil {
		return nil, err
	}
	handover := make(map[int32]int32, len(b.handovers)) // node: origin
	for key, i := range b.handovers {
		handover[i] = key.origin
	}

	t := &Tree{Nodes: make([]Node, 0, b.nodes.len), Methods: methods}
	place := make([]int32, b.nodes.len) // of a node in t.Nodes
	for i := Root; i >= 0; i = b.following(i, first, next) {
		from := b.nodes.at(i)
		recursive := uint32(0)
		if int(i) < len(b.recursive) {
			recursive = b.recursive[i]
		}
		if len(handover) > 0 && first[i] < 0 && i != Root && from.calls|recursive == 0 && from.cpu|from.wall|int64(from.energy) == 0 {
			place[i] = -1 // every call of it moved to a hand-over
			continue
		}
		place[i] = int32(len(t.Nodes))
		parent := int32(-1)
		if i != Root {
			parent = place[from.parent]
		}
		if origin, ok := handover[i]; ok {
			t.Handovers = append(t.Handovers, Handover{Node: place[i], Origin: origin})
		}
		t.Nodes = append(t.Nodes, Node{
			Method: from.method, Parent: parent, End: int32(len(t.Nodes)) + 1, threads: int32(from.threads),
			Exclusive: from.energy, Inclusive: from.energy, CPU: from.cpu, Wall: from.wall,
			Calls: int64(from.calls), Recursive: int64(recursive),
		})
	}
	for i := range t.Handovers {
		h := &t.Handovers[i]
		// An origin that was pruned made no call but this one; its caller did.
		for place[h.Origin] < 0 {
			h.Origin = b.nodes.at(h.Origin).parent
		}
		h.Origin = place[h.Origin]
	}
	// In preorder a child follows its parent, so one pass from the end carries
	// everything up.
	for i := len(t.Nodes) - 1; i > 0; i-- {
		child := &t.Nodes[i]
		parent := &t.Nodes[child.Parent]
		parent.Inclusive += child.Inclusive
		parent.End = max(parent.End, child.End)
	}
	t.numberSets(&b.sets)
	for i := range b.threads {
		t.ThreadEnergy = append(t.ThreadEnergy, b.threads[i].energy)
	}
	return t, nil
}

// following returns the node that follows i in preorder, -1 after the last.
func (b *builder) following(i int32, first, next []int32) int32 {
	if first[i] >= 0 {
		return first[i]
	}
	for i != Root && next[i] < 0 {
		i = b.nodes.at(i).parent
	}
	return next[i]
}

// children links each node's children in the order of their labels; of equal ones
// the plain node stands first, then hand-overs in the order they appeared. first is
// a node's first child, next its next sibling, -1 where there is none.
//
// Rather than sort each node's children, all nodes are put into the order of
// their labels once, by counting, and then dealt out to their parents.
func (b *builder) children(methods []name.Method) (first, next []int32, err error) {
	n := int(b.nodes.len)
	count := make([]int32, len(methods)+1)
	for i := int32(1); int(i) < n; i++ {
		m := b.nodes.at(i).method
		if m < 0 || int(m) >= len(methods) {
			return nil, nil, fmt.Errorf("an event names method %d of %d", m, len(methods))
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
