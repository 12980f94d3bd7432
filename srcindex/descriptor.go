package srcindex

import "strings"

// A signature is a descriptor, its types as Java writes them: int,
// java.util.Map.Entry, byte[][].
type signature struct {
	params []string
	result string
	known  bool
}

// maxParams is what the virtual machine allows; descriptors beyond are no method's.
const maxParams = 255

var primitiveNames = map[byte]string{
	'Z': "boolean", 'B': "byte", 'C': "char", 'D': "double", 'F': "float", 'I': "int", 'J': "long", 'S': "short", 'V': "void",
}

// parseDescriptor reads a descriptor; one that is empty or malformed is unknown.
func parseDescriptor(d string) signature {
	if !strings.HasPrefix(d, "(") {
		return signature{}
	}
	var s signature
	rest := d[1:]
	for !strings.HasPrefix(rest, ")") {
		typ, after, ok := parseType(rest)
		if !ok || len(s.params) == maxParams {
			return signature{}
		}
		s.params, rest = append(s.params, typ), after
	}
	typ, after, ok := parseType(rest[1:])
	if !ok || after != "" {
		return signature{}
	}
	s.result, s.known = typ, true
	return s
}

func parseType(d string) (typ, rest string, ok bool) {
	dims := 0
	for dims < len(d) && d[dims] == '[' {
		dims++
	}
	if dims > maxParams || dims == len(d) {
		return "", "", false
	}
	d = d[dims:]
	if d[0] != 'L' {
		typ, ok = primitiveNames[d[0]]
		rest = d[1:]
	} else if i := strings.IndexByte(d, ';'); i > 1 {
		typ, rest, ok = strings.ReplaceAll(d[1:i], "/", "."), d[i+1:], true
	}
	return typ + strings.Repeat("[]", dims), rest, ok
}

// sameType tells whether a type of the source may be a descriptor's. Sources name
// types in short, so only last names are held against each other.
func sameType(source, compiled string) bool {
	if source == "" || source == compiled {
		return true
	}
	for strings.HasSuffix(source, "[]") && strings.HasSuffix(compiled, "[]") {
		source, compiled = source[:len(source)-2], compiled[:len(compiled)-2]
	}
	if strings.HasSuffix(source, "[]") != strings.HasSuffix(compiled, "[]") {
		return false
	}
	return lastName(source) == lastName(compiled)
}

// lastName is what follows the last dot or dollar sign. A dollar sign that ends a
// name is part of it.
func lastName(name string) string {
	for i := len(name) - 2; i >= 0; i-- {
		if name[i] == '.' || name[i] == '$' {
			return name[i+1:]
		}
	}
	return name
}

// mismatches counts the parameters that cannot be the descriptor's, -1 if there
// are more or fewer.
func mismatches(source, compiled []string) int {
	if len(source) != len(compiled) {
		return -1
	}
	n := 0
	for i := range source {
		if !sameType(source[i], compiled[i]) {
			n++
		}
	}
	return n
}
