package platform

import "github.com/diffprof/diffprof/name"

// slice is the code of named slices of work. A process belongs to the app, and the slices in it
// to the framework. So the outermost slices are tasks.
var slice = system{
	lang:      name.Slice,
	separator: ".",
	parents:   []string{"slice"},
}
