package name

import "strings"

// escapes decodes the characters that Rust's legacy symbols escape for linkers.
var escapes = strings.NewReplacer(
	"$LT$", "<", "$GT$", ">", "$LP$", "(", "$RP$", ")", "$C$", ",", "$RF$", "&", "$BP$", "*", "$SP$", "@",
	"$u20$", " ", "$u22$", "\"", "$u27$", "'", "$u2b$", "+", "$u3b$", ";", "$u3d$", "=", "$u5b$", "[", "$u5d$", "]",
	"$u7b$", "{", "$u7d$", "}", "$u7e$", "~", "..", "::",
)

// parseRust reads a Rust path: modules, a type or an implementation in angle brackets, and a name,
// all separated by "::". Compilers before 2021 append a hash to the path.
func parseRust(text string) Method {
	path, _ := cutHash(text)
	if strings.Contains(path, "$") {
		path = escapes.Replace(path)
		for _, escaped := range []string{"_<", "_{"} {
			path = strings.ReplaceAll(path, escaped, escaped[1:])
		}
	}
	parts := cutPath(path, "::")
	var m Method
	// A generic function's type arguments are a separate part of the path.
	for len(parts) > 1 && strings.HasPrefix(parts[len(parts)-1], "<") {
		m.Signature = parts[len(parts)-1]
		parts = parts[:len(parts)-1]
	}
	n := len(parts) - 1
	for n > 0 && strings.HasPrefix(parts[n], "{") {
		n--
	}
	m.Name = strings.Join(parts[n:], "::")
	if n == 0 {
		return qualified(m, parts)
	}
	owner := parts[n-1]
	m.Scope, m.Type = strings.Join(parts[:n-1], "::"), owner
	switch {
	case strings.HasPrefix(owner, "<"):
		var scope string
		if scope, m.Type = implementor(owner); m.Scope == "" {
			m.Scope = scope
		}
	default:
		owner = withoutArguments(owner)
		if m.Type = owner; !isType(owner, m.Name) {
			m.Scope, m.Type = strings.TrimPrefix(m.Scope+"::"+owner, "::"), ""
		}
	}
	return qualified(m, []string{owner, m.Name})
}

// maxNested is the largest number of nested types in brackets that implementor examines.
const maxNested = 8

// implementor returns the implementing type in <T as Trait>, <impl Trait for T> or <T>, without its
// arguments. scope is the module of the type, or of the trait if the type has no module.
func implementor(part string) (scope, typ string) {
	trait := ""
	for range maxNested {
		inner, ok := strings.CutPrefix(part, "<")
		if !ok {
			break
		}
		inner = strings.TrimSuffix(inner, ">")
		if rest, ok := strings.CutPrefix(inner, "impl "); ok {
			inner = rest
			if p := cutPath(inner, " for "); len(p) > 1 {
				trait, inner = p[0], p[1]
			}
		}
		if p := cutPath(inner, " as "); len(p) > 1 {
			inner, trait = p[0], p[1]
		}
		part = strings.TrimPrefix(strings.TrimLeft(inner, "&* "), "mut ")
	}
	module, typ := cutModule(part)
	if module == "" {
		module, _ = cutModule(trait)
	}
	return module, withoutArguments(typ)
}

// cutModule splits a Rust path into the last part and the path before it.
func cutModule(path string) (module, last string) {
	parts := cutPath(path, "::")
	n := len(parts) - 1
	return strings.Join(parts[:n], "::"), parts[n]
}

// cutHash removes ::h and sixteen hexadecimal digits from the end of a symbol.
func cutHash(text string) (path string, ok bool) {
	const size = len("::h") + 16
	at := len(text) - size
	if at <= 0 || text[at:at+3] != "::h" {
		return text, false
	}
	if !isHex(text[at+3:]) {
		return text, false
	}
	return text[:at], true
}

// isRust reports whether the text has a form that only Rust writes.
func isRust(text string) bool {
	if _, ok := cutHash(text); ok {
		return true
	}
	for _, part := range []string{"$LT$", "$u7b$", "{{closure}}", "{closure#", "::<"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return strings.HasPrefix(text, "core::") || strings.HasPrefix(text, "alloc::") || strings.HasPrefix(text, "_RNv") || strings.HasPrefix(text, "_RINv") ||
		strings.HasPrefix(text, "<") && strings.Contains(text, ">::")
}
