package cct

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// ErrTooLarge is returned by Build if the tree would exceed Limits.Bytes.
var ErrTooLarge = errors.New("the calling-context tree is too large")

// Limits limit the resources of Build, and select optional counts. The zero value sets no limits.
type Limits struct {
	// Bytes is the approximate memory that the tree and the stacks may use.
	Bytes int64
	// Recursions requests Tree.Recursions. It makes each recursive call slower.
	Recursions bool
	// Deep gives recursive calls their own nodes. By default, a recursive call merges into the node
	// of the earlier call.
	Deep bool
}

// Memory of a context and of an open call in bytes. It includes the copy that is made while a slice
// grows. A trace of 200,000 contexts took 290 bytes per context.
const (
	bytesNode = 320
	bytesCall = 12
)

// Build scans a recording and makes its tree. It also returns the recording's tables, and appends
// its own warnings to the recording's. It scans a second time if the recording began in the middle
// of a run, or if its times are impossible. Its memory grows with the tree, the method table and
// the open calls, and not with the number of events.
func Build(ctx context.Context, rec trace.Recording, limits Limits) (*Tree, *trace.Trace, error) {
	b := newBuilder(limits, nil)
	tr, err := rec.Scan(ctx, b)
	if err == nil && tr.Again {
		b = newBuilder(limits, nil)
		tr, err = rec.Scan(ctx, b)
	}
	if err == nil && b.orphans > 0 {
		// The first scan found the calls that were open at the start. Its numbers are incomplete,
		// because it counted nothing after the first exit of such a call.
		b = newBuilder(limits, b.initialStacks())
		tr, err = rec.Scan(ctx, b)
	}
	if err != nil {
		return nil, nil, err
	}
	b.closeThreads()
	tree, err := b.finish(tr.Methods)
	if err != nil {
		return nil, nil, err
	}
	tree.clearCalls(tr.Roots)
	tree.Counted, tree.Elapsed = tr.Calls, tr.Energy == trace.WallTime
	if n := len(tr.Threads); n > 0 {
		tree.ThreadEnergy = grow(tree.ThreadEnergy, int32(n)-1)
	}
	out := *tr
	out.Warnings = append(append([]trace.Warning(nil), tr.Warnings...), b.warnings()...)
	return tree, &out, nil
}

// node is a Node while it is being built. It fills one cache line, and loading this line is usually
// most of the cost of an event.
type node struct {
	method trace.MethodID
	parent int32
	// recent has the latest calls from this node. Most methods call the same few methods
	// repeatedly. Such calls need no lookup in the hash table, which would cost another cache line.
	recent    [3]recent
	energy    units.Energy
	cpu, wall int64
	// calls would overflow after 2³² calls, which is a recording of 120 GB.
	calls   uint32
	threads setID
}

// recent is a call of method. target is the node that the call leads to. For a recursive call, it
// is the complement (^node).
type recent struct {
	method trace.MethodID
	target int32
}

// arena has the nodes in blocks. A growing slice would be copied repeatedly and need twice the
// memory during the copy.
type arena struct {
	blocks []*[blockLen]node
	len    int32
}

const blockLen = 1 << 12

func (a *arena) at(i int32) *node { return &a.blocks[uint32(i)/blockLen][uint32(i)%blockLen] }

// add appends a node and returns its index.
func (a *arena) add(m trace.MethodID, parent int32) int32 {
	i := a.len
	if int(i) == len(a.blocks)*blockLen {
		a.blocks = append(a.blocks, new([blockLen]node))
	}
	a.len++
	none := recent{method: NoMethod}
	*a.at(i) = node{method: m, parent: parent, recent: [3]recent{none, none, none}}
	return i
}

