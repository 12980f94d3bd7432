package art

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// utf8Name turns a name from the JVM's modified UTF-8 into UTF-8. They differ in
// characters beyond 16 bits, which the former writes as two surrogates of three
// bytes each, and in NUL. Bytes that are neither become U+FFFD.
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

// surrogate returns the half of a pair that s begins with, and 0 if none.
func surrogate(s string) rune {
	if len(s) < 3 || s[0] != 0xed || s[1]&0xe0 != 0xa0 || s[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
}
