package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// isRuntime reports whether machine code belongs to the kernel or to a managed runtime. It also
// returns true for native code of an unknown library, because most such code is part of a runtime.
func isRuntime(m name.Method) bool {
	switch m.Lang {
	case name.Native, name.CPP:
		return m.Module == "" || slices.ContainsFunc(systems, func(s system) bool { return s.runs(fileOf(m.Module)) })
	case name.Unknown:
		return m.Module == "" && slices.Contains(hotSpotStubs, m.Name)
	}
	return false
}

// runs reports whether a file belongs to the system's runtime.
func (s *system) runs(file string) bool { return named(s.modules, file) }

// named reports whether a file is one of the modules, apart from its version. For example,
// libc-2.31.so and libc.so.6 are libc.
func named(modules []string, file string) bool {
	return slices.ContainsFunc(modules, func(known string) bool {
		rest, ok := strings.CutPrefix(file, known)
		return ok && (rest == "" || strings.IndexByte(".-_", rest[0]) >= 0)
	})
}
