package eflask

import (
	"testing"

	"github.com/diffprof/diffprof/units"
)

// TestWhereTheCallsAre checks, for each kind of task, whether it moved, which task of the reference
// makes its calls, and how much of their energy is in other tasks than the counterpart.
func TestWhereTheCallsAre(t *testing.T) {
	in := []Shift{{Reference: 7, Calls: 2, Energy: 10}, {Reference: 8, Calls: 1, Energy: 30}, {Reference: 9, Calls: 4, Energy: 30}}
	out := []Shift{{Subject: 5, Reference: 4, Calls: 1, Energy: 3}}
	for _, c := range []struct {
		name      string
		task      Task
		moved     bool
		node      int32
		energy    units.Energy
		calls     int64
		elsewhere units.Energy
	}{
		{name: "only here", task: Task{Found: Unmatched, Peer: -1}, node: -1},
		{name: "some calls moved to it", task: Task{Found: Unmatched, Peer: -1, In: in}, moved: true, node: 8, energy: 70, calls: 7, elsewhere: 70},
		{name: "matched", task: Task{Found: Exact, Peer: 4, PeerEnergy: 50, PeerCalls: 6}, node: 4, energy: 50, calls: 6},
		{name: "matched, and calls shift", task: Task{Found: Exact, Peer: 4, PeerEnergy: 50, PeerCalls: 6, In: in, Out: out, Inside: 5}, node: 4, energy: 50, calls: 6, elsewhere: 72},
		{name: "under another callback", task: Task{Found: Moved, Peer: 4, PeerEnergy: 50, PeerCalls: 6}, moved: true, node: 4, energy: 50, calls: 6},
	} {
		node, energy, calls := c.task.There()
		if c.task.Moved() != c.moved || node != c.node || energy != c.energy || calls != c.calls || c.task.Elsewhere() != c.elsewhere {
			t.Errorf("%s: moved %v; node %d with %d in %d calls; %d elsewhere; want %+v", c.name, c.task.Moved(), node, energy, calls, c.task.Elsewhere(), c)
		}
	}
}
