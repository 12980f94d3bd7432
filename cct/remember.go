package cct

import (
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// A mark is a marked call: its node and its thread. Node -1 means none.
type mark struct {
	node   int32
	thread trace.ThreadID
}

// mark marks the innermost open call, so that a later event can charge it.
func (b *builder) mark(id trace.ThreadID, node int32, ref int) {
	if b.placeholders != nil || ref < 0 {
		return
	}
	for ref >= len(b.marks) {
		b.marks = append(b.marks, mark{node: -1})
	}
	b.marks[ref] = mark{node, id}
}

// charge moves the energy of an event from the innermost open call, which already has it, to the
// marked call and its thread. Energy that no call caused goes to the root and stays with the
// event's thread.
func (b *builder) charge(th *thread, from int32, e *trace.Event) {
	if b.placeholders != nil {
		return
	}
	to := mark{Root, th.id}
	switch {
	case e.Ref >= 0 && int(e.Ref) < len(b.marks) && b.marks[e.Ref].node >= 0:
		to = b.marks[e.Ref]
	case e.Ref != trace.NoRef:
		b.unmarked++
	}
	b.nodes.at(from).energy -= e.Energy
	b.nodes.at(to.node).energy += e.Energy
	b.addEnergy(to.node, to.thread, e.Account, e.Energy)
	th.energy -= e.Energy
	b.threads[to.thread].energy += e.Energy
}

// enqueue records that the innermost open call hands over work.
func (b *builder) enqueue(th *thread, flow int) {
	if b.placeholders != nil {
		return
	}
	for flow >= len(b.origins) {
		b.origins = append(b.origins, -1)
	}
	b.origins[flow] = th.stack[len(th.stack)-1]
}

// handover returns the node of a hand-over, and adds it if it is new.
func (b *builder) handover(key handoverKey) (int32, error) {
	n, ok := b.handovers[key]
	if !ok {
		if int(b.nodes.len) >= b.maxNodes {
			return 0, fmt.Errorf("%w: more than %d contexts", ErrTooLarge, b.maxNodes)
		}
		n = b.nodes.add(key.method, key.parent)
		if b.handovers == nil {
			b.handovers = make(map[handoverKey]int32)
		}
		b.handovers[key] = n
	}
	return n, nil
}

// dispatch moves the innermost open call from its plain node to the node of its hand-over, which is
// a sibling. Calls with the same origin share that node.
func (b *builder) dispatch(th *thread, flow int) error {
	if b.placeholders != nil || len(th.stack) < 2 {
		return nil
	}
	if flow >= len(b.origins) || b.origins[flow] < 0 {
		b.unresolved++
		return nil
	}
	plain, caller := th.stack[len(th.stack)-1], th.stack[len(th.stack)-2]
	if b.nodes.at(plain).parent != caller {
		return nil // a recursive call has its ancestor's node
	}
	n, err := b.handover(handoverKey{parent: caller, origin: b.origins[flow], method: b.nodes.at(plain).method})
	if err != nil {
		return err
	}
	b.nodes.at(plain).calls--
	to := b.nodes.at(n)
	to.calls++
	to.threads = th.entered(to.threads, &b.sets)
	th.stack[len(th.stack)-1] = n
	return nil
}
