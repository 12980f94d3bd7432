package ingest

import (
	"bytes"
	"regexp"
)

// The functions in this file are the conditions in the table looks.

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
