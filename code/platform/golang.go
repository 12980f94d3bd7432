package platform

import "github.com/diffprof/diffprof/name"

// golang is Go's standard library. Its packages begin with one of these folders of the Go
// tree's src.
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
		// Every goroutine begins at goexit, the first one at main below it. A signal makes a
		// function call asyncPreempt at any point, to yield. The interrupted function is the
		// one that runs, and a profiler's signal often arrives at the same moment.
		"runtime": {"goexit": Launcher, "main": Launcher, "asyncPreempt": Stub, "asyncPreempt2": Stub},
	},
}
