package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// Waits says whether a method does nothing but wait: for time to pass, for another thread, or
// for something from outside. What it is charged by a clock of processor time is work.
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
		// Symbols have underscores before and versions behind them: __poll, read@@GLIBC_2.2.5.
		called, _, _ = strings.Cut(strings.TrimLeft(called, "_"), "@")
	}
	for i := range systems {
		if s := &systems[i]; s.lang == m.Lang && slices.Contains(s.waits[in], called) {
			return true
		}
	}
	return false
}

// idleOfV8 is what V8's profiler shows while a program has nothing to do.
const idleOfV8 = "(idle)"
