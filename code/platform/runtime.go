package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// isRuntime says whether machine code is the kernel's, or of a library that runs managed
// code. So is native code of which the recording names no library: most of it is, below
// managed code.
func isRuntime(m name.Method) bool {
	switch m.Lang {
	case name.Native, name.CPP:
		return m.Module == "" || m.Mark == kernelMark || slices.ContainsFunc(systems, func(s system) bool { return s.runs(m.Module) })
	case name.Unknown:
		return m.Module == "" && slices.Contains(hotSpotStubs, m.Name)
	}
	return false
}

// kernelMark is what profilers write behind functions of the kernel.
const kernelMark = "_[k]"

// runs says whether a module is one of the system's runtime: libjvm.so, libc-2.31.so and
// libc.so.6 are libjvm and libc.
func (s *system) runs(module string) bool {
	file := strings.Trim(module[strings.LastIndexAny(module, "/\\")+1:], "[]")
	return slices.ContainsFunc(s.modules, func(known string) bool {
		rest, ok := strings.CutPrefix(file, known)
		return ok && (rest == "" || strings.IndexByte(".-_", rest[0]) >= 0)
	})
}
