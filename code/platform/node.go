package platform

import "github.com/diffprof/diffprof/code/name"

// node is the modules that are built into Node, node:fs and node:internal/timers
// among them. The module of a JavaScript function says whose it is.
var node = system{
	lang:      name.JavaScript,
	separator: ":",
	parents:   []string{"node"},
	modules:   []string{"node", "libnode", "libv8", "libuv"},
}
