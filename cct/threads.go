package cct

import (
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// thread is what is known of a thread, its stack above all. The nodes on it need not be parent and child: a
// recursive call stands with the node it merged into.
type thread struct {
	id    trace.ThreadID
	stack []int32
	// with[s] is the set of threads s with this one in it, 0 where that was never
	// asked for.
	with   []setID
	energy units.Energy
	// time is the moment of the latest event, -1 before the first.
	time int64
	// base is how much of the stack was open at the start: the root and the
	// calls of builder.initial that have not ended. What is above was seen to
	// begin.
	base int
	// open counts the calls of each method above base. It is kept only from the
	// first exit that does not fit on: until then every exit closes the innermost
	// call and nothing needs to be looked for.
	open map[trace.MethodID]int
	// path counts the calls of each method on a deep stack, nil on others: it saves
	// looking for a method among all that are above.
	path map[trace.MethodID]int
	// orphans are the exits of calls that were open at the start, innermost
	// first.
	orphans []trace.MethodID
}

// deep is the depth from which a stack has a path. Real ones seldom reach it, and
// keeping it costs more than the call.
const deep = 1000

// plain reports whether a call or an exit changes nothing but the stack.
func (th *thread) plain() bool { return th.open == nil && th.path == nil && len(th.stack) < deep }

// thread returns a thread's state and starts it at its first event.
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

// maxSets bounds the sets of threads, and the threads in them. Recordings have
// tens of either; a hostile one must not make the sets outgrow its tree.
const maxSets = 2048

// setID names a set of threads while the tree is being built; 0 is the empty one.
type setID uint32

// threadSets are the different sets of threads that nodes have. A node holds the
// number of its set, and a thread that enters it looks up which set that becomes
// in a table of its own, so that a call costs one look-up whatever the threads.
type threadSets struct {
	sets [][]trace.ThreadID // each ascending
	ids  map[string]setID   // by the set as text
	// spilt is the table of all threads once there are more sets than can be
	// told apart: none changes any more.
	spilt []setID
}

func newThreadSets() threadSets {
	return threadSets{sets: [][]trace.ThreadID{nil}, ids: map[string]setID{}}
}

// entered returns the set s with the thread in it.
func (th *thread) entered(s setID, all *threadSets) setID {
	if int(s) < len(th.with) && th.with[s] != 0 {
		return th.with[s]
	}
	return all.add(th, s)
}

// add is entered for a set that the thread has not met.
func (t *threadSets) add(th *thread, s setID) setID {
	joined, ok := t.join(s, th.id)
	if !ok {
		th.with = t.spilt
		return th.with[s]
	}
	if n := int(s) + 1; n > len(th.with) {
		th.with = append(th.with, make([]setID, n-len(th.with))...)
	}
	th.with[s] = joined
	return joined
}

// join returns the set s with the thread in it; ok is false if there is no room.
func (t *threadSets) join(s setID, thread trace.ThreadID) (joined setID, ok bool) {
	if t.spilt != nil {
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
		t.spilt = make([]setID, maxSets)
		for i := range t.spilt {
			t.spilt[i] = setID(max(i, 1))
		}
		return 0, false
	}
	joined = setID(len(t.sets))
	t.sets, t.ids[key] = append(t.sets, set), joined
	return joined, true
}

// numberSets gives the tree the sets that its nodes have, in the order in which they
// first have them, and the nodes the numbers of those.
func (t *Tree) numberSets(all *threadSets) {
	t.threadSets = [][]trace.ThreadID{nil}
	number := make([]int32, len(all.sets))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		switch s := n.threads; {
		case s == 0:
		case all.spilt != nil:
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

// Threads returns the threads that made the calls of any of the nodes, ascending. It
// is empty for the root, which nobody calls, and where so many threads share calls
// in so many ways that they were not kept apart, which Build warns of.
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
