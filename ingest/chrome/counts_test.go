package chrome

import (
	"strconv"
	"testing"
)

// TestMostPerfEvents checks that a file with too many different perf events uses limited memory.
// All events beyond the limit count as the last event.
func TestMostPerfEvents(t *testing.T) {
	var c counts
	for i := range 2 * maxPerfEvents {
		n := c.event([]byte("event" + strconv.Itoa(i)))
		if want := min(i, maxPerfEvents-1); int(n) != want {
			t.Fatalf("event %d has the index %d, want %d", i, n, want)
		}
		c.add(n, -1)
	}
	if n := c.event([]byte("event0")); n != 0 {
		t.Errorf("a known event has the index %d, want 0", n)
	}
	if len(c.events) != maxPerfEvents || c.events[0].Samples != 1 || c.events[maxPerfEvents-1].Samples != maxPerfEvents+1 {
		t.Errorf("%d events, samples of the first %d and of the last %d", len(c.events), c.events[0].Samples, c.events[maxPerfEvents-1].Samples)
	}
}
