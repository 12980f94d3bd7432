package eflask

import "testing"

// TestOrderOfMoves checks which of two moves comes first.
func TestOrderOfMoves(t *testing.T) {
	// Each move comes before the next one.
	moves := []move{
		{i: 9, j: 1, depth: 3, below: 0.1},
		{i: 2, j: 9, depth: 2, below: Unknown}, // Both tasks call nothing.
		{i: 1, j: 9, depth: 2, below: 0.5},
		{i: 7, j: 1, depth: 2, below: 0.4, apart: -1},
		{i: 5, j: 5, depth: 2, below: 0.4}, // The indices are equal.
		{i: 1, j: 2, depth: 2, below: 0.4},
		{i: 5, j: 4, depth: 2, below: 0.4}, // The sum of the indices is larger.
		{i: 1, j: 3, depth: 2, below: 0.4},
	}
	for i := range moves {
		for k := range moves {
			want := 0
			if i < k {
				want = -1
			} else if i > k {
				want = 1
			}
			if got := compareMoves(moves[i], moves[k]); got != want {
				t.Errorf("moves %d and %d: %d, want %d", i, k, got, want)
			}
		}
	}
}
