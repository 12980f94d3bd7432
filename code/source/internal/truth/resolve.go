package truth

import (
	"github.com/diffprof/diffprof/code/bytecode"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/name"
)

// A hierarchy determines which method a call instruction runs. The instruction names the static
// type of the receiver, but a recording names the class that declares the method.
//
// Source: The Java Virtual Machine Specification, sections 5.4.3.3 and 5.4.3.4.
type hierarchy struct {
	classes  map[string]*bytecode.Class
	platform *classes.Table
}

func newHierarchy(list []*bytecode.Class) (hierarchy, error) {
	platform, err := classes.BuiltIn()
	h := hierarchy{map[string]*bytecode.Class{}, platform}
	for _, c := range list {
		h.classes[c.Name] = c
	}
	return h, err
}

// declared returns a called method with the class that declares it. If no class file declares it,
// the class is the first superclass without a class file.
func (h hierarchy) declared(m name.Method) name.Method {
	class, outside := m.Class(), ""
	var interfaces []string
	for class != "" {
		c := h.classes[class]
		if c == nil {
			outside = class
			break
		}
		if c.Declares[m.Name+m.Signature] {
			return name.OfClass(class, m.Name, m.Signature)
		}
		interfaces = append(interfaces, c.Interfaces...)
		class = c.Super
	}
	if outside != "java.lang.Object" || ofObject[m.Name] {
		return name.OfClass(outside, m.Name, m.Signature)
	}
	unknown := ""
	for ; len(interfaces) > 0; interfaces = interfaces[1:] {
		c := h.classes[interfaces[0]]
		switch {
		case c == nil && unknown == "":
			unknown = interfaces[0]
		case c == nil:
		case c.Declares[m.Name+m.Signature]:
			return name.OfClass(c.Name, m.Name, m.Signature)
		default:
			interfaces = append(interfaces, c.Interfaces...)
		}
	}
	if unknown == "" {
		return m
	}
	return name.OfClass(unknown, m.Name, m.Signature)
}

// ofObject are the methods of java.lang.Object.
var ofObject = map[string]bool{"hashCode": true, "equals": true, "toString": true, "getClass": true, "clone": true,
	"finalize": true, "notify": true, "notifyAll": true, "wait": true}

// mayRun reports whether an instruction can run a method. For example, an instruction that calls
// List.add can run ArrayList.add.
//
// The class of the second method may be a subclass of the first. If neither class has a file, it
// may also be a superclass, from which the first perhaps inherits the method.
func (h hierarchy) mayRun(named, runs name.Method) bool {
	if named.Name != runs.Name || named.Signature != runs.Signature || runs.Name == "<init>" {
		return false
	}
	declared, by := named.Class(), runs.Class()
	return h.below(by, declared) || h.classes[declared] == nil && h.classes[by] == nil && h.platform.Subtype(declared, by)
}

// below reports whether the two types are equal or the first is a subtype of the second.
func (h hierarchy) below(sub, super string) bool {
	seen := map[string]bool{sub: true}
	for queue := []string{sub}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == super || h.platform.Subtype(queue[0], super) {
			return true
		}
		c := h.classes[queue[0]]
		if c == nil {
			continue
		}
		for _, above := range append([]string{c.Super}, c.Interfaces...) {
			if !seen[above] {
				seen[above] = true
				queue = append(queue, above)
			}
		}
	}
	return false
}

// lines returns the lines of a method's calls, by callee. It omits code that was inlined from
// another file.
func (h hierarchy) lines(caller *bytecode.Method) (pairs map[name.Method]map[int]bool) {
	pairs = map[name.Method]map[int]bool{}
	for _, c := range caller.Calls {
		if c.Line == 0 {
			continue
		}
		callee := h.declared(c.Callee)
		if pairs[callee] == nil {
			pairs[callee] = map[int]bool{}
		}
		pairs[callee][c.Line] = true
	}
	return pairs
}

// around returns the lines of all the caller's instructions that can run the callee.
func (h hierarchy) around(pairs map[name.Method]map[int]bool, callee name.Method) map[int]bool {
	all := map[int]bool{}
	for other, lines := range pairs {
		if other == callee || h.mayRun(other, callee) {
			for l := range lines {
				all[l] = true
			}
		}
	}
	return all
}
