package platform

import (
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// recorders are packages and classes of which all methods are a recorder's: the agents
// that Android Studio puts into a process, and Firefox's sampler.
var recorders = []string{
	"com.android.tools.agent", "com.android.tools.appinspection", "com.android.tools.deploy", "com.android.tools.profiler",
	"org.mozilla.gecko.GeckoJavaSampler",
}

// records says whether a method is the recorder's own work: where method tracing begins
// and ends, what Dalvik does for each class while it traces, and the agents.
func records(m name.Method) bool {
	if m.Lang != name.JVM {
		return false
	}
	class := m.Class()
	switch class {
	case "android.os.Debug", "dalvik.system.VMDebug":
		return strings.HasSuffix(m.Name, "MethodTracing") || strings.HasPrefix(m.Name, "startMethodTracing") || m.Name == "startClassPrep"
	}
	for _, parent := range recorders {
		if within(class, parent, ".") || within(class, parent, "$") {
			return true
		}
	}
	return false
}
