package name

import "strings"

// parseGo reads a Go symbol: the package path, a dot, and a function, T.method or (*T).method. Type
// arguments are in brackets. Closures end with func1 and the like, and method values end with -fm.
func parseGo(text string) Method {
	path, rest := cutPackage(text)
	if path == "" {
		return Method{Name: text, short: text}
	}
	m := Method{Scope: path, Name: rest}
	parts := cutPath(strings.TrimSuffix(rest, "-fm"), ".")
	for i, p := range parts {
		if at := strings.IndexByte(p, '['); at >= 0 {
			m.Signature = p[at:]
			p = p[:at]
			if strings.HasPrefix(p, "(") {
				p += ")"
				m.Signature = strings.TrimSuffix(m.Signature, ")")
			}
			parts[i] = p
		}
	}
	receiver := parts[0]
	pointer := strings.HasPrefix(receiver, "(") && strings.HasSuffix(receiver, ")")
	if len(parts) > 1 && (pointer || receiver != "" && receiver != "init" && !isGeneratedByGo(parts[1])) {
		m.Type, m.Name = receiver, strings.Join(parts[1:], ".")
		if pointer {
			m.Type = receiver[1 : len(receiver)-1]
		}
		m.short = receiver + "." + m.Name
		return m
	}
	m.Name = strings.Join(parts, ".")
	m.short = lastOf(path, "/") + "." + m.Name
	return m
}

// cutPackage splits a Go symbol into the package path and the rest, at the first dot after the last
// slash. Type arguments may contain slashes.
func cutPackage(text string) (path, rest string) {
	end := strings.IndexAny(text, "([")
	if end < 0 {
		end = len(text)
	}
	from := strings.LastIndexByte(text[:end], '/') + 1
	i := strings.IndexByte(text[from:], '.')
	if i <= 0 || from+i+1 == len(text) {
		return "", text
	}
	return text[:from+i], text[from+i+1:]
}

// isGeneratedByGo reports whether the compiler generated a part of a name, such as func1, gowrap2
// or 3.
func isGeneratedByGo(part string) bool {
	base := strings.TrimRight(part, "0123456789")
	return base == "" || base != part && (base == "func" || base == "gowrap" || base == "deferwrap")
}

// isGo reports whether the text has a form that only Go writes.
func isGo(text string) bool {
	if strings.Contains(text, "[go.shape.") || strings.HasPrefix(text, "type:.") {
		return true
	}
	if strings.Contains(text, ".(*") {
		return !strings.ContainsAny(text[:strings.Index(text, ".(*")], " :(")
	}
	path, rest := cutPackage(text)
	if path == "" || strings.ContainsAny(path, " :;<>!$") || path[0] == '/' || path[0] == '.' {
		return false
	}
	last := lastOf(path, "/")
	parts := strings.Split(rest, ".")
	switch {
	case strings.ContainsAny(rest, " :(<"):
		return false
	case len(last) < len(path):
		// A JVM path with slashes ends with a class, so its last part begins with a capital letter.
		return last != "" && isLower(last[0]) && (len(last) > 2 || strings.Contains(path, "."))
	case path == "runtime" || path == "main":
		return len(parts) == 1 || len(parts) > 1 && isGeneratedByGo(parts[1])
	}
	return strings.HasPrefix(rest, "glob..func") || len(parts) > 1 && strings.HasPrefix(parts[len(parts)-1], "func") && isGeneratedByGo(parts[len(parts)-1])
}
