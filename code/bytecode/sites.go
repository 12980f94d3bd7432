package bytecode

import (
	"path"
	"slices"

	"github.com/diffprof/diffprof/name"
)

// Sites finds the source lines of calls in some classes. The zero Sites is empty.
type Sites struct {
	// methods has the methods by class and name.
	methods map[string][]Method
}

// Add adds the methods of a class. It ignores a class that was not compiled from a .java or .kt
// file: tools that shrink classes replace the file name, and change the lines, too. If several
// classes have the same name, only the first one is used.
func (s *Sites) Add(c *Class) {
	if e := path.Ext(c.File); e != ".java" && e != ".kt" {
		return
	}
	added := make(map[string][]Method)
	for _, m := range c.Methods {
		if !m.Bridge {
			added[key(m.Method)] = append(added[key(m.Method)], m)
		}
	}
	for k, methods := range added {
		if s.methods == nil {
			s.methods = make(map[string][]Method)
		}
		if s.methods[k] == nil {
			s.methods[k] = methods
		}
	}
}

func key(m name.Method) string { return m.Class() + "." + m.Name }

// Lines returns the lines on which the caller calls the callee, sorted, and the base name of their
// source file. It returns no lines if the classes do not have such a call, or if several methods
// could be the caller. A callee without a signature matches all overloads.
//
// A class file names the static type of the receiver, but a recording names the class that declares
// the called method. The function related must report whether one of two classes extends the other.
func (s *Sites) Lines(caller, callee name.Method, related func(a, b string) bool) (file string, lines []int) {
	fits := func(recorded, m name.Method) bool {
		return recorded.Name == m.Name && (recorded.Signature == "" || recorded.Signature == m.Signature)
	}
	found := slices.DeleteFunc(slices.Clone(s.methods[key(caller)]), func(m Method) bool { return !fits(caller, m.Method) })
	if len(found) != 1 {
		return "", nil
	}
	for _, c := range found[0].Calls {
		if c.Line > 0 && fits(callee, c.Callee) && (c.Callee.Class() == callee.Class() || related(c.Callee.Class(), callee.Class())) {
			lines = append(lines, c.Line)
		}
	}
	slices.Sort(lines)
	return found[0].File, slices.Compact(lines)
}
