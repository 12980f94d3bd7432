package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A heap of largeHeap bytes is collected after it grew by largeGrowth percent.
const (
	largeHeap   = 48 << 20
	largeGrowth = 25
)

// boundGarbage has the garbage collector run more often once the heap is large. That costs next to
// nothing, since most of the memory of trees and matchings has no pointers. A small heap is collected
// as Go does it by default, and any heap as GOGC says if that is set.
func boundGarbage() {
	if os.Getenv("GOGC") == "" {
		afterCollection(new(collection))
	}
}

// A collection is garbage whose finalizer tells that there was one.
type collection struct{ live [1]metrics.Sample }

func afterCollection(c *collection) {
	c.live[0].Name = "/gc/heap/live:bytes"
	metrics.Read(c.live[:])
	if c.live[0].Value.Uint64() >= largeHeap {
		debug.SetGCPercent(largeGrowth)
		return
	}
	runtime.SetFinalizer(c, afterCollection)
}
