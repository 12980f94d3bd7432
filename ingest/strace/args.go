package strace

import (
	"bytes"

	"github.com/diffprof/diffprof/ingest/stacks"
)

// parts splits the arguments of a system call at the commas that separate them.
func parts(into [][]byte, args []byte) [][]byte {
	into = into[:0]
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(args); i++ {
		switch c := args[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			depth--
		case c == ',' && depth <= 0:
			into = append(into, bytes.TrimSpace(args[start:i]))
			start = i + 1
		}
	}
	return append(into, bytes.TrimSpace(args[start:]))
}

// part returns an argument by its index, or an empty argument if there are fewer.
func part(args [][]byte, i int) []byte {
	if i >= len(args) {
		return nil
	}
	return args[i]
}

// readDescriptor parses a file descriptor and the annotation of -y or -yy, as in 3</tmp/a> and
// 5<TCP:[...]>.
func readDescriptor(text []byte) (fd int64, note []byte, ok bool) {
	digits := text
	if i := bytes.IndexByte(text, '<'); i >= 0 {
		digits = text[:i]
		note = text[i+1:]
		if end := bytes.LastIndexByte(note, '>'); end >= 0 {
			note = note[:end]
		}
	}
	fd, ok = number(digits)
	return fd, note, ok
}

// count parses the number at the start of a result. It returns false if the call failed.
func count(result []byte) (int64, bool) {
	w, _ := cutWord(result)
	n, _, ok := readDescriptor(w)
	return n, ok
}

// failure returns the name of the error in a result, such as EINPROGRESS.
func failure(result []byte) string {
	first, rest := cutWord(result)
	if string(first) != "-1" {
		return ""
	}
	name, _ := cutWord(rest)
	return string(name)
}

// text returns the first quoted text of an argument, with its escapes resolved.
func text(arg []byte) string {
	i := bytes.IndexByte(arg, '"')
	if i < 0 {
		return ""
	}
	var out []byte
	for arg = arg[i+1:]; len(arg) > 0 && arg[0] != '"'; {
		if arg[0] != '\\' || len(arg) < 2 {
			out, arg = append(out, arg[0]), arg[1:]
			continue
		}
		c, n := escaped(arg[1:])
		out, arg = append(out, c), arg[1+n:]
	}
	return string(bytes.ToValidUTF8(out, []byte("\uFFFD")))
}

// escaped parses the part of an escape sequence after the backslash. It returns the character and
// the length of that part.
func escaped(after []byte) (c byte, n int) {
	if i := bytes.IndexByte([]byte("ntrvf"), after[0]); i >= 0 {
		return "\n\t\r\v\f"[i], 1
	}
	if after[0] == 'x' && len(after) >= 3 {
		if v, ok := stacks.Hexadecimal(after[1:3]); ok {
			return byte(v), 3
		}
	}
	for n < min(3, len(after)) && '0' <= after[n] && after[n] <= '7' {
		c = c<<3 | (after[n] - '0')
		n++
	}
	if n == 0 {
		return after[0], 1
	}
	return c, n
}

// within returns the part of text between before and after, or nil if one of them is missing.
func within(text []byte, before, after string) []byte {
	_, rest, ok := bytes.Cut(text, []byte(before))
	if !ok {
		return nil
	}
	inside, _, ok := bytes.Cut(rest, []byte(after))
	if !ok {
		return nil
	}
	return inside
}
