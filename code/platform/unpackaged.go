package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// Unpackaged reports whether a run names JVM classes without their packages, such as Thread.run for
// java.lang.Thread.run. async-profiler does this with simple names. Names then do not distinguish
// the app's code from the JDK's and from libraries. A run is unpackaged if no class or descriptor
// has a package, and a class has the simple name of a class of the JDK or of Android. An app whose
// own classes have no package does not count: its run has other names with packages, or calls JDK
// classes by their full names.
func (p *Platform) Unpackaged(ran []name.Method) bool {
	simple := make(map[string]bool)
	for i := range ran {
		m := &ran[i]
		switch {
		case m.Lang != name.JVM:
		case m.Scope != "", strings.ContainsAny(m.Signature, "./"):
			return false
		case m.Type != "":
			simple[m.Type] = true
		}
	}
	if len(simple) == 0 {
		return false
	}
	for class := range p.table.Classes() {
		at := strings.LastIndexByte(class, '.') + 1
		if simple[class[at:]] && slices.ContainsFunc(libraryRoots, func(root string) bool { return strings.HasPrefix(class, root) }) {
			return true
		}
	}
	return false
}

// libraryRoots are the first parts of the packages that all apps for the JVM or Android use.
var libraryRoots = []string{"android.", "java."}
