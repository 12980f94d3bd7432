package eflask

import (
	"math"
	"testing"
)

// TestAround checks the share of work that the callbacks of two tasks have in common, without the
// two tasks.
func TestAround(t *testing.T) {
	r := &rarity{weight: []int64{10, 20, 40}}
	// side returns a run with two callbacks. The first one has the tasks of some classes, and the
	// second one has a task of class 0.
	side := func(peer []int32, classes ...int32) *taskSide {
		n := len(classes)
		return &taskSide{rarity: r, class: append(classes, 0), peer: peer, callback: append(make([]int32, n), 1), callbacks: make([]callback, 2)}
	}
	for _, c := range []struct {
		name               string
		subject, reference *taskSide
		i, j               int32
		want               float64
	}{
		// Counterparts with the weight 20 are left in 60 of each run.
		{"no counterparts", side([]int32{-1, 1, -1, -1}, 0, 1, 2), side([]int32{-1, 1, -1, -1}, 0, 1, 2), 0, 0, 2 * 20. / (60 + 60)},
		{"the only counterparts", side([]int32{-1, 1, -1, -1}, 0, 1, 2), side([]int32{-1, 1, -1, -1}, 0, 1, 2), 1, 1, 0},
		{"some of the counterparts", side([]int32{-1, 1, 2, -1}, 0, 1, 2), side([]int32{-1, 1, 2, -1}, 0, 1, 2), 1, 1, 2 * 40. / (50 + 50)},
		{"a smaller reference", side([]int32{-1, 0, 1, -1}, 0, 1, 2), side([]int32{1, 2, -1}, 1, 2), 1, 0, 2 * 40. / (50 + 40)},
		{"other callbacks", side([]int32{-1, 1, -1, -1}, 0, 1, 2), side([]int32{-1, 1, -1, -1}, 0, 1, 2), 0, 3, 0},
	} {
		tr := &trust{pairing: &pairing{subject: c.subject, reference: c.reference, rarity: r}}
		tr.weigh()
		if got := tr.around(c.i, c.j); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
