package preprocess

import (
	"slices"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
)

// isManaged reports whether a method runs on a runtime that has its own stacks, such as a JVM. Its
// recorders do not show native code.
func isManaged(m *name.Method) bool {
	switch m.Lang {
	case name.JVM, name.DotNet, name.Python, name.JavaScript:
		return true
	}
	return false
}

// isNative reports whether a method is machine code that recorders of managed code do not show.
func isNative(m *name.Method) bool {
	return m.Lang == name.Native || m.Lang == name.CPP
}

// runtime plans to merge native code that only serves to run managed code, so that runs with and
// without that native code can be compared. Three kinds of code merge into their callers:
//
//   - native code between two managed methods;
//   - native code from a thread's start to its first managed method;
//   - code of the runtime and of the kernel that managed code calls.
//
// Other native libraries that managed code calls stay, unless they call managed code. changed is
// false if the plan changes nothing.
//
// Interrupts that do not call managed code move below the root, with their callees. They arrive in
// arbitrary functions, so their work is not a task of the interrupted code.
func runtime(nodes []place, v *vocabulary) (p plan, changed bool) {
	p = plan{merge: make([]bool, len(nodes)), under: slices.Repeat([]int32{unmoved}, len(nodes))}
	leads := make([]bool, len(nodes))
	for i := len(nodes) - 1; i > 0; i-- {
		if leads[i] || v.managed[nodes[i].label] {
			leads[nodes[i].parent] = true
		}
	}
	in := make([]bool, len(nodes))      // whether each node becomes part of managed code
	handler := make([]bool, len(nodes)) // whether each node is part of an interrupt
	for i := 1; i < len(nodes); i++ {
		n := &nodes[i]
		role := v.roles[n.label]
		ofRuntime := role == platform.Runtime || role == platform.Interrupt || role == platform.Stub && v.native[n.label]
		switch {
		case n.kind == Recorder:
		case handler[n.parent]:
			handler[i] = true
		case role == platform.Interrupt && !leads[i]:
			handler[i] = true
			if n.parent != 0 {
				p.under[i], changed = 0, true
			}
		case leads[i] && (ofRuntime || v.native[n.label]), ofRuntime && in[n.parent]:
			p.merge[i], in[i], changed = true, in[n.parent], true
		default:
			in[i] = v.managed[n.label]
		}
	}
	return p, changed
}
