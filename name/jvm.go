package name

import "strings"

// parseJVM reads class.method with a descriptor. Perf maps of compiled methods have "::" before the
// method. They write the class as java/lang/Thread: or Ljava/lang/Thread;. Some perf maps have a
// dot after the class, as in Ljava/lang/Thread;.run.
func parseJVM(text string) Method {
	path, desc := text, ""
	if i := strings.IndexByte(text, '('); i > 0 && strings.IndexByte(text[i:], ')') > 0 {
		path, desc = text[:i], text[i:]
	}
	if class, method, ok := mapName(path); ok {
		path = class + "." + method
	}
	if strings.IndexByte(path, '/') >= 0 {
		path = strings.ReplaceAll(path, "/", ".")
	}
	i := strings.LastIndexByte(path, '.')
	// A dot at the start or end of the text is not a separator.
	if i <= 0 || i == len(path)-1 {
		return OfClass("", path, desc)
	}
	return OfClass(path[:i], path[i+1:], desc)
}

// mapName splits a name in the notation of perf maps.
func mapName(path string) (class, method string, ok bool) {
	if class, method, ok = strings.Cut(path, ";."); ok && strings.HasPrefix(class, "L") {
		// perf-map-agent writes Lorg/mine/Feed;.load.
		class = class[1:]
		return class, method, isClass(class) && isMethod(method)
	}
	class, method, ok = strings.Cut(path, ":.")
	if !ok {
		class, method, ok = strings.Cut(path, "::")
		if inner, found := strings.CutSuffix(class, ";"); found && strings.HasPrefix(inner, "L") {
			class = inner[1:]
		} else if class == "" || !isLower(class[0]) {
			return "", "", false
		}
	}
	return class, method, ok && strings.ContainsAny(class, "./") && isClass(class) && isMethod(method)
}

// isJVM reports whether the text has a form that only the JVM writes: a descriptor, a name from a
// perf map, a constructor, or lower-case packages with an upper-case class.
func isJVM(text string) bool {
	path, _, called := strings.Cut(text, "(")
	if called && DescriptorLen(text[len(path):]) != len(text)-len(path) {
		return false
	}
	if _, _, ok := mapName(path); ok {
		return true
	}
	if method, ok := strings.CutPrefix(path, "*."); ok && isMethod(method) {
		return true // a callback without its class
	}
	if called || !isDotted(path) {
		return called && isDotted(path)
	}
	class := path[:strings.LastIndexByte(path, '.')]
	if strings.HasSuffix(path, "init>") {
		return true // no other language has such method names
	}
	at := strings.LastIndexAny(class, "./") + 1
	if !isUpper(class[at]) && strings.IndexByte(class, '$') <= at || !isLower(path[0]) {
		return false
	}
	dots, slashes := strings.Count(class, "."), strings.Count(class, "/")
	return slashes == 0 && dots >= 2 || slashes > 0 && dots == 0
}

// isDotted reports whether s is a sequence of names separated by dots and slashes, with a dot
// before the last name. The JVM, Go and other languages write such names.
func isDotted(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	return dot > 0 && isClass(s[:dot]) && isMethod(s[dot+1:])
}

// isClass reports whether s is a sequence of names separated by dots or slashes.
func isClass(s string) bool {
	parted := true
	for i := range len(s) {
		switch c := s[i]; {
		case isNameByte(c):
			parted = false
		case (c == '.' || c == '/') && !parted:
			parted = true
		default:
			return false
		}
	}
	return !parted
}

// isMethod reports whether s may be the name of a method.
func isMethod(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return s == "<init>" || s == "<clinit>"
		}
	}
	return s != ""
}
