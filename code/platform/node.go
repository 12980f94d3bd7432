package platform

import "github.com/diffprof/diffprof/code/name"

// nodeModules is the folder of the packages that a script brings.
const nodeModules = "node_modules"

// node is the modules that are built into Node, node:fs and node:internal/timers
// among them. The module of a JavaScript function says whose it is.
var node = system{
	lang:      name.JavaScript,
	separator: ":",
	parents:   []string{"node"},
	modules:   []string{"node", "libnode", "libv8", "libuv"},
	roles: map[string]map[string]Role{
		// The loop's way to timers and to the queue of microtasks.
		"node:internal/timers":              {"processTimers": Launcher, "listOnTimeout": Launcher, "processImmediate": Launcher},
		"node:internal/process/task_queues": {"processTicksAndRejections": Launcher, "runMicrotasks": Launcher},
	},
}
