package cct_test

import (
	"testing"

	"github.com/diffprof/diffprof/units"
)

// TestCharged checks that the new energies are at the right nodes and at the threads that made
// their calls, on each account, and that no energy is lost if several threads share a node.
func TestCharged(t *testing.T) {
	tree, _ := build("a b1B c1C1A | a b1B A | a d1D A")
	var shared, own, third int32
	for i := range int32(len(tree.Nodes)) {
		switch pathOf(tree, i) {
		case "p.C.a p.C.b":
			shared = i
		case "p.C.a p.C.c":
			own = i
		case "p.C.a p.C.d":
			third = i
		}
	}
	if shared == 0 || own == 0 || third == 0 {
		t.Fatalf("the tree is %s", render(tree))
	}
	cpu, radio := make([]units.Energy, len(tree.Nodes)), make([]units.Energy, len(tree.Nodes))
	cpu[shared], cpu[third], radio[own], radio[shared] = 7, 100, 1000, 20
	charged := tree.Charged(cpu, radio)
	if charged.Energy.All(0) != 1127 || charged.Energy.Self(shared) != 27 {
		t.Errorf("the run has %d, the shared node %d", charged.Energy.All(0), charged.Energy.Self(shared))
	}
	for thread, want := range []struct{ all, radio units.Energy }{{1014, 1010}, {13, 10}, {100, 0}} {
		all, part := charged.ThreadEnergy[thread], charged.EnergyOfThread(thread, 1)
		if all != want.all || part != want.radio {
			t.Errorf("thread %d has %d, %d of it by radio; want %+v", thread, all, part, want)
		}
	}
}
