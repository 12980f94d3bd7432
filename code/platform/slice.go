package platform

import "github.com/diffprof/diffprof/name"

// slice describes slices, which are parts of work that a program named. A process belongs to the
// app, and the slices in it belong to the framework. The outermost slices are therefore tasks.
var slice = system{
	lang:      name.Slice,
	separator: ".",
	parents:   []string{"slice"},
}
