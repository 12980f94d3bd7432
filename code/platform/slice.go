package platform

import "github.com/diffprof/diffprof/code/name"

// slice is what programs call the parts of their work. A process is the app's, and
// what lies in it the framework's: so the slices that lie in no other are tasks.
var slice = system{
	lang:      name.Slice,
	separator: ".",
	parents:   []string{"slice"},
}