type builder struct {
	maxNodes int
	maxOpen  int64
	nodes    arena
	next     calls
	// The following lists are indexed by node. Missing elements are 0. recursive counts recursive
	// calls. accounts[a-1] has the energy on account a. weight and seen are sums over samples.
	recursive []uint32
	accounts  [][]units.Energy
	// threadAccounts becomes Tree.threadAccounts.
	threadAccounts [][]units.Energy
	weight, seen   []int64
	// stacks caches the node of each sampled stack, by stack id.
	stacks []stackPosition
	// recursions is nil unless Limits.Recursions is true.
	recursions *recursions
	// unfolded is Limits.Deep.
	unfolded bool
	deepest  deepStack
	threads  []thread
	sets     threadSets
	open     int64 // calls that are open now, on all threads

	// initial has each thread's calls that were open at the start, outermost first. It is nil in
	// the first scan.
	initial map[trace.ThreadID][]trace.MethodID
	// placeholders is set at the first exit of a call that was open at the start. The tree will
	// then be built again, so from there on stacks use one node per method.
	placeholders map[trace.MethodID]int32

	// These totals guard the sums against overflow.
	energy           units.Energy
	cpu, wall        int64
	weighed, sighted int64

	// marks are the remembered calls, by ref.
	marks      []mark
	origins    []int32 // by flow: the node that enqueued the work, or -1
	handovers  map[handoverKey]int32
	unresolved int64

	orphans   int64 // calls open at the start
	closedEnd int64 // calls open at the end
	lostExits int64 // calls closed because a caller ended
	stray     int64 // exits of calls that are not open
	unmarked  int64 // charges to refs without an earlier mark
}

// A handoverKey identifies a hand-over: work that one call enqueues and another runs. Hand-overs of
// one method under one node are separate nodes if different calls enqueued them (origin). nth
// distinguishes equal hand-overs when trees are merged.
type handoverKey struct {
	parent, origin int32
	method         trace.MethodID
	nth            int32
}

func newBuilder(limits Limits, initial map[trace.ThreadID][]trace.MethodID) *builder {
	b := &builder{unfolded: limits.Deep, maxNodes: math.MaxInt32, maxOpen: math.MaxInt64, initial: initial, sets: newThreadSets()}
	if limits.Bytes > 0 {
		b.maxNodes = int(min(limits.Bytes/bytesNode, math.MaxInt32))
		b.maxOpen = limits.Bytes / bytesCall
	}
	if limits.Recursions {
		b.recursions = newRecursions()
	}
	b.nodes.add(NoMethod, -1)
	return b
}

func (b *builder) initialStacks() map[trace.ThreadID][]trace.MethodID {
	initial := make(map[trace.ThreadID][]trace.MethodID)
	for t, th := range b.threads {
		if len(th.orphans) == 0 {
			continue
		}
		stack := make([]trace.MethodID, len(th.orphans))
		for i, m := range th.orphans {
			stack[len(stack)-1-i] = m
		}
		initial[trace.ThreadID(t)] = stack
	}
	return initial
}

// quantum limits the time and the energy of one event, to 52 days and 4.5 MJ. So a batch cannot
// overflow a sum before the sum is checked.
const quantum = 1 << 52

// Events implements trace.Sink.
func (b *builder) Events(batch []trace.Event) error {
	for len(batch) > 0 {
		th, err := b.thread(batch[0].Thread)
		if err != nil {
			return err
		}
		if th.time < 0 {
			th.time = batch[0].Time // the first event of a thread has no duration
		}
		open := len(th.stack)
		n, err := b.run(th, batch)
		if err != nil {
			return err
		}
		b.open += int64(len(th.stack) - open)
		batch = batch[n:]
	}
	if b.open+b.orphans > b.maxOpen {
		return fmt.Errorf("%w: more than %d calls are open at once", ErrTooLarge, b.maxOpen)
	}
	return nil
}

