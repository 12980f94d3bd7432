package name

import "strings"

// Parse reads a method's name in the notation of a language. If lang is Unknown, it detects the
// language. Decoders call it, and code that reads users' patterns.
//
// A JVM label has the form that [OfClass] and [Method.Label] write. The descriptor starts at the
// first '(' with a ')' after it. The method's name is the text between the last dot and the
// descriptor. <init> and <clinit> are ordinary names. A text without a dot is a name without a
// class. Slashes between packages become dots.
func Parse(text string, lang Lang) Method {
	if lang == Unknown {
		var c Detector
		if m, sure := c.Parse(text); sure {
			return m
		}
		return c.Resolve(text)
	}
	return split(text, lang).method(lang)
}

// A frame is a name without the module and the profiler's mark.
type frame struct {
	text, module, symbol, mark string
}

// Unhashed returns the name or path of a program or library without the hash that Cargo adds, as in
// target/release/deps/app-42c3b59313e7207c. Builds of one program have different hashes.
func Unhashed(file string) string {
	const digits = 16
	at := strings.LastIndexByte(file, '-')
	end := at + 1 + digits
	if at <= 0 || end > len(file) || !isHex(file[at+1:end]) || end < len(file) && file[end] != '.' {
		return file
	}
	return file[:at] + file[end:]
}

// split removes the module before or after a name, and the mark at the end of the name.
func split(text string, lang Lang) frame {
	if lang != JVM {
		text = undotted(text)
	}
	f := frame{text: text, symbol: text}
	f.symbol, f.mark = splitMark(f.symbol)
	f.module, f.symbol = splitModule(f.symbol)
	return f
}

// label returns the text that identifies the frame. It does not depend on the separator that a
// profiler writes between library and symbol.
func (f frame) label() string {
	if f.module != "" {
		return Unhashed(f.module) + "`" + f.symbol + f.mark
	}
	return f.text
}

// undotted removes a leading dot. Some profilers write a dot before native code, as if it had an
// empty class: .itable stub, ./lib/libc.so.
func undotted(s string) string {
	if len(s) > 1 && s[0] == '.' && (isIdentifier(s[1:2]) || s[1] == '/' && isLibrary(s)) {
		return s[1:]
	}
	return s
}

// linked reports whether the text has the form library`symbol, which debuggers write.
func (f frame) linked() bool { return f.module != "" && strings.HasPrefix(f.text, f.module+"`") }

// splitMark removes the profiler's mark at the end of a text, which says how the code ran.
func splitMark(s string) (bare, mark string) {
	if n := len(s); n > 4 && s[n-1] == ']' && s[n-4:n-2] == "_[" {
		return s[:n-4], s[n-4:]
	}
	return s, ""
}

// unknown is the profilers' name for code without symbols.
const unknown = "[unknown]"

// isAddress reports whether a symbol is an address.
func isAddress(symbol string) bool {
	digits, ok := strings.CutPrefix(symbol, "0x")
	return ok && isHex(digits)
}

// IsAddress reports whether the method is code without a symbol: an address, or a whole module.
func (m Method) IsAddress() bool { return m.Name == unknown || isAddress(m.Name) }

// Nameless reports whether the method is an address in a known file, or represents all code of one.
func (m Method) Nameless() bool { return m.Module != "" && m.IsAddress() }

// Unnamed returns the method for all code of the module that has no symbol.
func (m Method) Unnamed() Method {
	file := lastOf(m.Module, "/")
	return Method{Name: unknown, Module: m.Module, Lang: Native, label: file + "`" + unknown, short: file}
}

// inKernel is the mark of kernel functions. kernel is their module.
const (
	inKernel = "_[k]"
	kernel   = "[kernel]"
)

// InKernel reports whether a method is a kernel function or a system call.
func (m Method) InKernel() bool {
	return m.Mark == inKernel || strings.HasPrefix(m.Module, kernel[:len(kernel)-1])
}

