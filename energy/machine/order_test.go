package machine

import "testing"

// TestOrderOfJobs checks which of two jobs ends first: the one with less work left, and the earlier
// one if both have the same work left.
func TestOrderOfJobs(t *testing.T) {
	// The jobs are in their order.
	jobs := []job{{left: 1, part: 0, order: 9}, {left: 1, part: 5, order: 2}, {left: 1, part: 5, order: 3}, {left: 2, part: 0, order: 1}, {left: 2, part: 1, order: 0}}
	for i := range jobs {
		for k := range jobs {
			if got := jobs[i].before(&jobs[k]); got != (i < k) {
				t.Errorf("%+v ends before %+v: %v", jobs[i], jobs[k], got)
			}
		}
	}
}