// run processes the thread's events at the start of a batch, and returns their number.
//
// Reading a recording spends most of its time here, so the two most frequent cases are inlined: a
// repeated call from the same node, and the end of the innermost call. Both access only the
// callee's cache line. step handles all other events.
func (b *builder) run(th *thread, events []trace.Event) (int, error) {
	stack := th.stack
	top := b.nodes.at(stack[len(stack)-1])
	plain := b.placeholders == nil && th.plain()
	var energy units.Energy
	var cpu, bits int64
	first, last := th.time, th.time
	charge := func(n *node, e *trace.Event) {
		wall := e.Time - last
		last = e.Time
		n.energy += e.Energy
		n.cpu += e.CPU
		n.wall += wall
		energy += e.Energy
		cpu += e.CPU
		bits |= int64(e.Energy) | e.CPU | wall
	}
	i := 0
	for ; i < len(events) && events[i].Thread == th.id; i++ {
		e := &events[i]
		charge(top, e)
		if e.Account != 0 && e.Kind != trace.Charge {
			b.addEnergy(stack[len(stack)-1], th.id, e.Account, e.Energy)
		}
		if plain && e.Kind == trace.Exit && top.method == trace.MethodID(e.Ref) && len(stack) > th.base {
			stack = stack[:len(stack)-1]
			top = b.nodes.at(stack[len(stack)-1])
			continue
		}
		if plain && e.Kind == trace.Enter && len(stack) < minDeep {
			if target := top.calledBefore(trace.MethodID(e.Ref)); target >= 0 {
				callee := b.nodes.at(target)
				callee.calls++
				callee.threads = th.entered(callee.threads, &b.sets)
				if i+1 < len(events) && events[i+1].Kind == trace.Exit && events[i+1].Ref == e.Ref && events[i+1].Thread == th.id && events[i+1].Account == 0 {
					i++ // a call without callees does not change the stack
					charge(callee, &events[i])
					continue
				}
				stack = append(stack, target)
				top = callee
				continue
			}
		}
		switch e.Kind {
		case trace.Mark:
			b.mark(th.id, stack[len(stack)-1], int(e.Ref))
			continue
		case trace.Charge:
			b.charge(th, stack[len(stack)-1], e)
			continue
		}
		th.stack = stack
		if err := b.step(th, e); err != nil {
			return i, err
		}
		stack = th.stack
		top = b.nodes.at(stack[len(stack)-1])
		plain = b.placeholders == nil && th.plain()
	}
	th.stack, th.time = stack, last
	th.energy += energy
	if uint64(bits) >= quantum {
		return i, fmt.Errorf("an event spends less than nothing, or more than %d nanoseconds or nanojoules", int64(quantum))
	}
	return i, b.add(energy, cpu, last-first)
}

// calledBefore looks up a call of m in the node's recent calls. It returns the node that the call
// leads to, or a negative number if the call is recursive or not found.
func (n *node) calledBefore(m trace.MethodID) int32 {
	switch m {
	case n.recent[0].method:
		return n.recent[0].target
	case n.recent[1].method:
		return n.recent[1].target
	case n.recent[2].method:
		return n.recent[2].target
	}
	return -1
}

// step processes an event that changes the stack or may hand over work.
func (b *builder) step(th *thread, e *trace.Event) error {
	switch e.Kind {
	case trace.Enter:
		return b.enter(th, trace.MethodID(e.Ref))
	case trace.Exit:
		b.exit(th, trace.MethodID(e.Ref))
	case trace.Enqueue:
		b.enqueue(th, int(e.Ref))
	case trace.Dispatch:
		return b.dispatch(th, int(e.Ref))
	}
	return nil
}

// add adds to the totals, and returns an error on overflow. Its arguments are below 2⁶².
func (b *builder) add(energy units.Energy, cpu, wall int64) error {
	b.energy += energy
	b.cpu += cpu
	b.wall += wall
	if b.energy < 0 || b.cpu < 0 || b.wall < 0 {
		return errors.New("the sum of energy or of time over the run leaves 63 bits")
	}
	return nil
}

