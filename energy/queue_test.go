package energy

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// TestQueue checks the queue against a sorted list. The operation that begins first comes first. If
// two begin at the same time, the lower thread comes first.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		var q queue
		var list []operation
		for range r.IntN(400) {
			if len(list) > 0 && r.IntN(3) == 0 {
				slices.SortStableFunc(list, func(a, b operation) int {
					return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.thread, b.thread))
				})
				if got := *q.pop(); got != list[0] {
					t.Fatalf("%+v comes first, want %+v", got, list[0])
				}
				list = list[1:]
				continue
			}
			o := operation{begin: r.Int64N(50), bytes: r.Int64(), thread: trace.ThreadID(r.IntN(4) - 1)}
			list = append(list, o)
			*q.push(o.begin, o.thread) = o
		}
		if q.n != len(list) {
			t.Fatalf("%d operations wait, want %d", q.n, len(list))
		}
	}
}

// TestQueueGrows: after a late operation, more operations wait.
func TestQueueGrows(t *testing.T) {
	var q queue
	for i := range int64(minWaiting + 1) {
		q.push(i, 0)
	}
	if !q.full() {
		t.Fatal("the queue takes more than it should")
	}
	q.pop()
	q.pop()
	q.push(0, 1)
	for i := range int64(minWaiting) {
		q.push(minWaiting+i, 0)
	}
	if q.full() {
		t.Error("an operation came late, and the queue takes no more than before")
	}
	for range 20 {
		q.pop()
		q.push(-1, 0)
		q.pop()
		q.push(1<<40, 0)
	}
	if q.window != maxWaiting {
		t.Errorf("%d operations may wait, want %d", q.window, maxWaiting)
	}
}
