package platform

import "github.com/diffprof/diffprof/name"

// rust describes the crates of Rust's standard library, including those of older versions.
var rust = system{
	lang:      name.Rust,
	separator: "::",
	parents:   []string{"alloc", "alloc_jemalloc", "alloc_system", "collections", "core", "panic_unwind", "rustc_unicode", "std", "std_unicode"},
}
