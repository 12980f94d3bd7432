package name

import "strings"

// parseCPP reads a demangled C++ name. The name has qualifiers separated by "::", and the
// parameters. The names of template functions begin with the result type.
func parseCPP(text string) Method {
	text, _, _ = strings.Cut(text, " [clone ")
	parts, params := cutCPP(text)
	m := Method{Signature: params}
	n := len(parts) - 1
	template := n > 0 && strings.HasSuffix(parts[n-1], ">")
	for i, p := range parts {
		parts[i] = withoutArguments(p)
	}
	m.Name = parts[n]
	if n > 0 && (template || isType(parts[n-1], m.Name)) {
		m.Type = parts[n-1]
		n--
	}
	m.Scope = strings.Join(parts[:n], "::")
	return qualified(m, parts)
}

// qualified sets the short name of a method: the last informative qualifier in path, and the
// method's own name.
func qualified(m Method, path []string) Method {
	m.short = m.Name
	if m.Type != "" {
		m.short = m.Type + "::" + m.Name
		return m
	}
	for i := len(path) - 2; i >= 0; i-- {
		if p := path[i]; p != "" && p[0] != '(' && p[0] != '{' {
			m.short = p + "::" + m.Name
			break
		}
	}
	return m
}

// cutCPP returns the parts of a function's path, and its parameters with their parentheses.
func cutCPP(text string) (parts []string, params string) {
	start, called := 0, -1 // indices of the current part and of its parameters
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case i == start && strings.HasPrefix(text[i:], "operator"):
			i += operator(text[i:])
		case strings.HasPrefix(text[i:], "::"):
			parts = append(parts, text[start:i])
			i += len("::")
			start, called = i, -1
		case c == '(' && i > start && called < 0:
			called = i
			i = group(text, i)
		case c == '(' || c == '[' || c == '{' || c == '<':
			i = group(text, i)
		case c == ' ' && called < 0 && i+1 < len(text):
			// The text before the path is the result type.
			i++
			parts, start = nil, i
		default:
			i++
		}
	}
	if called < 0 {
		return append(parts, text[start:]), ""
	}
	return append(parts, text[start:called]), text[called:group(text, called)]
}

// symbols are the operators of C++. Longer operators come before their prefixes.
var symbols = strings.Fields("() [] <=> ->* <<= >>= -> << >> <= >= == != && || ++ -- += -= *= /= %= ^= &= |= + - * / % ^ & | ~ ! = < > ,")

// operator returns the length of an operator's name at the start of a text, such as operator<< or
// "operator ". The space may be followed by new, delete, a target type or template arguments, which
// are not counted.
func operator(text string) int {
	n := len("operator")
	for _, symbol := range symbols {
		if strings.HasPrefix(text[n:], symbol) {
			n += len(symbol)
			break
		}
	}
	if strings.HasPrefix(text[n:], " ") { // Examples are operator bool and operator< <int>.
		n++
	}
	return n
}

// withoutArguments removes the arguments from one part of a path. For example, vector<int> becomes
// vector.
func withoutArguments(part string) string {
	switch {
	case strings.HasPrefix(part, "{"):
		return part
	case strings.HasPrefix(part, "operator"):
		if end := operator(part); end < len(part) && part[end] == '<' {
			return strings.TrimSuffix(part[:end], " ")
		}
		return part
	}
	if i := strings.IndexAny(part, "<("); i > 0 {
		return part[:i]
	}
	return part
}

// isType guesses whether a part of a path is a class or a namespace. Classes usually begin with a
// capital letter, end in _t, or have a constructor or an operator.
func isType(part, method string) bool {
	if part == "" {
		return false
	}
	return isUpper(part[0]) || strings.HasSuffix(part, "_t") || part == strings.TrimPrefix(method, "~") ||
		part[0] == '{' || strings.HasPrefix(method, "operator")
}

// isCPP reports whether the text has a form that only C++ writes.
func isCPP(text string) bool {
	open := strings.IndexByte(text, '(')
	if strings.Contains(text, "::") {
		return open >= 0 || strings.ContainsAny(text, "<~") || strings.Contains(text, "::operator")
	}
	if open < 0 && strings.HasSuffix(text, ">") && strings.IndexByte(text, '<') > 0 {
		return true
	}
	return strings.HasPrefix(text, "_Z") || strings.HasPrefix(text, "operator ") || open > 0 && strings.IndexByte(text[open:], ')') > 0 && isIdentifier(withoutArguments(text[:open]))
}

// parseNative reads a symbol without parts. It may be a C function, an address, or a module without
// known symbols.
func parseNative(text string) Method {
	m := Method{Name: text, short: text}
	switch {
	case text == unknown:
	case strings.HasPrefix(text, "["):
		m.Module = strings.Trim(text, "[]")
	case strings.ContainsRune(text, '/'):
		m.Module, m.Name = text, lastOf(text, "/")
		m.short = m.Name
	}
	return m
}

// isNative reports whether a text is a symbol without parts.
func isNative(text string) bool {
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "./") {
		return true
	}
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "."), "@")
	text, _, _ = strings.Cut(text, "+0x")
	for _, made := range []string{".isra.", ".part.", ".constprop.", ".cold", ".llvm.", ".lto_priv."} {
		text, _, _ = strings.Cut(text, made)
	}
	for i := range len(text) {
		if c := text[i]; !isNameByte(c) {
			return false
		}
	}
	return text != ""
}
