package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The percentages by which the heap grows before a collection:
//
//   - largeGrowth, once the heap has largeHeap bytes;
//   - firstGrowth until the first collection, based on Go's smallest heap of 4 MB;
//   - growth, Go's default, otherwise.
const (
	largeHeap   = 48 << 20
	largeGrowth = 25
	firstGrowth = 400
	// growth is Go's default.
	growth = 100
)

// boundGarbage tunes the garbage collector, unless GOGC is set. Large heaps are collected more
// often. This takes little time, because trees and matchings have few pointers. A heap of a few
// megabytes is not collected at all, which saves short commands a twentieth of their time.
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
