package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// Waits reports whether a method only waits: for time to pass, for another thread, or for an
// external event. Processor time charged to it is still work.
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
		// Symbols have leading underscores and trailing versions: __poll, read@@GLIBC_2.2.5.
		called, _, _ = strings.Cut(strings.TrimLeft(called, "_"), "@")
	}
	for i := range systems {
		if s := &systems[i]; s.lang == m.Lang && slices.Contains(s.waits[in], called) {
			return true
		}
	}
	return false
}

// idleOfV8 is the frame of V8's profiler for an idle program.
const idleOfV8 = "(idle)"
