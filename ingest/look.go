package ingest

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"unicode/utf8"
)

// These make the tests of looks.

func begins(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

func holds(text string) func([]byte) bool {
	return func(head []byte) bool { return bytes.Contains(head, []byte(text)) }
}

func matches(pattern string) func([]byte) bool {
	return regexp.MustCompile(pattern).Match
}

func all(tests ...func([]byte) bool) func([]byte) bool {
	return func(head []byte) bool {
		for _, is := range tests {
			if !is(head) {
				return false
			}
		}
		return true
	}
}

func either(tests ...func([]byte) bool) func([]byte) bool {
	return func(head []byte) bool {
		for _, is := range tests {
			if is(head) {
				return true
			}
		}
		return false
	}
}

func isJSON(head []byte) bool {
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// isOldPprof says whether head is that of gperftools' CPU profiles: the words 0, 3,
// 0 or 1, a period and 0, of 32 or 64 bits.
func isOldPprof(head []byte) bool {
	for _, size := range []int{4, 8} {
		var words [5]uint64
		for i := 0; i < len(words) && size*(i+1) <= len(head); i++ {
			word := make([]byte, 8)
			copy(word, head[size*i:size*(i+1)])
			words[i] = binary.LittleEndian.Uint64(word)
		}
		if words[0] == 0 && words[1] == 3 && words[2] <= 1 && words[3] > 0 && words[4] == 0 {
			return true
		}
	}
	return false
}

// isJoularJX says whether head has a stack or a method, a comma and a decimal number.
var isJoularJX = matches(`^[\w.$;<>/]+,\d+\.\d+\r?\n`)

// A Perfetto trace is nothing but packets, a pprof profile has other fields beside
// the types of its samples.
func isPerfetto(head []byte) bool {
	first, others, ok := protobuf(head)
	return ok && first > 0 && others == 0
}

func isPprof(head []byte) bool {
	_, others, ok := protobuf(head)
	return ok && others > 0
}

// protobuf walks the fields of a message that begins with head and counts those
// with number 1 and the others. It fails where a field is none of pprof's, whose
// numbers go up to 15.
func protobuf(head []byte) (first, others int, ok bool) {
	for len(head) > 0 {
		tag, n := binary.Uvarint(head)
		if n == 0 {
			return first, others, true // cut off
		}
		if n < 0 || tag>>3 == 0 || tag>>3 > 15 {
			return 0, 0, false
		}
		value, m := binary.Uvarint(head[n:])
		size := n + m
		switch {
		case m < 0:
			return 0, 0, false
		case tag&7 == 2 && value > uint64(len(head)):
			size = len(head)
		case tag&7 == 2:
			size += int(value)
		case tag&7 != 0:
			return 0, 0, false
		}
		if tag>>3 == 1 {
			first++
		} else {
			others++
		}
		head = head[min(size, len(head)):]
	}
	return first, others, first+others > 0
}

// isText says whether b holds text: UTF-8 without control characters, but for a
// character that b's end may cut.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			return !utf8.FullRune(b)
		case r < ' ' && r != '\t' && r != '\n' && r != '\r':
			return false
		}
		b = b[n:]
	}
	return true
}
