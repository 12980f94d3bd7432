package mapping

import "strings"

// descriptor maps the classes in a JVM descriptor back. What is not well formed
// is returned as it is from there on.
func (m *Map) descriptor(obfuscated string) string {
	if !strings.ContainsRune(obfuscated, 'L') {
		return obfuscated
	}
	var out strings.Builder
	rest := obfuscated
	for rest != "" {
		start := strings.IndexByte(rest, 'L')
		if start < 0 {
			break
		}
		length := strings.IndexByte(rest[start:], ';')
		if length < 0 {
			break
		}
		out.WriteString(rest[:start+1])
		name := rest[start+1 : start+length]
		if c := m.classes[strings.ReplaceAll(name, "/", ".")]; c != nil {
			name = strings.ReplaceAll(c.original, ".", "/")
		}
		out.WriteString(name)
		rest = rest[start+length:]
	}
	out.WriteString(rest)
	return out.String()
}

// methodDescriptor returns the original descriptor of a method line.
func (m *Map) methodDescriptor(e method) string {
	var out strings.Builder
	out.WriteByte('(')
	if params := m.text[e.params]; params != "" {
		for param := range strings.SplitSeq(params, ",") {
			appendType(&out, strings.TrimSpace(param))
		}
	}
	out.WriteByte(')')
	appendType(&out, m.text[e.result])
	return out.String()
}

var primitives = map[string]byte{
	"boolean": 'Z', "byte": 'B', "char": 'C', "double": 'D', "float": 'F',
	"int": 'I', "long": 'J', "short": 'S', "void": 'V',
}

// appendType writes the descriptor of a type written as in Java.
func appendType(out *strings.Builder, name string) {
	for strings.HasSuffix(name, "[]") {
		name = name[:len(name)-2]
		out.WriteByte('[')
	}
	if p, ok := primitives[name]; ok {
		out.WriteByte(p)
		return
	}
	out.WriteByte('L')
	out.WriteString(strings.ReplaceAll(name, ".", "/"))
	out.WriteByte(';')
}
