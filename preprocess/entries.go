package preprocess

import (
	"github.com/diffprof/diffprof/code/name"
)

// A role is what the entry step makes of a method that lies on a framework-only
// path.
type role uint8

const (
	_ role = iota // all other methods stay
	// A launcher leads a thread to its work and does none: at the top of a path it
	// dissolves into the root, and so does the next.
	launcher
	// A starter begins the work; the path begins at it, whatever is above.
	starter
	// An inner method is a part of the starter that newer systems split off; it
	// merges into the starter that calls it.
	inner
)

// entries says which methods have a role, by class and name. Descriptors differ
// between Android versions and do not matter. docs/preprocessing.md gives the
// reasons and says which rows real traces show.
var entries = map[string]map[string]role{
	// The start of a process and of its main thread.
	"com.android.internal.os.ZygoteInit":                      {"main": launcher},
	"com.android.internal.os.ZygoteInit$MethodAndArgsCaller":  {"run": launcher},
	"com.android.internal.os.RuntimeInit$MethodAndArgsCaller": {"run": launcher},
	"java.lang.reflect.Method":                                {"invoke": launcher},
	"android.app.ActivityThread":                              {"main": launcher},
	// Threads and their event loops.
	"java.lang.Thread":         {"run": launcher, "runWith": launcher},
	"android.os.HandlerThread": {"run": launcher},
	"android.os.Looper":        {"loop": launcher, "loopOnce": launcher},
	"java.util.TimerThread":    {"run": launcher, "mainLoop": launcher},
	"java.lang.Daemons$Daemon": {"run": launcher},
	// Thread pools and the wrappers that they put around a task.
	"java.util.concurrent.ThreadPoolExecutor":                              {"runWorker": launcher},
	"java.util.concurrent.ThreadPoolExecutor$Worker":                       {"run": launcher},
	"java.util.concurrent.FutureTask":                                      {"run": launcher, "runAndReset": launcher},
	"java.util.concurrent.Executors$RunnableAdapter":                       {"call": launcher},
	"java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask": {"run": launcher},
	"android.os.AsyncTask$SerialExecutor$1":                                {"run": launcher},
	"android.os.AsyncTask$2":                                               {"call": launcher},
	"android.os.AsyncTask$3":                                               {"call": launcher},
	// The fork-join pool, which runs CompletableFuture's tasks.
	"java.util.concurrent.ForkJoinWorkerThread":               {"run": launcher},
	"java.util.concurrent.ForkJoinPool":                       {"runWorker": launcher, "scan": launcher},
	"java.util.concurrent.ForkJoinPool$WorkQueue":             {"runTask": launcher, "topLevelExec": launcher},
	"java.util.concurrent.ForkJoinTask":                       {"doExec": launcher},
	"java.util.concurrent.ForkJoinTask$AdaptedCallable":       {"exec": launcher},
	"java.util.concurrent.ForkJoinTask$AdaptedRunnable":       {"exec": launcher},
	"java.util.concurrent.ForkJoinTask$AdaptedRunnableAction": {"exec": launcher},
	"java.util.concurrent.ForkJoinTask$RunnableExecuteAction": {"exec": launcher},
	"java.util.concurrent.CompletableFuture$AsyncRun":         {"exec": launcher, "run": launcher},
	"java.util.concurrent.CompletableFuture$AsyncSupply":      {"exec": launcher, "run": launcher},
	"java.util.concurrent.RecursiveAction":                    {"exec": launcher},
	"java.util.concurrent.RecursiveTask":                      {"exec": launcher},
	// Where messages, remote calls and events from native code arrive.
	"android.os.Handler":                {"dispatchMessage": starter},
	"android.os.Binder":                 {"execTransact": starter, "execTransactInternal": inner},
	"android.view.InputEventReceiver":   {"dispatchInputEvent": starter},
	"android.view.InputEventSender":     {"dispatchInputEventFinished": starter},
	"android.view.DisplayEventReceiver": {"dispatchVsync": starter},
}

func roleOf(m name.Method) role { return entries[m.Class()][m.Name] }
