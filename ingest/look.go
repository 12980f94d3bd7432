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

// isJoularJX says whether head has a stack or a method, a comma and a decimal number.
var isJoularJX = matches(`^[\pL\pN_.$;<>/-]+,\d+\.\d+(\r?\n|$)`)

// isPerfetto says whether head is nothing but packets, which are fields with the number 1.
func isPerfetto(head []byte) bool {
	packets := 0
	for len(head) > 0 {
		if head[0] != 1<<3|2 {
			return false
		}
		size, n := binary.Uvarint(head[1:])
		if n < 0 {
			return false
		}
		packets++
		head = head[min(uint64(len(head)), uint64(1+n)+min(size, uint64(len(head)))):]
	}
	return packets > 0
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
