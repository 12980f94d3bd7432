package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// Waits reports whether a method only waits for time to pass, for another thread, or for an
// external event. Processor time of such a method is still work.
func (p *Platform) Waits(m name.Method) bool {
	in, called := m.Class(), m.Name
	if in == "" {
		in = m.Scope
	}
	switch m.Lang {
	case name.Python:
		in = m.Scope[strings.LastIndexByte(m.Scope, '/')+1:]
	case name.Native, name.CPP, name.Unknown, name.JavaScript:
		if strings.Trim(called, ":0123456789") == idleOfV8 {
			return true
		}
		// Symbols may have leading underscores and a version at the end, such as __poll and
		// read@@GLIBC_2.2.5.
		called, _, _ = strings.Cut(strings.TrimLeft(called, "_"), "@")
		for _, system := range []string{"x64_sys_", "arm64_sys_", "ia32_sys_", "se_sys_", "sys_", "libc_", "GI_"} {
			called = strings.TrimLeft(strings.TrimPrefix(called, system), "_")
		}
	case name.Slice:
		return waitingSlice(m.Name)
	}
	for i := range systems {
		if s := &systems[i]; s.lang == m.Lang && slices.Contains(s.waits[in], called) {
			return true
		}
	}
	return false
}

// idleOfV8 is the frame for idle time in V8's profiles.
const idleOfV8 = "(idle)"

// waitingSlice reports whether a slice of a system trace is a wait. ART, Android and Chromium give
// such slices known names.
func waitingSlice(called string) bool {
	for _, begin := range []string{"Lock contention on ", "monitor contention with ", "Waiting for ", "waiting for ", "wait for "} {
		if strings.HasPrefix(called, begin) {
			return true
		}
	}
	return called == "futex_wait" || called == "ThreadControllerImpl::Wait"
}
