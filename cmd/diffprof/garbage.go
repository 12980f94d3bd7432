package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A heap of largeHeap bytes is collected after it grew by largeGrowth percent. The first collection
// comes when the heap has grown to firstGrowth percent of Go's smallest heap, which is 4 MB.
const (
	largeHeap   = 48 << 20
	largeGrowth = 25
	firstGrowth = 400
	// growth is Go's default.
	growth = 100
)

// boundGarbage runs the garbage collector more often when the heap is large. This costs little,
// because most of the memory of trees and matchings has no pointers. A heap of a few megabytes is not
// collected, because short commands spend a twentieth of their time on that. Other heaps have Go's
// default. If GOGC is set, it applies to all heaps.
func boundGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(firstGrowth)
		afterCollection(&collection{first: true})
	}
}

// A collection is an unreachable object. Its finalizer runs after each garbage collection.
type collection struct {
	// first means that there was no collection yet.
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
