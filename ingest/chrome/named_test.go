package chrome

import (
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// TestFreeNames checks the methods of slices with free names. Names that differ only in numbers are
// one method.
func TestFreeNames(t *testing.T) {
	var methods []name.Method
	for _, s := range []string{"load 17", "draw", "load 18", "swap"} {
		methods = append(methods, name.Parse(s, name.Unknown))
	}
	n := new(decoder).slicesOf(methods)
	if len(n.methods) != 3 {
		t.Fatalf("there are %d methods, want 3: %v", len(n.methods), n.methods)
	}
	for m, want := range []trace.Ref{0, 1, 0, 2} {
		if got := n.method(&slice{method: trace.MethodID(m)}); got != want {
			t.Errorf("the slice of %s has the method %d, want %d", methods[m].Label(), got, want)
		}
	}
	if got := n.method(&slice{method: noMethod}); got != trace.Ref(noMethod) {
		t.Errorf("a slice without a method has the method %d", got)
	}
	if m, ok := n.names(nil)(0); !ok || m.Label() != name.OfSlice("load #").Label() {
		t.Errorf("the first method is %v", m)
	}
}

// TestNamesOfFunctions checks that slices keep their methods if at least half of the names are
// functions, or if diffprof wrote the trace.
func TestNamesOfFunctions(t *testing.T) {
	function, free := name.Parse("com.app.Feed.load", name.JVM), name.Parse("load 17", name.Unknown)
	for _, c := range []struct {
		methods []name.Method
		given   bool
		kept    bool
	}{
		{[]name.Method{function, free}, false, true},
		{[]name.Method{function, free, free}, false, false},
		{[]name.Method{free, free}, true, true},
	} {
		n := (&decoder{given: c.given}).slicesOf(c.methods)
		if kept := n.ids == nil; kept != c.kept {
			t.Errorf("%v, written by diffprof: %v: the methods are kept: %v", c.methods, c.given, kept)
		}
		last := len(c.methods) - 1
		if got := n.method(&slice{method: trace.MethodID(last)}); c.kept && got != trace.Ref(last) {
			t.Errorf("the last method is %d, want %d", got, last)
		}
	}
}
