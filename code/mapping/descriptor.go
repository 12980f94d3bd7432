package mapping

import (
	"strings"

	"github.com/diffprof/diffprof/name"
)

// descriptor replaces the obfuscated classes in a JVM descriptor by their original names. If the
// text is not a descriptor, it returns the text unchanged.
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

// original returns the original name of a type, which may be an array such as a.b[].
func (m *Map) original(typ string) string {
	class := strings.TrimRight(typ, "[]")
	if c := m.classes[class]; c != nil {
		return c.original + typ[len(class):]
	}
	return typ
}

// methodDescriptor returns the original descriptor of a method line, such as (I)V.
func (m *Map) methodDescriptor(e method) string {
	var params []string
	if text := m.text[e.params]; text != "" {
		for param := range strings.SplitSeq(text, ",") {
			params = append(params, strings.TrimSpace(param))
		}
	}
	return name.Descriptor(params, m.text[e.result])
}
