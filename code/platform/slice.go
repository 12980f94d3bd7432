package platform

import "github.com/diffprof/diffprof/name"

// slice describes trace slices: named sections of a system trace, such as "measure". The app, its
// libraries and Android create slices, and a recording does not show which of them did. All slices
// are work of the app's process, so they belong to the app. Slices are not tasks, and each slice
// has its own energy.
var slice = system{
	lang:      name.Slice,
	separator: ".",
}