// splitModule separates a name from its library. The library is before the name, as in
// libc.so.6`read and libjvm.so.os::malloc, or after it in parentheses.
func splitModule(s string) (module, symbol string) {
	if symbol, ok := strings.CutPrefix(s, "vdso."); ok && symbol != "" {
		return "vdso", symbol // The vdso is not a file. The kernel maps it into each process.
	}
	if before, after, ok := strings.Cut(s, "`"); ok && before != "" && after != "" && !isArity(after) {
		return before, after
	}
	if i := strings.LastIndex(s, " ("); i > 0 && s[len(s)-1] == ')' {
		if in := s[i+2 : len(s)-1]; strings.HasPrefix(in, "[") || isLibrary(in) {
			return in, s[:i]
		}
	}
	i := strings.Index(s, ".so")
	if i <= 0 || strings.ContainsAny(s[:i], " (<:") {
		return "", s
	}
	for i += len(".so"); i+1 < len(s) && s[i] == '.' && isDigit(s[i+1]); {
		for i++; i < len(s) && isDigit(s[i]); i++ {
		}
	}
	if i+1 < len(s) && (s[i] == '.' || s[i] == '!') {
		return s[:i], s[i+1:]
	}
	return "", s
}

// isArity reports whether the text after a backtick is the number of type parameters of a generic
// type of .NET, as in HashSet`1[System.Int64].Add and Enumerable.Where(class Func`2<!!0,bool>).
func isArity(s string) bool {
	digits := 0
	for digits < len(s) && isDigit(s[digits]) {
		digits++
	}
	return digits > 0 && digits < 3 && (digits == len(s) || strings.IndexByte("[<.+(,)&]>", s[digits]) >= 0)
}

// isLibrary reports whether s is the name or path of a shared library.
func isLibrary(s string) bool {
	return strings.HasSuffix(s, ".so") || strings.Contains(s, ".so.") || strings.HasSuffix(s, ".dll") || strings.HasSuffix(s, ".dylib")
}

// method parses the frame's symbol as a name of the language.
func (f frame) method(lang Lang) Method {
	if lang == JVM {
		m := parseJVM(f.text[:len(f.text)-len(f.mark)])
		m.Mark = f.mark
		return m
	}
	m := Method{Name: f.symbol, short: f.symbol}
	if read := parsers[lang]; read != nil {
		m = read(f.symbol)
	}
	m.Lang, m.Mark, m.label = lang, f.mark, f.label()
	switch {
	case f.module != "":
		m.Module = Unhashed(f.module)
	case f.mark == inKernel && m.Module == "":
		m.Module = kernel
	}
	if f.module != "" && (f.symbol == unknown || isAddress(f.symbol)) {
		// Only the library is known, and sometimes the address in it.
		m.short = strings.TrimSuffix(lastOf(m.Module, "/")+"+"+f.symbol, "+"+unknown)
	}
	if n := len(m.short); n == 0 || m.Name == "" || m.short[n-1] == '.' || m.short[n-1] == ':' {
		// The name is truncated or empty.
		m.Scope, m.Type, m.Name, m.Signature = "", "", f.symbol, ""
		if m.short = strings.TrimRight(f.symbol, ".:"); m.short == "" {
			m.short = f.symbol
		}
	}
	return m
}

// group returns the index after the bracket that closes the bracket at s[i], or len(s) if none
// does. The '>' of an arrow is not a closing bracket.
func group(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if s[i] == '>' && s[i-1] == '-' {
				continue
			}
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// cutPath splits s at the separators outside of brackets. It takes linear time.
func cutPath(s, sep string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], sep):
			parts = append(parts, s[start:i])
			i += len(sep)
			start = i
		case s[i] == '(' || s[i] == '[' || s[i] == '{' || s[i] == '<':
			i = group(s, i)
		default:
			i++
		}
	}
	return append(parts, s[start:])
}

// lastOf returns the text after the last separator.
func lastOf(s, sep string) string {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[i+len(sep):]
	}
	return s
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// isIdentifier reports whether s consists of letters, digits, '_' and '$', and does not begin
// with a digit.
func isIdentifier(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isNameByte(c) || c == '-' || c == '+' {
			return false
		}
	}
	return s != "" && !isDigit(s[0])
}
