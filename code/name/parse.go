package name

import "strings"

// Parse reads a label back. The descriptor starts at the first '(' that is
// followed by a ')'; the method's name is what follows the last dot before it;
// <init> and <clinit> are names like any other. A text without a dot is a name
// without a class. Slashes between packages become dots.
func Parse(label string, lang Lang) Method {
	name, desc := label, ""
	if i := strings.IndexByte(label, '('); i > 0 && strings.IndexByte(label[i:], ')') > 0 {
		name, desc = label[:i], label[i:]
	}
	if strings.IndexByte(name, '/') >= 0 {
		name = strings.ReplaceAll(name, "/", ".")
	}
	i := strings.LastIndexByte(name, '.')
	// A dot that ends the text, or begins it, parts nothing.
	if i <= 0 || i == len(name)-1 {
		return OfClass("", name, desc)
	}
	return OfClass(name[:i], name[i+1:], desc)
}

// splitClass parts a class's full name at the last dot, unless that begins or ends
// the name.
func splitClass(class string) (scope, typ string) {
	if i := strings.LastIndexByte(class, '.'); i > 0 && i < len(class)-1 {
		return class[:i], class[i+1:]
	}
	return "", class
}
