package platform

import "github.com/diffprof/diffprof/code/name"

// rust is the crates of Rust's standard library.
var rust = system{
	lang:      name.Rust,
	separator: "::",
	parents:   []string{"alloc", "core", "std"},
}
