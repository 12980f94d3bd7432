package trace

import "strings"

// A Method is a method as a recording names it.
type Method struct {
	// Class has dots between packages and $ before nested classes; empty where
	// the name has no class, as native symbols do.
	Class string
	Name  string
	// Descriptor is the JVM's, such as (I)V; empty where the format has none.
	Descriptor string
	// File is the source file's name without folders, empty if unknown.
	File string
	// Line is the line of the method's first instruction, 0 if unknown.
	Line int
}

// Label returns the name that methods are compared by: package.Class.method and
// the descriptor, as in java.lang.String.valueOf(I)Ljava/lang/String;.
func (m Method) Label() string {
	if m.Class == "" {
		return m.Name + m.Descriptor
	}
	return m.Class + "." + m.Name + m.Descriptor
}

// Package returns the class's package, empty for the unnamed one.
func (m Method) Package() string {
	if i := strings.LastIndexByte(m.Class, '.'); i >= 0 {
		return m.Class[:i]
	}
	return ""
}

// ParseLabel reads a label back. The descriptor starts at the first '(' that is
// followed by a ')'; the method's name is what follows the last dot before it;
// <init> and <clinit> are names like any other. A text without a dot is a name
// without a class. Slashes between packages become dots.
func ParseLabel(s string) Method {
	name, desc := s, ""
	if i := strings.IndexByte(s, '('); i > 0 && strings.IndexByte(s[i:], ')') > 0 {
		name, desc = s[:i], s[i:]
	}
	if strings.IndexByte(name, '/') >= 0 {
		name = strings.ReplaceAll(name, "/", ".")
	}
	i := strings.LastIndexByte(name, '.')
	// A dot that ends the text, or begins it, parts nothing.
	if i <= 0 || i == len(name)-1 {
		return Method{Name: name, Descriptor: desc}
	}
	return Method{Class: name[:i], Name: name[i+1:], Descriptor: desc}
}
