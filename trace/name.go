package trace

import (
	"slices"
	"strings"
)

// Short is what developers call the method of a label, TextView.setText: its class
// without the package, and its name.
func Short(label string) string {
	m := ParseLabel(label)
	if m.Class == "" {
		return m.Name
	}
	return m.Class[strings.LastIndexByte(m.Class, '.')+1:] + "." + m.Name
}

// Names names labels so that they can be told apart: the short name where no other
// has it, else with the parameters, as in TextView.setText(CharSequence, int), else
// the label itself.
func Names(labels []string) map[string]string {
	names := make(map[string]string, len(labels))
	for _, l := range labels {
		names[l] = Short(l)
	}
	for _, longer := range []func(string) string{withParameters, func(l string) string { return l }} {
		bearers := make(map[string]int, len(names))
		for _, name := range names {
			bearers[name]++
		}
		for l, name := range names {
			if bearers[name] > 1 {
				names[l] = longer(l)
			}
		}
	}
	return names
}

// withParameters is the short name of a label and the last names of its parameters'
// types; the label itself if its descriptor is none.
func withParameters(label string) string {
	params, _, ok := ParseDescriptor(ParseLabel(label).Descriptor)
	if !ok {
		return label
	}
	for i, p := range params {
		if at := strings.LastIndexAny(p, ".$"); at < len(p)-1 {
			params[i] = p[at+1:]
		}
	}
	return Short(label) + "(" + strings.Join(params, ", ") + ")"
}

// maxParams is what the virtual machine allows; descriptors beyond are no method's.
const maxParams = 255

var primitives = map[byte]string{
	'Z': "boolean", 'B': "byte", 'C': "char", 'D': "double", 'F': "float", 'I': "int", 'J': "long", 'S': "short", 'V': "void",
}

// ParseDescriptor returns the types of a method's descriptor with dots between
// packages and $ before nested classes: int, java.util.Map$Entry, byte[][]. It
// fails if the descriptor is empty or malformed.
func ParseDescriptor(d string) (params []string, result string, ok bool) {
	rest, ok := strings.CutPrefix(d, "(")
	for ok && !strings.HasPrefix(rest, ")") {
		var p string
		p, rest, ok = parseType(rest)
		params = append(params, p)
		ok = ok && len(params) <= maxParams
	}
	if !ok {
		return nil, "", false
	}
	result, rest, ok = parseType(rest[1:])
	if !ok || rest != "" || slices.Contains(params, "void") {
		return nil, "", false
	}
	return params, result, true
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
		typ, ok = primitives[d[0]]
		rest = d[1:]
	} else if i := strings.IndexByte(d, ';'); i > 1 {
		typ, rest, ok = strings.ReplaceAll(d[1:i], "/", "."), d[i+1:], true
	}
	return typ + strings.Repeat("[]", dims), rest, ok
}
