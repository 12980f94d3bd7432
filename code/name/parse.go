package name

import "strings"

// Parse reads a method's name as the language writes it. For Unknown it takes the
// language that the text shows. It is for the readers of formats and for patterns
// that users write.
//
// A label of the JVM is read as [OfClass] and [Method.Label] write it: the
// descriptor starts at the first '(' that is followed by a ')'; the method's name
// is what follows the last dot before it; <init> and <clinit> are names like any
// other. A text without a dot is a name without a class. Slashes between packages
// become dots.
func Parse(text string, lang Lang) Method {
	if lang == Unknown {
		var c Census
		if m, sure := c.Read(text); sure {
			return m
		}
		return c.Settle(text)
	}
	return split(text, lang).method(lang)
}

// A frame is a text with what profilers write around names taken off.
type frame struct {
	text, module, symbol, mark string
}

// split takes off the module before or after a name, and the mark at its end.
func split(text string, lang Lang) frame {
	if lang != JVM {
		text = undotted(text)
	}
	f := frame{text: text, symbol: text}
	f.symbol, f.mark = splitMark(f.symbol)
	f.module, f.symbol = splitModule(f.symbol)
	return f
}

// label is the text that the frame is compared by: whatever profilers write between a
// library and a symbol, it is the same.
func (f frame) label() string {
	if f.module != "" {
		return f.module + "`" + f.symbol + f.mark
	}
	return f.text
}

// undotted takes off the dot by which some profilers join native code to a class that it
// does not have: .itable stub, ./lib/libc.so.
func undotted(s string) string {
	if len(s) > 1 && s[0] == '.' && (isIdentifier(s[1:2]) || s[1] == '/' && isLibrary(s)) {
		return s[1:]
	}
	return s
}

// linked says whether a library stands before a name, as debuggers write it: then the name
// is a symbol of the library.
func (f frame) linked() bool { return f.module != "" && strings.HasPrefix(f.text, f.module+"`") }

// splitMark parts a text from the mark that profilers end it with to say how its
// code ran.
func splitMark(s string) (bare, mark string) {
	if n := len(s); n > 4 && s[n-1] == ']' && s[n-4:n-2] == "_[" {
		return s[:n-4], s[n-4:]
	}
	return s, ""
}

// unknown is what profilers write for code that nothing names.
const unknown = "[unknown]"

// isAddress says whether a symbol is an address.
func isAddress(symbol string) bool {
	digits, ok := strings.CutPrefix(symbol, "0x")
	return ok && isHex(digits)
}

// IsAddress reports whether the method is code that nothing names: an address, or all of a module.
func (m Method) IsAddress() bool { return m.Name == unknown || isAddress(m.Name) }

// Unnamed returns what stands for all code of the method's module that nothing names.
func (m Method) Unnamed() Method {
	file := lastOf(m.Module, "/")
	return Method{Name: unknown, Module: m.Module, Lang: Native, label: file + "`" + unknown, short: file}
}

// inKernel is the mark of the kernel's functions, and kernel the module that they then have.
const (
	inKernel = "_[k]"
	kernel   = "[kernel]"
)

// InKernel says whether a method is a function of the kernel, or a system call.
func (m Method) InKernel() bool {
	return m.Mark == inKernel || strings.HasPrefix(m.Module, kernel[:len(kernel)-1])
}

// splitModule parts a name from the library that has it, which stands before the
// name, as in libc.so.6`read and libjvm.so.os::malloc, or behind it in parentheses.
func splitModule(s string) (module, symbol string) {
	if symbol, ok := strings.CutPrefix(s, "vdso."); ok && symbol != "" {
		return "vdso", symbol // what the kernel maps into each process, which is no file
	}
	if before, after, ok := strings.Cut(s, "`"); ok && before != "" && after != "" {
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

// isLibrary says whether a text is the name or path of a shared library.
func isLibrary(s string) bool {
	return strings.HasSuffix(s, ".so") || strings.Contains(s, ".so.") || strings.HasSuffix(s, ".dll") || strings.HasSuffix(s, ".dylib")
}

// method reads the frame's symbol as a name of the language.
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
		m.Module = f.module
	case f.mark == inKernel && m.Module == "":
		m.Module = kernel
	}
	if f.module != "" && (f.symbol == unknown || isAddress(f.symbol)) {
		// All that is known is the library, and perhaps the place in it.
		m.short = strings.TrimSuffix(lastOf(f.module, "/")+"+"+f.symbol, "+"+unknown)
	}
	if n := len(m.short); n == 0 || m.Name == "" || m.short[n-1] == '.' || m.short[n-1] == ':' {
		// A name that was cut off, or is none.
		m.Scope, m.Type, m.Name, m.Signature = "", "", f.symbol, ""
		if m.short = strings.TrimRight(f.symbol, ".:"); m.short == "" {
			m.short = f.symbol
		}
	}
	return m
}

// group returns the index after the bracket that closes the one at s[i], len(s) if
// none does. The '>' of an arrow closes nothing.
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

// cutPath parts s at the separators that lie in no brackets. It takes time linear
// in s.
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

// lastOf is what follows the last separator of a text.
func lastOf(s, sep string) string {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[i+len(sep):]
	}
	return s
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// isIdentifier says whether s is letters, digits, '_' and '$', and begins with no
// digit.
func isIdentifier(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isNameByte(c) || c == '-' || c == '+' {
			return false
		}
	}
	return s != "" && !isDigit(s[0])
}
