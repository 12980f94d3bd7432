package chrome

import (
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A naming maps the names of slices to methods.
type naming struct {
	// ids maps the name ids of the trace to methods. It is nil if each name is already a method.
	ids     []trace.MethodID
	methods []name.Method
}

// slicesOf returns the naming of a trace whose slice names are not names of functions. Android's
// systrace, Flutter and Chromium write such traces. If at least half of the names have a package or
// a file, they are names of functions, and the result is empty. A class alone is no evidence,
// because slices have names such as LatencyInfo.Flow and SimpleWatcher::OnHandleReady. Numbers are
// removed from the names, as in Perfetto's traces.
func (d *decoder) slicesOf(methods []name.Method) naming {
	if d.given {
		return naming{} // diffprof wrote the trace, and its names are methods.
	}
	functions := 0
	for i := range methods {
		if m := &methods[i]; m.Module != "" || m.Scope != "" && m.Lang != name.CPP && m.Lang != name.Native {
			functions++
		}
	}
	if 2*functions >= len(methods) {
		return naming{}
	}
	n := naming{ids: make([]trace.MethodID, len(methods))}
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
func (n *naming) method(s *slice) trace.Ref {
	if n.ids == nil || s.method == noMethod {
		return trace.Ref(s.method)
	}
	return trace.Ref(n.ids[s.method])
}

// names returns the lookup of names for the sink. otherwise is the lookup if n is empty.
func (n *naming) names(otherwise trace.Names) trace.Names {
	if n.ids == nil {
		return otherwise
	}
	return func(id trace.MethodID) (name.Method, bool) { return n.methods[id], true }
}
