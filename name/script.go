package name

import (
	"slices"
	"strconv"
	"strings"
)

// A place is a function with its file and line, as in "load (feed.js:10)".
type place struct {
	function, path string
	line           int
}

// method returns the method at a place. Its scope is the module, or the path of the file
// without its extension.
func (p place) method() Method {
	p.path = Slashed(p.path)
	m := Method{Scope: p.path, Name: p.function, Module: p.path, Line: p.line, short: p.function}
	if isPythonFile(p.path) || isJavaScriptFile(p.path) {
		file := lastOf(p.path, "/")
		if ext := extension(file); isIdentifier(strings.TrimPrefix(ext, ".")) {
			m.Scope, m.File = strings.TrimSuffix(p.path, ext), file
		}
	}
	if isDotted(p.function) {
		i := strings.LastIndexByte(p.function, '.')
		m.Name = p.function[i+1:]
		if p.path == "" {
			m.Scope = p.function[:i]
		} else {
			m.Type = p.function[:i]
		}
	}
	return m
}

// Slashed returns a path of Windows as a URL has it: /C:/app/feed.js for C:\app\feed.js. Other paths
// stay as they are.
func Slashed(path string) string {
	if len(path) > 2 && path[1] == ':' && path[2] == '\\' {
		return "/" + strings.ReplaceAll(path, `\`, "/")
	}
	return path
}

// OfScript returns a JavaScript function. Its name, the path or URL of its script, and its first
// line may each be unknown. Lines change between versions, so the line is part of the label only if
// the function has no name.
func OfScript(function, path string, line int) Method {
	if path == "" && function != "" {
		return Method{Name: function} // a function of the engine
	}
	path = strings.TrimPrefix(path, "file://")
	path = Slashed(path)
	where := path
	if function == "" {
		function = "(anonymous)"
		if line > 0 {
			where += ":" + strconv.Itoa(line)
		}
	}
	m := place{function, path, line}.method()
	m.Lang, m.label = JavaScript, function
	if where != "" {
		m.label += " (" + where + ")"
	}
	return m
}

// Moved returns the method as a function of a script at another path. scope is the new path, and
// shown is the path in the label, both without an extension. The label loses V8's tier (see
// Tiered), because tiers differ between runs.
func (m Method) Moved(scope, shown string) Method {
	ext := extension(m.File)
	m.Scope, m.Module, m.label = scope, scope+ext, m.short+" ("+shown+ext
	if m.Lang == JavaScript && m.short == "(anonymous)" && m.Line > 0 {
		m.label += ":" + strconv.Itoa(m.Line)
	}
	m.label += ")"
	return m
}

// Tiered reports whether the function's name has a tier of V8, such as JS:* for optimized code.
func (m Method) Tiered() bool {
	return m.Lang == JavaScript && m.File != "" && slices.ContainsFunc(tiers, func(tier string) bool { return strings.HasPrefix(m.label, tier) })
}

// extension returns the end of a file name from its last dot.
func extension(file string) string {
	if i := strings.LastIndexByte(file, '.'); i > 0 {
		return file[i:]
	}
	return ""
}

// cutLine removes ':' and a line number from the end of a text. The number is 0 if there is none.
func cutLine(s string) (rest string, line int) {
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		if n, err := strconv.Atoi(s[i+1:]); err == nil && n >= 0 {
			return s[:i], n
		}
	}
	return s, 0
}

// parsePython reads function (file.py:12), file.py:function:12, and
// module:function.
func parsePython(text string) Method {
	p, ok := pythonPlace(text)
	if !ok {
		module, function, found := strings.Cut(text, ":")
		if !found {
			return place{function: text}.method()
		}
		p = place{function: function, path: module}
	}
	return p.method()
}

func isPython(text string) bool {
	_, ok := pythonPlace(text)
	return ok
}

func pythonPlace(text string) (place, bool) {
	if rest, ok := strings.CutPrefix(text, "py::"); ok {
		// Python writes this form when it runs under perf.
		function, path, ok := strings.Cut(rest, ":")
		return place{function, path, 0}, ok
	}
	if i := strings.LastIndex(text, " ("); i > 0 && text[len(text)-1] == ')' {
		path, line := cutLine(text[i+2 : len(text)-1])
		return place{text[:i], path, line}, isPythonFile(path)
	}
	text, line := cutLine(text)
	i := strings.LastIndexByte(text, ':')
	if i < 0 || i == len(text)-1 {
		return place{}, false
	}
	return place{text[i+1:], text[:i], line}, isPythonFile(text[:i])
}

func isPythonFile(path string) bool {
	return strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".pyx") || strings.HasPrefix(path, "<frozen ")
}

// tiers are the prefixes of the names that V8 gives to compiled code.
var tiers = []string{"LazyCompile:", "Function:", "JS:", "Script:", "Eval:", "Builtin:", "BytecodeHandler:", "RegExp:"}

// parseJavaScript reads function file.js:10:3, function (file.js:10:3) and file.js:function:10. V8
// may write a prefix before them, which states how the code was compiled.
func parseJavaScript(text string) Method {
	p, ok := javaScriptPlace(text)
	if !ok {
		p = place{function: text}
	}
	return p.method()
}

func isJavaScript(text string) bool {
	_, ok := javaScriptPlace(text)
	return ok
}

func javaScriptPlace(text string) (place, bool) {
	compiled := false
	for _, tier := range tiers {
		if rest, ok := strings.CutPrefix(text, tier); ok {
			text, compiled = strings.TrimLeft(rest, "*~^+"), true
			break
		}
	}
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		path, line := javaScriptFile(strings.Trim(text[i+1:], "()"))
		function := strings.TrimLeft(text[:i], "*~^")
		if function == "" {
			function = "(anonymous)"
		}
		return place{function, path, line}, isJavaScriptFile(path)
	}
	path, line := cutLine(text)
	if i := strings.LastIndexByte(path, ':'); i > 0 && i < len(path)-1 && isJavaScriptFile(path[:i]) {
		return place{path[i+1:], path[:i], line}, true
	}
	return place{function: text}, compiled && text != ""
}

// javaScriptFile splits a text into path and line. It drops the column.
func javaScriptFile(s string) (path string, line int) {
	path, line = cutLine(s)
	if file, first := cutLine(path); file != path {
		return file, first
	}
	return path, line
}

// isJavaScriptFile reports whether a path is a script or a built-in module of Node.
func isJavaScriptFile(path string) bool {
	// node::Start is a C++ function.
	return strings.HasPrefix(path, "node:") && len(path) > len("node:") && path[len("node:")] != ':' ||
		slices.Contains([]string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx"}, extension(lastOf(path, "/")))
}
