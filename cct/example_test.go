package cct_test

import (
	"fmt"

	"github.com/diffprof/diffprof/units"
)

// This run begins inside of a, calls b twice, and spends 1, 2, 3 and 4 nanojoules.
func Example() {
	tree, warnings := build("1b2B b3B 4A")
	for i := range int32(len(tree.Nodes)) {
		fmt.Printf("%v: %d calls, %d of %d nJ\n", tree.Path(i), tree.Calls.Self(i), tree.Energy.Self(i), tree.Energy.All(i))
	}
	fmt.Println(warnings[0].Message)
	fmt.Println(tree.Energy.Total() == 10*units.Nanojoule)
	// Output:
	// [(toplevel)]: 0 calls, 0 of 10 nJ
	// [(toplevel) p.C.a]: 1 calls, 5 of 10 nJ
	// [(toplevel) p.C.a p.C.b]: 2 calls, 5 of 5 nJ
	// 1 call began before recording started; it was restored from its exit
	// true
}
