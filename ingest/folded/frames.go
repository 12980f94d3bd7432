package folded

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// fields parts a line into its stack and its last field. A comment and a blank
// line have neither; a line of one field has no stack.
func fields(line []byte) (stack, last []byte) {
	line = bytes.Trim(line, " \t\r\n")
	if len(line) == 0 || line[0] == '#' {
		return nil, nil
	}
	at := bytes.LastIndexAny(line, " \t")
	return bytes.TrimRight(line[:at+1], " \t"), line[at+1:]
}

// cut parts the first frame from the rest of a stack. It takes time linear in the
// stack: DescriptorLen never looks beyond the next '('.
func cut(stack []byte) (frame, rest []byte) {
	for i := 0; i < len(stack); i++ {
		switch stack[i] {
		case '(':
			// A descriptor belongs to a name.
			if i > 0 {
				i += max(0, name.DescriptorLen(stack[i:])-1)
			}
		case ';':
			return stack[:i], stack[i+1:]
		}
	}
	return stack, nil
}

// methodOf reads a frame. Only JVM names are taken apart; any other text is the
// name of a method without a class.
func methodOf(frame string) name.Method {
	path, desc := frame, ""
	if i := strings.IndexByte(frame, '('); i >= 0 {
		path, desc = frame[:i], frame[i:]
		if n := name.DescriptorLen(desc); n == 0 || unmarked(desc[n:]) != "" {
			return name.Method{Name: frame}
		}
	}
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || !isClass(path[:dot]) || !isMethod(unmarked(path[dot+1:])) {
		return name.Method{Name: frame}
	}
	return name.OfClass(strings.ReplaceAll(path[:dot], "/", "."), path[dot+1:], desc)
}

// unmarked takes off the mark that profilers end a frame with to say how its code
// ran: _[j] compiled, _[i] inlined, _[k] kernel. The mark stays part of the label.
func unmarked(s string) string {
	if n := len(s); n >= 4 && s[n-1] == ']' && s[n-4:n-2] == "_[" {
		return s[:n-4]
	}
	return s
}

// isNameByte says whether c may stand in a name of the JVM: letters, digits and
// what compilers put into the names they make up.
func isNameByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c >= 0x80:
		return true
	}
	return c == '_' || c == '$' || c == '-' || c == '+'
}

// isClass says whether s is names parted by dots or slashes.
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

func isMethod(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return s == "<init>" || s == "<clinit>"
		}
	}
	return s != ""
}

// isThread says whether a first frame names a thread.
func isThread(frame []byte) bool {
	return len(frame) > 2 && frame[0] == '[' && frame[len(frame)-1] == ']'
}

// cutLast parts s at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// isNumeric says whether a field that is no value was meant as one.
func isNumeric(field []byte) bool {
	s := bytes.TrimLeft(field, "+-.")
	return len(s) > 0 && '0' <= s[0] && s[0] <= '9'
}

// quote shows the beginning of a text that may be long and hold anything.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}
