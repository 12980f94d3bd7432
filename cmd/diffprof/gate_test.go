package main

import (
	"errors"
	"io"
	"testing"
)

// TestConclude checks that a gate that fails has its own exit code.
func TestConclude(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{{nil, 0}, {&passedError{"too much"}, 1}, {errors.New("no such file"), 2}} {
		if got := conclude(io.Discard, test.err); got != test.want {
			t.Errorf("%v ends with code %d, want %d", test.err, got, test.want)
		}
	}
}
