package folded

import (
	"bytes"
	"unicode/utf8"

	"github.com/diffprof/diffprof/ingest/stacks"
)

// sniffLines is the number of lines that Sniff examines.
const sniffLines = 16

// Sniff reports whether head, the start of a file, looks like folded stacks:
//
//   - The file is plain text. The last line of head may be incomplete.
//   - The first line is a stack with a value, or has at least two frames. A file without values is
//     accepted so that the decoder can give a helpful error.
//   - If the first line has a single frame, the following lines must match too, because any text that
//     ends in a number looks like such a line.
func Sniff(head []byte) bool {
	if !isText(head) {
		return false
	}
	head = bytes.TrimPrefix(head, []byte(stacks.ByteOrderMark))
	alone := false
	for seen := 0; len(head) > 0 && seen < sniffLines; {
		line, rest, whole := bytes.Cut(head, []byte{'\n'})
		head = rest
		stack, last := fields(line)
		if len(stack) == 0 && (len(last) == 0 || isBare(line)) {
			continue
		}
		valued, frames := isValued(stack, last)
		like := (valued || frames > 1) && !isMarkup(line)
		// An incomplete line counts only if it is the only line.
		if !like && (whole || seen == 0) {
			return false
		}
		if seen++; frames > 1 {
			return true
		}
		alone = true
	}
	return alone
}

// isBare reports whether a line has an empty stack, a space and a value.
func isBare(line []byte) bool {
	number := bytes.TrimSpace(line)
	return len(number) > 0 && line[0] == ' ' && len(bytes.Trim(number, "0123456789")) == 0
}

// isValued reports whether a line has a value. It also counts the line's frames, up to two.
func isValued(stack, last []byte) (valued bool, frames int) {
	number, _, _ := bytes.Cut(last, []byte{'@'})
	valued = len(stack) > 0 && len(number) > 0 && len(bytes.Trim(number, "0123456789.eE+-")) == 0 && isNumeric(number)
	if !valued {
		// The last field is no value, so it belongs to the stack.
		stack = append(bytes.Clone(stack), last...)
	}
	for len(stack) > 0 && frames < 2 {
		var frame []byte
		if frame, stack, _ = cut(stack); len(frame) > 0 {
			frames++
		}
	}
	return valued, frames
}

// isMarkup reports whether a line begins like XML, HTML or JSON. These also contain ';'.
func isMarkup(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	next := bytes.TrimLeft(line[1:], " \t")
	if len(next) == 0 {
		return false
	}
	switch line[0] {
	case '{':
		return next[0] == '"'
	case '[':
		return next[0] == '{' || next[0] == '[' || next[0] == '"'
	case '<':
		return next[0] == '?' || next[0] == '!'
	}
	return false
}

// isText reports whether head is UTF-8 without control characters other than tabs and line ends.
// The last character may be incomplete.
func isText(head []byte) bool {
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return !utf8.FullRune(head[i:])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r':
			return false
		}
		i += n
	}
	return len(head) > 0
}
