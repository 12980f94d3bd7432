package platform

import "github.com/diffprof/diffprof/name"

// slice describes trace slices, which are parts of a program's work with a name. The app, its
// libraries and Android name slices, and a recording does not state which of them did. All slices
// are work of the app's process, so they belong to the app. Slices are not tasks, and each slice
// has its own energy.
var slice = system{
	lang:      name.Slice,
	separator: ".",
}
