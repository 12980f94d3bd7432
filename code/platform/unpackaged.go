package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// Unpackaged reports whether a run has JVM classes without their packages, such as Thread.run for
// java.lang.Thread.run. async-profiler writes such names with its option for simple names. The
// app's code then cannot be distinguished from libraries and the JDK.
//
// It returns true if no class or descriptor has a package, and a class has the simple name of a
// class of the JDK or of Android. So it returns false for an app whose own classes have no package:
// such an app calls JDK classes by their full names.
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

// libraryRoots are prefixes of the class names that show whether a run omits packages.
var libraryRoots = []string{"android.", "java."}
