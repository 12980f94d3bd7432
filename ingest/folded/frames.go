package folded

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// fields splits a line into its stack and its last field. Both are empty for a comment or a blank
// line. For a line with one field, the stack is empty.
func fields(line []byte) (stack, last []byte) {
	line = bytes.Trim(line, " \t\r\n")
	if len(line) == 0 || line[0] == '#' {
		return nil, nil
	}
	at := bytes.LastIndexAny(line, " \t") // The value is short, so this search is short.
	return bytes.TrimRight(line[:at+1], " \t"), line[at+1:]
}

// lastField returns the last field of a stack if it may be a number. It returns nil if the stack
// has only one field.
func lastField(stack []byte) []byte {
	if end := stack[max(len(stack)-1, 0):]; len(end) == 0 || !isDigit(end[0]) && end[0] != '.' {
		return nil // This common case needs no search in a long stack.
	}
	at := bytes.LastIndexAny(stack, " \t")
	if at < 0 {
		return nil
	}
	return stack[at+1:]
}

// commaFields is like fields, but splits a line at its last comma.
func commaFields(line []byte) (stack, last []byte) {
	line = bytes.TrimSpace(line)
	at := bytes.LastIndexByte(line, ',')
	if at < 0 {
		return line, nil
	}
	return line[:at], line[at+1:]
}

// cut splits off the first frame of a stack. own is set if the text after the frame's ';' cannot
// change the frame. It is not set after an incomplete descriptor. The time is linear in the stack,
// because DescriptorLen never reads beyond the next '('.
func cut(stack []byte) (frame, rest []byte, own bool) {
	// Most frames have no parenthesis.
	if end := bytes.IndexByte(stack, ';'); end >= 0 && bytes.IndexByte(stack[:end], '(') < 0 {
		return stack[:end], stack[end+1:], true
	}
	open := -1 // open is the index of the last '(' that does not begin a descriptor.
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

// incomplete reports whether a text that ends with ';' is the start of a descriptor, such as
// "(Lapp/Post;".
func incomplete(text []byte) bool {
	var room [256]byte
	return name.DescriptorLen(append(append(room[:0], text...), ")V"...)) > len(text)
}

// A lastStack has the text and the frames of the previous stack.
type lastStack struct {
	text   []byte
	frames []known
}

// known is a frame of the previous stack, with its method and line. The next frame begins at offset
// end.
type known struct {
	end    int
	method trace.MethodID
	line   int32
	own    bool
}

// The methods of an empty frame and of a thread.
const (
	noMethod trace.MethodID = -1 - iota
	threadName
)

// reuse returns the frames that the stack shares with the previous stack. The given stack becomes
// the previous one, and the caller appends its remaining frames to l.frames.
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

// isNumeric reports whether an invalid value looks like an attempt at a number.
func isNumeric(field []byte) bool {
	s := bytes.TrimLeft(field, "+-.")
	return len(s) > 0 && '0' <= s[0] && s[0] <= '9'
}

// quote quotes the start of a text, which may be long and may contain any characters.
func quote(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}
