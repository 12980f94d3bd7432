package folded

import (
	"bytes"
	"unicode/utf8"

	"github.com/diffprof/diffprof/ingest/stacks"
)

// sniffLines is how many lines Sniff looks at.
const sniffLines = 16

// Sniff says whether head, the beginning of a file, looks like folded stacks. Its
// last line may be cut off. It must be plain text, and its first line a stack with
// a value, or at least two frames, so that a file whose author forgot the values
// is told so rather than not known. Where the first line has a single frame, which
// any text that ends in a number has, the lines that follow have to look alike.
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
		if len(stack) == 0 && len(last) == 0 {
			continue
		}
		valued, frames := isValued(stack, last)
		like := (valued || frames > 1) && !isMarkup(line)
		// A cut-off line proves nothing unless it is all there is.
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

// isValued says whether a line has a value, and counts its frames up to two.
func isValued(stack, last []byte) (valued bool, frames int) {
	number, _, _ := bytes.Cut(last, []byte{'@'})
	valued = len(stack) > 0 && len(number) > 0 && len(bytes.Trim(number, "0123456789.eE+-")) == 0 && isNumeric(number)
	if !valued {
		// Without a value the last field is the end of the stack.
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

// isMarkup says whether a line begins as XML, HTML or JSON does; those hold ';' too.
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

// isText says whether head is UTF-8, but for a character cut off at its end,
// without control characters other than tabs and line ends.
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
