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

// commaFields parts a line at its last comma, as fields does at its last white space.
func commaFields(line []byte) (stack, last []byte) {
	line = bytes.TrimSpace(line)
	at := bytes.LastIndexByte(line, ',')
	if at < 0 {
		return line, nil
	}
	return line[:at], line[at+1:]
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
