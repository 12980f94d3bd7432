package cct

import (
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// thread is the state of a thread, mainly its stack. The nodes on the stack need not be parent and
// child: a recursive call is represented by the node that it merged into.
type thread struct {
	id    trace.ThreadID
	stack []int32
	// with[s] caches the set s plus this thread; 0 means not computed yet.
	with   []setID
	energy units.Energy
	// time is the moment of the latest event, -1 before the first.
	time int64
	// base is the number of calls on the stack that were open at the start: the root and the
	// calls of builder.initial that have not ended. Calls above base began during the
	// recording.
	base int
	// open counts the calls of each method above base. It is nil until the first exit that does not
	// match the innermost call. Until then, exits need no search.
	open map[trace.MethodID]int
	// path counts the calls of each method on a deep stack, to avoid searching all ancestors
	// for a method. It is nil on other stacks.
	path map[trace.MethodID]int
	// orphans are the exits of calls that were open at the start, innermost
	// first.
	orphans []trace.MethodID
}

// deep is the smallest depth of a stack with a path. Real stacks seldom reach it, and
// updating path costs more than the call.
const deep = 1000

// plain reports whether a call or an exit changes only the stack.
func (th *thread) plain() bool { return th.open == nil && th.path == nil && len(th.stack) < deep }

// thread returns a thread's state, creating it at its first event.
func (b *builder) thread(t trace.ThreadID) (*thread, error) {
	if int(t) < len(b.threads) && b.threads[t].stack != nil {
		return &b.threads[t], nil
	}
	for int(t) >= len(b.threads) {
		b.threads = append(b.threads, thread{})
	}
	th := &b.threads[t]
	th.id, th.time = t, -1
	th.stack = append(make([]int32, 0, 64), Root)
	for _, m := range b.initial[t] {
		if err := b.enter(th, m); err != nil {
			return nil, err
		}
		b.orphans++
	}
	th.base = len(th.stack)
	return th, nil
}

// maxSets bounds the number of sets of threads, and of threads in a set. Real recordings have some
// tens. Without the limit, the sets of a hostile recording could become larger than its tree.
const maxSets = 2048

// setID identifies a set of threads while the tree is being built; 0 is the empty set.
type setID uint32

// threadSets are the distinct sets of threads that nodes have. A node stores the id of its set.
// Each thread has a table from a set to the set that includes the thread, so a call costs one
// look-up whatever the number of threads.
type threadSets struct {
	sets [][]trace.ThreadID // each ascending
	ids  map[string]setID   // by the set as text
	// overflow is the table of all threads after the number of sets exceeded maxSets. From then on
	// no set changes.
	overflow []setID
}

func newThreadSets() threadSets {
	return threadSets{sets: [][]trace.ThreadID{nil}, ids: map[string]setID{}}
}

// entered returns the set s plus the thread.
func (th *thread) entered(s setID, all *threadSets) setID {
	if int(s) < len(th.with) && th.with[s] != 0 {
		return th.with[s]
	}
	return all.add(th, s)
}

// add computes the result of entered for a set that the thread has not seen before.
func (t *threadSets) add(th *thread, s setID) setID {
	joined, ok := t.join(s, th.id)
	if !ok {
		th.with = t.overflow
		return th.with[s]
	}
	if n := int(s) + 1; n > len(th.with) {
		th.with = append(th.with, make([]setID, n-len(th.with))...)
	}
	th.with[s] = joined
	return joined
}

// join returns the set s plus the thread; ok is false if a limit is reached.
func (t *threadSets) join(s setID, thread trace.ThreadID) (joined setID, ok bool) {
	if t.overflow != nil {
		return 0, false
	}
	i, found := slices.BinarySearch(t.sets[s], thread)
	if found {
		return s, true
	}
	set := slices.Insert(slices.Clone(t.sets[s]), i, thread)
	key := fmt.Sprint(set)
	if joined, ok = t.ids[key]; ok {
		return joined, true
	}
	if len(t.sets) == maxSets {
		t.overflow = make([]setID, maxSets)
		for i := range t.overflow {
			t.overflow[i] = setID(max(i, 1))
		}
		return 0, false
	}
	joined = setID(len(t.sets))
	t.sets, t.ids[key] = append(t.sets, set), joined
	return joined, true
}

// numberSets stores the sets of the nodes in t.threadSets, in the order of their first use. It
// changes the numbers in the nodes accordingly.
func (t *Tree) numberSets(all *threadSets) {
	t.threadSets = [][]trace.ThreadID{nil}
	number := make([]int32, len(all.sets))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		switch s := n.threads; {
		case s == 0:
		case all.overflow != nil:
			n.threads = 0
		case number[s] == 0:
			number[s] = int32(len(t.threadSets))
			t.threadSets = append(t.threadSets, all.sets[s])
			fallthrough
		default:
			n.threads = number[s]
		}
	}
}

// Threads returns the threads that made the calls of any of the nodes, ascending. It is empty for
// the root, which has no caller. It is also empty if there were more sets of threads than Build
// distinguishes. Build then adds a warning.
func (t *Tree) Threads(nodes ...int32) []trace.ThreadID {
	var threads []trace.ThreadID
	last := int32(0)
	for _, i := range nodes {
		if s := t.Nodes[i].threads; s != last {
			threads, last = append(threads, t.threadSets[s]...), s
		}
	}
	slices.Sort(threads)
	return slices.Compact(threads)
}
