package run

import (
	"strings"

	"github.com/diffprof/diffprof/name"
)

// Numbers assigns numbers to contexts. Two calls have the same number exactly if their paths are
// equal after these steps:
//
//   - The app's own calls are merged into the callback that made them.
//   - The class of the callback is removed.
//   - The calls by which the thread reached its work are removed ([Launches]). This includes a run
//     method of the app that leads to such a method.
//
// These steps define a task as DiffProf does (OSDI 2018, Sections 3.2 and 3.5). They are
// implemented independently of package preprocess, because they serve to measure that package.
//
// All runs that are compared with each other must use the same Numbers. The zero Numbers is ready
// for use.
type Numbers struct {
	ids map[place]int
	// wraps has the contexts of run methods of the app that a launching call calls directly.
	wraps map[int]bool
}

type place struct {
	caller int
	label  string
}

func (n *Numbers) number(caller int, label string) int {
	if n.ids == nil {
		n.ids, n.wraps = make(map[place]int), make(map[int]bool)
	}
	key := place{caller, label}
	id, ok := n.ids[key]
	if !ok {
		id = len(n.ids) + 1
		n.ids[key] = id
	}
	return id
}

// Assign sets Context and Task of all calls of r.
func (n *Numbers) Assign(r *Run) {
	r.Each(n.assign)
}

// Graft sets Context and Task of a call and its subtree. caller is the call's caller, and must have
// a context.
func (n *Numbers) Graft(call, caller *Call) {
	n.assign(call, caller)
	call.Each(func(c, above *Call) {
		if above != nil {
			n.assign(c, above)
		}
	})
}

func (n *Numbers) assign(c, caller *Call) {
	above := 0
	if caller != nil {
		above = caller.Context
	}
	c.Task, c.Recorder = false, caller != nil && caller.Recorder || records(c.Method)
	switch {
	case c.Recorder:
		c.Context = n.number(0, c.Method.Label())
	case !c.App && (above == 0 && Launches(c.Method) || caller != nil && caller.App && n.wraps[above] && goesOn(c.Method)):
		c.Context = 0
	case !c.App:
		c.Context = n.number(above, c.Method.Label())
		c.Task = caller != nil && caller.App && !isSuper(caller.Method, c.Method)
	case caller != nil && caller.App:
		c.Context = above
	default:
		c.Context = n.number(above, c.Method.In("*").Label())
		n.wraps[c.Context] = n.wraps[c.Context] || above == 0 && c.Method.Name == "run"
	}
}

// isSuper reports whether a method calls the method of java.lang.Object that it overrides. Such a
// call is a part of the method, and not a task.
func isSuper(caller, called name.Method) bool {
	return called.Class() == "java.lang.Object" && called == caller.In("java.lang.Object")
}

// launchers are framework classes whose methods lead a thread to its work.
var launchers = map[string]bool{
	"android.app.ActivityThread":                                           true,
	"android.os.AsyncTask$2":                                               true,
	"android.os.AsyncTask$3":                                               true,
	"android.os.AsyncTask$SerialExecutor$1":                                true,
	"android.os.HandlerThread":                                             true,
	"android.os.Looper":                                                    true,
	"com.android.internal.os.RuntimeInit$MethodAndArgsCaller":              true,
	"com.android.internal.os.ZygoteInit":                                   true,
	"com.android.internal.os.ZygoteInit$MethodAndArgsCaller":               true,
	"java.lang.Thread":                                                     true,
	"java.lang.reflect.Method":                                             true,
	"java.util.TimerThread":                                                true,
	"java.util.concurrent.Executors$RunnableAdapter":                       true,
	"java.util.concurrent.FutureTask":                                      true,
	"java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask": true,
	"java.util.concurrent.ThreadPoolExecutor":                              true,
	"java.util.concurrent.ThreadPoolExecutor$Worker":                       true,
}

// Launches reports whether a framework method only leads a thread to its work, and does no work
// itself. This holds only if its callers are such methods, too.
func Launches(m name.Method) bool { return launchers[m.Class()] }

// goesOn reports whether a method leads a thread on to its work if a run method of the app calls
// it. For example, it is an inherited run method of a thread, or an executor's wrapper.
func goesOn(m name.Method) bool {
	switch m.Name {
	case "run", "runWith", "runWorker", "runAndReset", "loop", "loopOnce", "mainLoop", "call":
		return Launches(m)
	}
	return false
}

// records reports whether a method does the work of recording the run.
func records(m name.Method) bool {
	switch class := m.Class(); {
	case class == "android.os.Debug" || class == "dalvik.system.VMDebug":
		return m.Name == "startClassPrep" || strings.Contains(m.Name, "MethodTracing")
	default:
		return strings.HasPrefix(class, "org.mozilla.gecko.GeckoJavaSampler") || strings.HasPrefix(class, "com.android.tools.profiler.")
	}
}
