package name

import (
	"strings"
)

// most is the largest number of parameters of a method and of dimensions of an array, as in the
// JVM. A text that exceeds it is not a descriptor.
const most = 255

var primitives = map[byte]string{
	'Z': "boolean", 'B': "byte", 'C': "char", 'D': "double", 'F': "float", 'I': "int", 'J': "long", 'S': "short", 'V': "void",
}

// ParseDescriptor returns the types of a method's descriptor, such as int, java.util.Map$Entry and
// byte[][]. Dots separate packages, and $ separates nested classes. ok is false if the descriptor
// is empty or malformed. The Java Virtual Machine Specification, Section 4.3.3, defines
// descriptors.
func ParseDescriptor(d string) (params []string, result string, ok bool) {
	if DescriptorLen(d) != len(d) || d == "" {
		return nil, "", false
	}
	rest := d[1:]
	for rest[0] != ')' {
		n := fieldType(rest)
		params = append(params, typeName(rest[:n]))
		rest = rest[n:]
	}
	return params, typeName(rest[1:]), true
}

// typeName returns the name of a well-formed type.
func typeName(d string) string {
	dims := strings.LastIndexByte(d, '[') + 1
	d = d[dims:]
	name, ok := primitives[d[0]]
	if !ok {
		name = strings.ReplaceAll(d[1:len(d)-1], "/", ".")
	}
	return name + strings.Repeat("[]", dims)
}

// Descriptor returns the descriptor of a method. The types have the form that [ParseDescriptor]
// returns.
func Descriptor(params []string, result string) string {
	var out strings.Builder
	out.WriteByte('(')
	for _, p := range params {
		appendType(&out, p)
	}
	out.WriteByte(')')
	appendType(&out, result)
	return out.String()
}

func appendType(out *strings.Builder, name string) {
	for strings.HasSuffix(name, "[]") {
		name = name[:len(name)-2]
		out.WriteByte('[')
	}
	for letter, primitive := range primitives {
		if primitive == name {
			out.WriteByte(letter)
			return
		}
	}
	out.WriteByte('L')
	out.WriteString(strings.ReplaceAll(name, ".", "/"))
	out.WriteByte(';')
}

// DescriptorLen returns the length of the descriptor at the start of a text. It returns 0 if the
// text does not start with a descriptor. It reads no further than the end of the descriptor or the
// first error.
func DescriptorLen[T ~string | ~[]byte](text T) int {
	if len(text) == 0 || text[0] != '(' {
		return 0
	}
	i, params := 1, 0
	for i < len(text) && text[i] != ')' {
		n := fieldType(text[i:])
		if params++; n == 0 || params > most {
			return 0
		}
		i += n
	}
	// The result type follows ')'. V is not a field type, so it is handled here.
	if i++; i >= len(text) {
		return 0
	}
	if text[i] == 'V' {
		return i + 1
	}
	if n := fieldType(text[i:]); n > 0 {
		return i + n
	}
	return 0
}

// fieldType returns the length of the field type at the start of text, or 0 if there is none.
func fieldType[T ~string | ~[]byte](text T) int {
	i := 0
	for i < len(text) && text[i] == '[' {
		i++
	}
	if i == len(text) || i > most {
		return 0
	}
	switch text[i] {
	case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z':
		return i + 1
	case 'L':
		for start := i + 1; ; {
			if i++; i == len(text) {
				return 0
			}
			if c := text[i]; c == ';' && i > start {
				return i + 1
			} else if !isNameByte(c) && c != '/' && c != '.' {
				return 0
			}
		}
	}
	return 0
}

// isNameByte reports whether c may occur in a JVM name. Names contain letters, digits and the
// characters of compiler-generated names.
func isNameByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c >= 0x80:
		return true
	}
	return c == '_' || c == '$' || c == '-' || c == '+'
}
