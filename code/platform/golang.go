package platform

import "github.com/diffprof/diffprof/name"

// golang describes Go's standard library. The import paths of its packages begin with one of these
// folders in src of the Go tree.
var golang = system{
	lang:      name.Go,
	separator: "/",
	parents: []string{
		"archive", "arena", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto",
		"database", "debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html",
		"image", "index", "internal", "io", "iter", "log", "maps", "math", "mime", "net", "os", "path",
		"plugin", "reflect", "regexp", "runtime", "simd", "slices", "sort", "strconv", "strings",
		"structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "vendor",
		"weak",
	},
	waits: map[string][]string{
		"runtime": {
			"epollwait", "futex", "futexsleep", "gopark", "goparkunlock", "kevent", "netpoll", "notesleep", "notetsleep", "notetsleep_internal",
			"notetsleepg", "semacquire1", "semasleep", "stopm", "usleep",
		},
		"runtime/internal/syscall":       {"EpollWait"},
		"internal/runtime/syscall":       {"EpollWait"},
		"internal/runtime/syscall/linux": {"EpollWait"},
		"time":                           {"Sleep"},
	},
	roles: map[string]map[string]Role{
		// Every goroutine begins in goexit, and the first goroutine continues in main. The runtime
		// interrupts a goroutine by a signal that makes any function call asyncPreempt. The work
		// then belongs to the interrupted function. A profiler's signal often arrives at the same
		// moment.
		"runtime": {"goexit": Launcher, "main": Launcher, "asyncPreempt": Stub, "asyncPreempt2": Stub},
	},
}