func (b *builder) enter(th *thread, m trace.MethodID) error {
	at := th.stack[len(th.stack)-1]
	if th.open != nil {
		th.open[m]++
	}
	if b.placeholders != nil {
		n, ok := b.placeholders[m]
		if !ok {
			n = b.nodes.add(m, Root)
			b.placeholders[m] = n
		}
		th.stack = append(th.stack, n)
		return nil
	}
	if th.path == nil && len(th.stack) >= minDeep {
		th.path = make(map[trace.MethodID]int, 2*minDeep)
		for _, n := range th.stack {
			th.path[b.nodes.at(n).method]++
		}
	}
	// path counts every method on the stack, so a method that it lacks is no ancestor.
	target, err := b.callee(at, m, th.path == nil || th.path[m] > 0)
	if err != nil {
		return err
	}
	if target < 0 {
		b.recursions.count(^target, at, 1, 0)
	}
	at = b.count(target)
	n := b.nodes.at(at)
	n.threads = th.entered(n.threads, &b.sets)
	th.stack = append(th.stack, at)
	if th.path != nil {
		th.path[m]++
	}
	return nil
}

// pop removes the innermost call from the stack and returns its method.
func (b *builder) pop(th *thread) trace.MethodID {
	last := len(th.stack) - 1
	m := b.nodes.at(th.stack[last]).method
	th.stack = th.stack[:last]
	switch {
	case th.path == nil:
	case last < minDeep/2:
		th.path = nil
	case th.path[m] == 1:
		delete(th.path, m)
	default:
		th.path[m]--
	}
	return m
}

// count counts a call that leads to target, and returns the node.
func (b *builder) count(target int32) int32 {
	if target < 0 {
		add(&b.recursive, ^target, 1)
		return ^target
	}
	b.nodes.at(target).calls++
	return target
}

// callee returns the callee's node for a call of method m, and adds it if it is new. at is the
// caller's node. For a recursive call, it returns the complement (^node) of the ancestor. If the
// parameter above is false, the call is not recursive.
//
// Most contexts call few methods, so recent has all their calls. The hash table has the other
// calls.
func (b *builder) callee(at int32, m trace.MethodID, above bool) (int32, error) {
	n := b.nodes.at(at)
	for _, r := range n.recent {
		if r.method == m {
			return r.target, nil
		}
	}
	target, known := int32(0), false
	more := n.recent[len(n.recent)-1].method != NoMethod
	if more {
		target, known = b.next.get(at, m)
	}
	if !known {
		if target = -1; above && !b.unfolded {
			target = b.ancestor(at, m)
		}
		if target >= 0 {
			target = ^target
		} else if int(b.nodes.len) < b.maxNodes {
			target = b.nodes.add(m, at)
		} else {
			return 0, fmt.Errorf("%w: more than %d contexts", ErrTooLarge, b.maxNodes)
		}
		if more {
			b.next.put(at, m, target)
			for _, r := range n.recent {
				b.next.put(at, r.method, r.target)
			}
		}
	}
	n.recent = [3]recent{{m, target}, n.recent[0], n.recent[1]}
	return target, nil
}

// ancestor returns the nearest node of method m, starting with a node itself and going up, or -1.
// It is called once for every pair of context and callee.
func (b *builder) ancestor(at int32, m trace.MethodID) int32 {
	for at > Root {
		n := b.nodes.at(at)
		if n.method == m {
			return at
		}
		at = n.parent
	}
	return -1
}

func (b *builder) exit(th *thread, m trace.MethodID) {
	if len(th.stack) == th.base {
		// No call of m began during the recording, so this call was open at the start.
		switch {
		case b.initial == nil:
			b.orphans++
			th.orphans = append(th.orphans, m)
			if b.placeholders == nil {
				b.placeholders = make(map[trace.MethodID]int32)
			}
		case th.base > 1:
			// This is the call that the first scan put on the stack.
			th.base--
			b.pop(th)
		}
		return
	}
	if th.open == nil {
		if last := len(th.stack) - 1; b.nodes.at(th.stack[last]).method == m {
			b.pop(th)
			return
		}
		th.open = make(map[trace.MethodID]int)
		for _, n := range th.stack[th.base:] {
			th.open[b.nodes.at(n).method]++
		}
	}
	if th.open[m] == 0 {
		b.stray++
		return
	}
	for {
		top := b.pop(th)
		if th.open[top]--; th.open[top] == 0 {
			delete(th.open, top)
		}
		if top == m {
			return
		}
		b.lostExits++
	}
}
