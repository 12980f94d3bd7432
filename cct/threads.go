package cct

import (
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// thread is the state of a thread, mainly its stack. A recursive call is on the stack with the node
// that it merged into. So successive nodes need not be parent and child.
type thread struct {
	id    trace.ThreadID
	stack []int32
	// with[s] caches the set s plus this thread. 0 means that it is not yet computed.
	with   []setID
	energy units.Energy
	// time is the time of the latest event. It is -1 before the first event.
	time int64
	// base is the number of calls on the stack that were open at the start: the root, and the calls
	// of builder.initial that have not ended. Calls above base began during the recording.
	base int
	// open counts the calls of each method above base. It is nil until the first exit that does not
	// match the innermost call. Until then, no exit needs a search.
	open map[trace.MethodID]int
	// path counts the calls of each method on a deep stack, so that not all ancestors must be
	// searched for a method. It is nil for other stacks.
	path map[trace.MethodID]int
	// orphans are the exits of calls that were open at the start, innermost
	// first.
	orphans []trace.MethodID
}

// minDeep is the depth from which a thread keeps thread.path. Real stacks seldom reach it, and
// updating path takes longer than the rest of a call.
const minDeep = 1000

// plain reports whether run may handle calls and exits inline, because only the stack changes.
func (th *thread) plain() bool { return th.open == nil && th.path == nil && len(th.stack) < minDeep }

// thread returns a thread's state. It creates the state at the thread's first event.
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

// maxSets is the largest number of sets of threads, and of threads in a set. Real recordings have
// some tens of sets. Without the limit, the sets of a malicious recording could become larger than
// its tree.
const maxSets = 2048

// setID identifies a set of threads while the tree is being built. 0 is the empty set.
type setID uint32

// threadSets numbers the sets of threads that made the calls of a node. A node stores the id of its
// set. When a thread calls the node, thread.with maps the set to the set with this thread added. So
// a call costs one lookup, whatever the number of threads.
type threadSets struct {
	sets [][]trace.ThreadID // each ascending
	ids  map[string]setID   // by the set as text
	// overflow is the table of all threads once there are more than maxSets sets. From then on no
	// set changes.
	overflow []setID
}

func newThreadSets() threadSets {
	return threadSets{sets: [][]trace.ThreadID{nil}, ids: map[string]setID{}}
}

// entered returns the set s plus the thread. all has the sets.
func (th *thread) entered(s setID, all *threadSets) setID {
	if int(s) < len(th.with) && th.with[s] != 0 {
		return th.with[s]
	}
	return all.add(th, s)
}

// add computes the result of entered for a set that is not in the thread's table.
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

// join returns the set s plus the thread. ok is false if a limit is reached.
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

// numberSets fills t.threadSets with the sets that nodes use, in the order of first use, and
// renumbers the nodes' sets.
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
// the root, which no thread called. It is also empty if there were too many sets of threads to
// store. Build warns in that case.
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
