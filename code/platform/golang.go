package platform

import "github.com/diffprof/diffprof/name"

// golang is Go's standard library. The names of its packages begin with one of these folders, which
// are in src of the Go tree.
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
		// Every goroutine begins at goexit. The first goroutine continues with main. A signal makes
		// any function call asyncPreempt, so that it yields. The interrupted function is the
		// function that ran. The signal of a profiler often arrives at the same moment.
		"runtime": {"goexit": Launcher, "main": Launcher, "asyncPreempt": Stub, "asyncPreempt2": Stub},
	},
}
