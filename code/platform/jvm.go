package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// jvm describes Java's library and the internals of the JDK. Android has most of the library, too.
var jvm = system{
	lang:      name.JVM,
	separator: ".",
	parents: slices.Concat(below("java", javaParts), below("com.sun", sunParts), below("javax", javaxParts), []string{
		"jdk", "sun", "netscape.javascript", "org.ietf.jgss", "org.jcp.xml",
	}),
	// The JDK has lacked these packages since version 11, and Android never had them. An app that
	// uses them ships them.
	except:  []string{"javax.xml.bind", "javax.xml.soap", "javax.xml.ws"},
	modules: []string{"libjvm", "libjava", "libjli", "libnio", "libnet", "libzip", "libjimage", "libverify", "java"},
	waits:   waitsOfJVM,
	roles: map[string]map[string]Role{
		"java.lang.reflect.Method": {"invoke": Boot},
		// Threads.
		"java.lang.Thread":      {"run": Launcher, "runWith": Launcher},
		"java.util.TimerThread": {"run": Launcher, "mainLoop": Launcher},
		// Thread pools, and their wrappers around the submitted work.
		"java.util.concurrent.ThreadPoolExecutor":                              {"runWorker": Launcher},
		"java.util.concurrent.ThreadPoolExecutor$Worker":                       {"run": Launcher},
		"java.util.concurrent.FutureTask":                                      {"run": Launcher, "runAndReset": Launcher},
		"java.util.concurrent.Executors$RunnableAdapter":                       {"call": Launcher},
		"java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask": {"run": Launcher},
		// The fork-join pool, which also serves CompletableFuture.
		"java.util.concurrent.ForkJoinWorkerThread":               {"run": Launcher},
		"java.util.concurrent.ForkJoinPool":                       {"runWorker": Launcher, "scan": Launcher},
		"java.util.concurrent.ForkJoinPool$WorkQueue":             {"runTask": Launcher, "topLevelExec": Launcher},
		"java.util.concurrent.ForkJoinTask":                       {"doExec": Launcher},
		"java.util.concurrent.ForkJoinTask$AdaptedCallable":       {"exec": Launcher},
		"java.util.concurrent.ForkJoinTask$AdaptedRunnable":       {"exec": Launcher},
		"java.util.concurrent.ForkJoinTask$AdaptedRunnableAction": {"exec": Launcher},
		"java.util.concurrent.ForkJoinTask$RunnableExecuteAction": {"exec": Launcher},
		"java.util.concurrent.CompletableFuture$AsyncRun":         {"exec": Launcher, "run": Launcher},
		"java.util.concurrent.CompletableFuture$AsyncSupply":      {"exec": Launcher, "run": Launcher},
		"java.util.concurrent.RecursiveAction":                    {"exec": Launcher},
		"java.util.concurrent.RecursiveTask":                      {"exec": Launcher},
	},
}

// waitsOfJVM are the methods of the JDK that only wait.
var waitsOfJVM = map[string][]string{
	"java.lang.Object":                           {"wait", "wait0"},
	"java.lang.Thread":                           {"sleep", "sleep0", "sleepNanos", "sleepNanos0"},
	"java.lang.ref.Reference":                    {"waitForReferencePendingList"},
	"java.lang.ProcessHandleImpl":                {"waitForProcessExit0"},
	"java.util.concurrent.locks.LockSupport":     {"park", "parkNanos", "parkUntil"},
	"jdk.internal.misc.Unsafe":                   {"park"},
	"sun.misc.Unsafe":                            {"park"},
	"java.net.PlainDatagramSocketImpl":           {"peek", "receive0"},
	"java.net.PlainSocketImpl":                   {"socketAccept", "socketConnect"},
	"java.net.SocketInputStream":                 {"socketRead0"},
	"java.lang.UNIXProcess":                      {"waitForProcessExit"},
	"java.lang.VirtualThread":                    {"park", "parkNanos", "parkOnCarrierThread", "yieldContinuation"},
	"jdk.internal.vm.Continuation":               {"yield", "yield0"},
	"sun.nio.ch.EPoll":                           {"wait"},
	"sun.nio.ch.EPollArrayWrapper":               {"epollWait"},
	"sun.nio.ch.KQueue":                          {"poll"},
	"sun.nio.ch.KQueueArrayWrapper":              {"kevent0"},
	"sun.nio.ch.Net":                             {"accept", "poll", "pollConnect"},
	"sun.nio.ch.NioSocketImpl":                   {"park"},
	"sun.nio.ch.SocketDispatcher":                {"read0", "readv0"},
	"sun.nio.ch.UnixDispatcher":                  {"accept0"},
	"sun.nio.ch.Iocp":                            {"getQueuedCompletionStatus"},
	"sun.nio.ch.PollSelectorImpl":                {"poll"},
	"sun.nio.ch.WEPoll":                          {"wait"},
	"sun.nio.ch.WindowsSelectorImpl$SubSelector": {"poll0"},
}

// javaParts are the names that can follow "java." in package names, in all versions of the JDK.
var javaParts = []string{
	"applet", "awt", "beans", "io", "lang", "math", "net", "nio", "rmi", "security", "sql", "text", "time", "util",
}

// javaxParts are the names that can follow "javax." in package names of the JDK. Libraries use
// others, such as javax.inject.
var javaxParts = []string{
	"accessibility", "crypto", "imageio", "lang", "management", "naming", "net", "print", "rmi", "script", "security", "smartcardio",
	"sound", "sql", "swing", "tools", "transaction.xa", "xml",
}

// sunParts are the names that can follow "com.sun." in package names of the JDK. Others belong to
// libraries, such as com.sun.jna.
var sunParts = []string{
	"accessibility", "awt", "beans", "corba", "crypto", "demo", "imageio", "jarsigner", "java", "java_cup", "jdi", "jmx", "jndi",
	"management", "media.sound", "naming", "net", "nio", "org", "proxy", "rmi", "rowset", "security", "source", "swing", "tools",
	"tracing", "xml.internal",
}

// hotSpotStubs are names that HotSpot gives to generated code.
var hotSpotStubs = []string{"I2C/C2I adapters", "itable stub", "vtable stub", "vtable chunks", "StubRoutines (1)", "StubRoutines (2)", "StubRoutines (initial stubs)"}

// isTrampoline reports whether a method only forwards a call, by reflection, a method handle or a
// proxy. HotSpot generates some of these methods only after a number of calls.
func isTrampoline(m name.Method) bool {
	if m.Lang != name.JVM {
		return false
	}
	switch m.Scope {
	case "com.sun.proxy", "jdk.proxy", "jdk.proxy1", "jdk.proxy2", "jdk.proxy3":
		return strings.HasPrefix(m.Type, "$Proxy")
	case "jdk.internal.reflect", "sun.reflect":
		return strings.HasSuffix(m.Type, "AccessorImpl") || strings.HasSuffix(m.Type, "HandleAccessor") || strings.HasPrefix(m.Type, "Generated")
	case "java.lang.invoke":
		return strings.HasPrefix(m.Type, "LambdaForm$") || strings.HasSuffix(m.Type, "$Holder")
	}
	return false
}
