package source

import (
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// A signature is a descriptor, its types as Java writes them: int,
// java.util.Map.Entry, byte[][].
type signature struct {
	params []string
	result string
	known  bool
}

// parseDescriptor reads a descriptor; one that is empty or malformed is unknown.
func parseDescriptor(d string) signature {
	params, result, known := name.ParseDescriptor(d)
	return signature{params, result, known}
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
