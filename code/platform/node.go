package platform

import "github.com/diffprof/diffprof/name"

// nodeModules is the folder of the packages that a script uses.
const nodeModules = "node_modules"

// node describes the modules that are built into Node, such as node:fs and node:internal/timers.
// The module of a JavaScript function determines its owner.
var node = system{
	lang:      name.JavaScript,
	separator: ":",
	parents:   []string{"node"},
	modules:   []string{"node", "libnode", "libv8", "libuv"},
	roles: map[string]map[string]Role{
		// The event loop runs timers and microtasks through these functions.
		"node:internal/timers":              {"processTimers": Launcher, "listOnTimeout": Launcher, "processImmediate": Launcher},
		"node:internal/process/task_queues": {"processTicksAndRejections": Launcher, "runMicrotasks": Launcher},
	},
}
