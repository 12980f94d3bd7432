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

// boundGarbage runs the garbage collector more often when the heap is large. This costs little,
// because most of the memory of trees and matchings has no pointers. A small heap has Go's default.
// If GOGC is set, it applies to all heaps.
func boundGarbage() {
	if os.Getenv("GOGC") == "" {
		afterCollection(new(collection))
	}
}

// A collection is an unreachable object. Its finalizer runs after each garbage collection.
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
