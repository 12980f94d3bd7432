package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A heap of largeHeap bytes is collected after it has grown by largeGrowth percent. The first
// collection starts when the heap has grown to firstGrowth percent of Go's smallest heap, which is
// 4 MB.
const (
	largeHeap   = 48 << 20
	largeGrowth = 25
	firstGrowth = 400
	// growth is Go's default.
	growth = 100
)

// boundGarbage makes the garbage collector run more often when the heap is large. This takes little
// time, because most of the memory of trees and matchings has no pointers. It makes the collector
// skip a heap of a few megabytes, on which short commands would spend a twentieth of their time.
// Other heaps keep Go's default. If GOGC is set, it applies to all heaps.
func boundGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(firstGrowth)
		afterCollection(&collection{first: true})
	}
}

// A collection is an unreachable object whose finalizer runs after each garbage collection.
type collection struct {
	// first is true until the first collection.
	first bool
	live  [1]metrics.Sample
}

func afterCollection(c *collection) {
	c.live[0].Name = "/gc/heap/live:bytes"
	metrics.Read(c.live[:])
	switch {
	case c.live[0].Value.Uint64() >= largeHeap:
		debug.SetGCPercent(largeGrowth)
		return
	case c.first:
		c.first = false
	default:
		debug.SetGCPercent(growth)
	}
	runtime.SetFinalizer(c, afterCollection)
}
