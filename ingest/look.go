package ingest

import (
	"bytes"
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
