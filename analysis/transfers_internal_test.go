package analysis

import (
	"slices"
	"testing"

	"github.com/diffprof/diffprof/units"
)

// TestSimilarSavings checks that one method uses less, the other uses more, and neither difference
// is more than twice the other.
func TestSimilarSavings(t *testing.T) {
	for _, test := range []struct {
		less, more units.Energy
		want       bool
	}{
		{-100, 100, true}, {-100, 200, true}, {-200, 100, true}, {-100, 201, false}, {-201, 100, false},
		{100, 100, false}, {-100, -100, false}, {0, 100, false}, {-100, 0, false}, {0, 0, false},
	} {
		n := &codeNumbers{saving: []units.Energy{test.less, test.more}}
		if got := n.similar(0, 1); got != test.want {
			t.Errorf("%d and %d are similar: %v", test.less, test.more, got)
		}
	}
}

// TestAlikeMethods checks that two methods are alike if they share at least half of their callees.
func TestAlikeMethods(t *testing.T) {
	set := func(callees ...int32) map[int32]bool {
		s := make(map[int32]bool)
		for _, c := range callees {
			s[c] = true
		}
		return s
	}
	for _, test := range []struct {
		a, b []int32
		want bool
	}{
		{[]int32{5, 6}, []int32{5, 6}, true},
		{[]int32{5, 6}, []int32{5}, true}, // one of two
		{[]int32{5, 6}, []int32{5, 7}, false},
		{[]int32{5, 6, 7}, []int32{5, 6, 8}, true}, // two of four
		{[]int32{5, 6, 7}, []int32{5}, false},
		{[]int32{5}, []int32{6}, false},
		{nil, []int32{6}, false},
		{nil, nil, false},
	} {
		n := &codeNumbers{callees: []map[int32]bool{set(test.a...), set(test.b...)}}
		if got := n.alike(0, 1); got != test.want {
			t.Errorf("%v and %v are alike: %v", test.a, test.b, got)
		}
	}
}

// TestRenamedMethods checks which methods may be one method with two names.
func TestRenamedMethods(t *testing.T) {
	n := &codeNumbers{
		both:    []bool{true, false, false, false, false},
		places:  []string{"A", "A", "A", "B", "C"},
		callees: []map[int32]bool{nil, nil, {9: true}, nil, {9: true}},
	}
	for _, test := range []struct {
		a, b, caller int32
		want         bool
	}{
		{0, 1, 7, false}, // Method 0 is in both runs.
		{1, 0, 7, false},
		{1, 2, -3, true}, // One class has both.
		{1, 3, 0, true},  // Neither calls anything, and they have the same caller.
		{1, 3, -1, false},
		{1, 4, 7, false}, // One of them has callees.
		{2, 4, -1, true}, // The callees are the same.
	} {
		if got := n.renamed(test.a, test.b, test.caller); got != test.want {
			t.Errorf("methods %d and %d with the caller %d are renamed: %v", test.a, test.b, test.caller, got)
		}
	}
}

// TestLargestTransfer checks that a transfer is the largest if each other one has less than half of
// its energy.
func TestLargestTransfer(t *testing.T) {
	for _, test := range []struct {
		most []units.Energy
		want bool
	}{
		{[]units.Energy{100}, true},
		{[]units.Energy{100, 49}, true},
		{[]units.Energy{100, 50}, false},
		{[]units.Energy{100, 10, 200}, false},
		{[]units.Energy{100, 10, 20}, true},
	} {
		var list []transfer
		for _, most := range test.most {
			list = append(list, transfer{most: most})
		}
		if got := largest(list, 0); got != test.want {
			t.Errorf("the first of %d is the largest: %v", test.most, got)
		}
	}
}

// TestUnlinkedTransfers checks the transfers between native methods of one file, of which one has
// no counterpart.
func TestUnlinkedTransfers(t *testing.T) {
	const file = "feed.c"
	for _, test := range []struct {
		name         string
		both, native []bool
		places       []string
		callee       bool
		saving       []units.Energy
		want         []transfer
	}{
		{"a new method took work over", []bool{true, false}, []bool{true, true}, []string{file, file}, false, []units.Energy{-80, 100}, []transfer{{0, 1, 100}}},
		{"a method took over the work of an old one", []bool{true, false}, []bool{true, true}, []string{file, file}, false, []units.Energy{80, -100}, []transfer{{1, 0, 100}}},
		{"both use more", []bool{true, false}, []bool{true, true}, []string{file, file}, false, []units.Energy{80, 100}, nil},
		{"two files", []bool{true, false}, []bool{true, true}, []string{file, "list.c"}, false, []units.Energy{-80, 100}, nil},
		{"the new method calls others", []bool{true, false}, []bool{true, true}, []string{file, file}, true, []units.Energy{-80, 100}, nil},
		{"the new method is not native", []bool{true, false}, []bool{true, false}, []string{file, file}, false, []units.Energy{-80, 100}, nil},
		{"the known method is not native", []bool{true, false}, []bool{false, true}, []string{file, file}, false, []units.Energy{-80, 100}, nil},
		{"both are new", []bool{false, false}, []bool{true, true}, []string{file, file}, false, []units.Energy{-80, 100}, nil},
		{"the least energy", []bool{true, false}, []bool{true, true}, []string{file, file}, false, []units.Energy{-50, 50}, []transfer{{0, 1, 50}}},
		{"too little new energy", []bool{true, false}, []bool{true, true}, []string{file, file}, false, []units.Energy{-50, 49}, nil},
		{"too little known energy", []bool{true, false}, []bool{true, true}, []string{file, file}, false, []units.Energy{-49, 50}, nil},
	} {
		n := &codeNumbers{saving: test.saving, both: test.both, native: test.native, places: test.places, callees: make([]map[int32]bool, 2)}
		if test.callee {
			n.callees[1] = map[int32]bool{5: true}
		}
		if got := n.unlinked(50); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestMovedEnergy checks that the largest transfer comes first, and that a later one only moves
// what is left of both differences.
func TestMovedEnergy(t *testing.T) {
	// Rows 0 to 2 are methods. Row 3 is a call.
	n := &codeNumbers{saving: []units.Energy{-100, 60, 70, 20}, both: make([]bool, 3)}
	moved := n.move([]transfer{{0, 1, 30}, {0, 2, 80}, {0, 3, 10}, {1, 2, 50}})
	// 70 move from row 0 to row 2, because row 2 has no more. 30 are left in row 0, and all move
	// to row 1. Nothing is left for row 3, and row 1 does not use less.
	want := []movedEnergy{{code: 100}, {code: -30}, {code: -70}, {}}
	if !slices.Equal(moved, want) {
		t.Errorf("moved %v, want %v", moved, want)
	}
	moved = n.move([]transfer{{0, 3, 15}})
	if want = []movedEnergy{{calls: 15}, {}, {}, {calls: -15}}; !slices.Equal(moved, want) {
		t.Errorf("moved %v, want %v", moved, want)
	}
}
