package chrome

import (
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// sliceMethods turns the names of slices into methods.
type sliceMethods struct {
	// ids maps the name ids of the trace to indices of methods. It is nil if slices are named after
	// functions.
	ids     []trace.MethodID
	methods []name.Method
}

// slicesOf returns the naming for a trace whose slices have free names, as in traces of Android's
// systrace, Flutter and Chromium. It removes numbers from the names, as for Perfetto's traces.
//
// If at least half of the names have a package or a file, slices are named after functions, and the
// result is empty. A class does not suffice, because slices have names such as LatencyInfo.Flow and
// SimpleWatcher::OnHandleReady.
func (d *decoder) slicesOf(methods []name.Method) sliceMethods {
	if d.given {
		return sliceMethods{} // diffprof wrote the trace, and its names are methods.
	}
	functions := 0
	for i := range methods {
		if m := &methods[i]; m.Module != "" || m.Scope != "" && m.Lang != name.CPP && m.Lang != name.Native {
			functions++
		}
	}
	if 2*functions >= len(methods) {
		return sliceMethods{}
	}
	n := sliceMethods{ids: make([]trace.MethodID, len(methods))}
	known := make(map[string]trace.MethodID)
	var plain []byte
	for id, m := range methods {
		plain = name.PlainSlice(plain[:0], []byte(m.Label()))
		at, ok := known[string(plain)]
		if !ok {
			at = trace.MethodID(len(n.methods))
			known[string(plain)] = at
			n.methods = append(n.methods, name.OfSlice(string(plain)))
		}
		n.ids[id] = at
	}
	return n
}

// method returns the method for a slice.
func (n *sliceMethods) method(s *slice) trace.Ref {
	if n.ids == nil || s.method == noMethod {
		return trace.Ref(s.method)
	}
	return trace.Ref(n.ids[s.method])
}

// names returns the name lookup for the sink. If n is empty, this is the lookup of the trace.
func (n *sliceMethods) names(otherwise trace.Names) trace.Names {
	if n.ids == nil {
		return otherwise
	}
	return func(id trace.MethodID) (name.Method, bool) { return n.methods[id], true }
}
