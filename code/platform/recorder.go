package platform

import (
	"strings"

	"github.com/diffprof/diffprof/name"
)

// recorders are the packages of the agents that Android Studio injects into a process.
var recorders = []string{
	"com.android.tools.agent", "com.android.tools.appinspection", "com.android.tools.deploy", "com.android.tools.profiler",
}

// records reports whether a method is part of recording, not of the app: the start and end of
// method tracing, Dalvik's work for each class during tracing, the agents, and Firefox's sampler.
// It is called for every method, so it does not concatenate strings.
func records(m name.Method) bool {
	if m.Lang != name.JVM {
		return false
	}
	switch {
	case m.Scope == "android.os" && m.Type == "Debug", m.Scope == "dalvik.system" && m.Type == "VMDebug":
		return strings.HasSuffix(m.Name, "MethodTracing") || strings.HasPrefix(m.Name, "startMethodTracing") || m.Name == "startClassPrep"
	case m.Scope == "org.mozilla.gecko":
		return within(m.Type, "GeckoJavaSampler", "$")
	}
	for _, parent := range recorders {
		if within(m.Scope, parent, ".") {
			return true
		}
	}
	return false
}
