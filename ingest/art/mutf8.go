package art

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// utf8Name converts a name from the JVM's modified UTF-8 to UTF-8. Modified UTF-8 encodes NUL as
// two bytes, and a character above U+FFFF as two surrogates of three bytes each. Invalid bytes
// become U+FFFD.
func utf8Name(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			if high := surrogate(s[i:]); high != 0 {
				if pair := utf16.DecodeRune(high, surrogate(s[i+3:])); pair != utf8.RuneError {
					r, n = pair, 6
				} else {
					n = 3
				}
			}
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// surrogate returns the surrogate at the start of s. It returns 0 if there is none.
func surrogate(s string) rune {
	if len(s) < 3 || s[0] != 0xed || s[1]&0xe0 != 0xa0 || s[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
}
