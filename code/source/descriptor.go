package source

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// A signature is a parsed method descriptor. Its types are in Java's notation, such as int,
// java.util.Map$Entry and byte[][].
type signature struct {
	params []string
	result string
	known  bool
}

// parseDescriptor parses a method descriptor. The signature is unknown if d is empty or malformed.
// It omits the parameters that Compose adds to composable functions.
func parseDescriptor(d string) signature {
	params, result, known := name.ParseDescriptor(d)
	if i := slices.Index(params, "androidx.compose.runtime.Composer"); i >= 0 {
		params = params[:i]
	}
	return signature{params, result, known}
}

// sameType reports whether a type as written in the source can be the compiled type. Sources
// abbreviate types, so only the last parts of the names are compared.
func sameType(source, compiled string) bool {
	if source == "" || source == compiled || strings.Contains(source, "#") {
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

// lastName returns the part after the last dot or dollar sign. A dollar sign at the
// end belongs to the name.
func lastName(name string) string {
	for i := len(name) - 2; i >= 0; i-- {
		if name[i] == '.' || name[i] == '$' {
			return name[i+1:]
		}
	}
	return name
}

// sameAliasedType does the same as sameType, and also considers the type aliases of all files.
func (x *Index) sameAliasedType(source, compiled string) bool {
	return sameType(source, compiled) || slices.ContainsFunc(x.aliases[source], func(a aliasRef) bool { return sameType(a.typ, compiled) })
}

// mismatches counts the parameters whose source type cannot be the compiled type. It returns -1 if
// the numbers of parameters differ.
func (x *Index) mismatches(source, compiled []string) int {
	if len(source) != len(compiled) {
		return -1
	}
	n := 0
	for i := range source {
		if !x.sameAliasedType(source[i], compiled[i]) {
			n++
		}
	}
	return n
}
