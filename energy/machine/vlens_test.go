package machine

import (
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// TestTailOfVLens is equation 2 and Figure 3 of vLens (ISSTA 2013, Section 3.2.1). A tail lasts 3 s
// at 200 mW, which is 600 mJ. If the second call begins 1.2 s after the end of the first call, the
// first call gets 1.2/3 of a tail, which is 240 mJ, and the second call gets a whole tail. If it
// begins after the tail, each call gets a whole tail.
func TestTailOfVLens(t *testing.T) {
	call := func(owner Owner, begin, end int64) Operation {
		return Operation{Begin: begin, End: end, Verb: trace.OpWrite, Owner: owner, Whole: true}
	}
	play(t, disk(), LastTrigger, 10*second, call(1, 0, second), call(2, 2200*ms, 3200*ms)).owes(t, map[Owner]string{1: "600, 240", 2: "600, 600"})
	play(t, disk(), LastTrigger, 20*second, call(1, 0, second), call(2, 5*second, 6*second)).owes(t, map[Owner]string{1: "600, 600", 2: "600, 600"})
}
