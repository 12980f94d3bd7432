package platform

import "github.com/diffprof/diffprof/name"

// slice describes slices, which are parts of work that a program named. The app, its libraries and
// Android name them, and a recording does not say which. All of them are work of the app's process, so
// they belong to the app. Slices are not tasks, and each has its own figure.
var slice = system{
	lang:      name.Slice,
	separator: ".",
}
