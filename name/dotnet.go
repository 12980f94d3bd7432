package name

import "strings"

// parseDotNet reads the names that .NET's profilers write: Namespace!Type.Method and
// Assembly!Namespace.Type.Method(parameters). Perf maps have void [Assembly]
// Namespace.Type::Method(parameters)[Tier].
func parseDotNet(text string) Method {
	var m Method
	if at := strings.Index(text, "] "); at >= 0 {
		open := strings.LastIndexByte(text[:at], '[') + 1
		m.Module, text = text[open:at], text[at+2:]
	}
	scope := ""
	if parts := cutPath(text, "!"); len(parts) > 1 {
		scope, text = parts[0], strings.Join(parts[1:], "!")
	}
	path := text
	if i := callAt(text); i >= 0 {
		path, m.Signature = text[:i], text[i:group(text, i)]
		m.Module, scope = scope, ""
	}
	separator := "."
	parts := cutPath(path, "::")
	if len(parts) == 2 {
		separator = "::"
		parts = append(cutPath(parts[0], "."), parts[1])
	} else {
		parts = cutPath(path, ".")
	}
	n := len(parts) - 1
	if n > 1 && parts[n-1] == "" {
		// Type..ctor is the method .ctor in Type.
		parts = append(parts[:n-1], "."+parts[n])
		n--
	}
	if i := typeAt(parts); i < n-1 {
		parts = append(parts[:i+1], bare(parts[i+1:]))
		n = i + 1
	}
	for i, p := range parts[:n] {
		parts[i] = nested(p)
	}
	if m.Name = withoutGenerics(parts[n]); m.Signature == "" {
		m.Signature = parts[n][len(m.Name):]
	}
	types := parts[:n]
	if m.Scope = scope; scope == "" && n > 1 {
		m.Scope, types = strings.Join(parts[:n-1], "."), parts[n-1:n]
	}
	m.Type = strings.Join(types, ".")
	if m.Scope == "" && m.Type == "dynamicClass" {
		m.Scope = m.Module // The assembly made the method while it ran.
	}
	if m.short = m.Name; m.Type != "" {
		m.short = m.Type + separator + m.Name
	}
	return m
}

// callAt returns the index of the parenthesis that opens the parameters, or -1.
func callAt(text string) int {
	for i := 0; i < len(text); {
		switch text[i] {
		case '(':
			return i
		case '<', '[':
			i = group(text, i)
		default:
			i++
		}
	}
	return -1
}

// typeAt returns the index of the type in the parts of a path. The part before the method is the
// type, unless the method implements an interface explicitly: Bag`1[T].System.IDisposable.Dispose.
// A generic type has a backtick. The name of an interface begins with System, or like the path.
func typeAt(parts []string) int {
	n := len(parts) - 1
	for i := range n - 1 {
		next := parts[i+1]
		if strings.Contains(parts[i], "`") || i > 0 && i+3 <= n && (next == "System" || next == "Microsoft" || next == parts[0]) {
			return i
		}
	}
	return n - 1
}

// nested returns the name of a type, with dots between it and its nested types, and without generic
// arguments: HashSet.Enumerator for HashSet`1+Enumerator[System.Int64].
func nested(part string) string { return bare(cutPath(part, "+")) }

// bare joins parts with dots, without their generic arguments.
func bare(parts []string) string {
	for i, p := range parts {
		parts[i] = withoutGenerics(p)
	}
	return strings.Join(parts, ".")
}

// withoutGenerics removes the generic arguments from a name. The name may begin with a
// compiler-generated part in angle brackets, as in <Invoke>d__4<TResult>.
func withoutGenerics(part string) string {
	from := 0
	if strings.HasPrefix(part, "<") {
		from = group(part, 0)
	}
	if i := strings.IndexAny(part[from:], "<[`"); i > 0 {
		return part[:from+i]
	}
	return part
}

// isDotNet reports whether the text has a form that only .NET writes.
func isDotNet(text string) bool {
	if scope, method, ok := strings.Cut(text, "!"); ok {
		return (isClass(scope) || scope == "") && method != "" && !strings.Contains(scope, "/")
	}
	if _, arity, ok := strings.Cut(text, "`"); ok && isArity(arity) {
		return true
	}
	if at := strings.Index(text, "] "); at > 0 && strings.Contains(text[at:], "::") {
		return strings.LastIndexByte(text[:at], '[') >= 0
	}
	path, _, _ := strings.Cut(text, "(")
	if class, _, ok := strings.Cut(path, "::"); ok {
		return class != "" && isUpper(class[0]) && strings.Contains(class, ".") && isClass(class)
	}
	return (strings.HasPrefix(path, "System.") || strings.HasPrefix(path, "Microsoft.")) && isDotted(path)
}
