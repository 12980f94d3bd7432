package folded

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// fields splits a line into its stack and its last field. Both are empty for a comment and for a
// blank line. A line with one field has an empty stack.
func fields(line []byte) (stack, last []byte) {
	line = bytes.Trim(line, " \t\r\n")
	if len(line) == 0 || line[0] == '#' {
		return nil, nil
	}
	at := bytes.LastIndexAny(line, " \t") // The value is short, so this search is short.
	return bytes.TrimRight(line[:at+1], " \t"), line[at+1:]
}

// lastField returns the last field of a stack if it may be a number. It returns nil if the stack has one
// field.
func lastField(stack []byte) []byte {
	if end := stack[max(len(stack)-1, 0):]; len(end) == 0 || !isDigit(end[0]) && end[0] != '.' {
		return nil // This is the usual case, and needs no search in a long stack.
	}
	at := bytes.LastIndexAny(stack, " \t")
	if at < 0 {
		return nil
	}
	return stack[at+1:]
}

// commaFields splits a line at its last comma. It is like fields, which splits at white space.
func commaFields(line []byte) (stack, last []byte) {
	line = bytes.TrimSpace(line)
	at := bytes.LastIndexByte(line, ',')
	if at < 0 {
		return line, nil
	}
	return line[:at], line[at+1:]
}

// cut splits off the first frame of a stack. It takes time linear in the stack, because
// DescriptorLen never reads beyond the next '('. own reports that the frame does not depend on the
// text after its ';'. A frame with an incomplete descriptor depends on that text.
func cut(stack []byte) (frame, rest []byte, own bool) {
	// Most frames have no parenthesis.
	if end := bytes.IndexByte(stack, ';'); end >= 0 && bytes.IndexByte(stack[:end], '(') < 0 {
		return stack[:end], stack[end+1:], true
	}
	open := -1 // open is the last '(' that does not begin a descriptor.
	for i := 0; i < len(stack); i++ {
		switch stack[i] {
		case '(':
			// A descriptor must follow a name.
			if i > 0 {
				open = -1
				if n := name.DescriptorLen(stack[i:]); n > 0 {
					i += n - 1
				} else {
					open = i
				}
			}
		case ';':
			return stack[:i], stack[i+1:], open < 0 || !incomplete(stack[open:i+1])
		}
	}
	return stack, nil, false
}

// incomplete reports whether a text that ends with ';' could become a descriptor if more text
// followed. The ';' must then end the type of a parameter, so the result type may follow.
func incomplete(text []byte) bool {
	var room [256]byte
	return name.DescriptorLen(append(append(room[:0], text...), ")V"...)) > len(text)
}

// A lastStack has the stack of the previous line and the frames of that stack.
type lastStack struct {
	text   []byte
	frames []known
}

// A known is a frame of the previous stack, with its method and line. It also has the offset of the
// frame after it.
type known struct {
	end    int
	method trace.MethodID
	line   int32
	own    bool
}

// These values mean a frame without a method: nothing, or a thread.
const (
	noMethod trace.MethodID = -1 - iota
	threadName
)

// reuse returns the frames that a stack has in common with the previous stack. The stack becomes
// the previous stack, with these frames. The caller adds the other frames.
func (l *lastStack) reuse(stack []byte) []known {
	common := commonPrefix(l.text, stack)
	n := 0
	for n < len(l.frames) && l.frames[n].own && l.frames[n].end <= common {
		n++
	}
	l.text = append(l.text[:common], stack[common:]...)
	l.frames = l.frames[:n]
	return l.frames
}

// commonPrefix returns the length of the common prefix of two texts.
func commonPrefix(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	const block = 64
	for n+block <= most && string(a[n:n+block]) == string(b[n:n+block]) {
		n += block
	}
	for n+8 <= most && binary.LittleEndian.Uint64(a[n:]) == binary.LittleEndian.Uint64(b[n:]) {
		n += 8
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// isThread reports whether a first frame is the name of a thread.
func isThread(frame []byte) bool {
	return len(frame) > 2 && frame[0] == '[' && frame[len(frame)-1] == ']'
}

// cutLast splits s at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// isNumeric reports whether an invalid value was intended as a number.
func isNumeric(field []byte) bool {
	s := bytes.TrimLeft(field, "+-.")
	return len(s) > 0 && '0' <= s[0] && s[0] <= '9'
}

// quote quotes the start of a text. The text may be long and contain any characters.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}
