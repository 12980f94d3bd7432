package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// Unpackaged says whether a run names the JVM's classes without their packages, as async-profiler
// does if it is asked for simple names: Thread.run for java.lang.Thread.run. No name
// then tells the app's code from the JDK's and from libraries'. A run is taken for
// one if none of its classes and descriptors has a package, and one class is
// called as a class of the JDK's or of Android's library is. An app whose classes are
// all in no package has other names, or calls the JDK's by theirs.
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

// libraryRoots begin the names of the classes that apps of the JVM and of Android are written
// with.
var libraryRoots = []string{"android.", "java."}
