package mapping

import (
	"strings"

	"github.com/diffprof/diffprof/name"
)

// descriptor replaces the classes in a JVM descriptor by their original names. It returns a text
// that is not a descriptor unchanged.
func (m *Map) descriptor(obfuscated string) string {
	if !strings.ContainsRune(obfuscated, 'L') {
		return obfuscated
	}
	params, result, ok := name.ParseDescriptor(obfuscated)
	if !ok {
		return obfuscated
	}
	for i, p := range params {
		params[i] = m.original(p)
	}
	return name.Descriptor(params, m.original(result))
}

// original returns the original name of a type. The type may be an array.
func (m *Map) original(typ string) string {
	class := strings.TrimRight(typ, "[]")
	if c := m.classes[class]; c != nil {
		return c.original + typ[len(class):]
	}
	return typ
}

// methodDescriptor returns the original descriptor of a method line.
func (m *Map) methodDescriptor(e method) string {
	var params []string
	if text := m.text[e.params]; text != "" {
		for param := range strings.SplitSeq(text, ",") {
			params = append(params, strings.TrimSpace(param))
		}
	}
	return name.Descriptor(params, m.text[e.result])
}
