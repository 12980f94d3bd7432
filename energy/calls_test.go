package energy

import (
	"slices"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// TestExit enters and leaves methods by hand. A positive number enters a method, and a negative one
// leaves it. Exits may come before the exits of inner calls, may be missing, or may have no call.
func TestExit(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []int
		want  []trace.MethodID
	}{
		{"nested", []int{1, 2, -2, 3}, []trace.MethodID{1, 3}},
		{"all ended", []int{1, 2, -2, -1}, nil},
		{"recursion", []int{1, 1, 1, -1}, []trace.MethodID{1, 1}},
		{"no call is open", []int{-1}, nil},
		{"an unknown exit changes nothing", []int{1, 2, -3}, []trace.MethodID{1, 2}},
		{"an exit ends the calls inside", []int{1, 2, 3, -1}, nil},
		{"an exit ends only the calls inside", []int{1, 2, 3, 4, -3}, []trace.MethodID{1, 2}},
		{"recursion after a missing exit", []int{1, 2, 2, 3, -2}, []trace.MethodID{1, 2}},
		{"recursion ends one call at a time", []int{1, 2, 2, 3, -2, -2}, []trace.MethodID{1}},
		{"no more exits count than calls", []int{1, 2, 2, 3, -2, -2, -2}, []trace.MethodID{1}},
		{"an inner call ended with the outer one", []int{1, 2, 3, -2, -3}, []trace.MethodID{1}},
		{"calls after a missing exit", []int{1, 2, 3, -2, 3, -3}, []trace.MethodID{1}},
		{"recursion through others", []int{1, 2, 1, 2, 3, -1}, []trace.MethodID{1, 2}},
		{"recursion through others, twice", []int{1, 2, 1, 2, 3, -1, -1}, nil},
		{"exits that are left over", []int{1, 2, 1, 2, 3, -1, -1, -1, -2, -3, 4}, []trace.MethodID{4}},
	} {
		var th caller
		for _, s := range c.steps {
			if s > 0 {
				th.enter(trace.MethodID(s))
			} else {
				th.exit(trace.MethodID(-s))
			}
		}
		if !slices.Equal(th.stack, c.want) {
			t.Errorf("%s: after %v, calls of %v are open, want %v", c.name, c.steps, th.stack, c.want)
		}
		if th.open == nil {
			continue
		}
		count := make(map[trace.MethodID]int)
		for _, m := range th.stack {
			count[m]++
		}
		for m := range trace.MethodID(5) {
			if th.open[m] != count[m] {
				t.Errorf("%s: after %v, %d calls of method %d are counted, want %d", c.name, c.steps, th.open[m], m, count[m])
			}
		}
	}
}
