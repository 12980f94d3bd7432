package platform

import (
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// recorders are packages of which all methods are a recorder's: the agents that Android
// Studio puts into a process.
var recorders = []string{
	"com.android.tools.agent", "com.android.tools.appinspection", "com.android.tools.deploy", "com.android.tools.profiler",
}

// records says whether a method is the recorder's own work: where method tracing begins
// and ends, what Dalvik does for each class while it traces, the agents, and Firefox's
// sampler. It is asked about every method, so that it joins no texts.
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
