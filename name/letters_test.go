package name

import (
	"strings"
	"testing"
)

// TestUpperAndLowerCase checks the letters of ASCII at the limits of their ranges.
func TestUpperAndLowerCase(t *testing.T) {
	for c, want := range map[byte][2]bool{'A': {true, false}, 'Z': {true, false}, 'a': {false, true}, 'z': {false, true}, '@': {}, '[': {}, '`': {}, '{': {}, '0': {}, 0xc3: {}} {
		if upper, lower := isUpper(c), isLower(c); upper != want[0] || lower != want[1] {
			t.Errorf("%q is in upper case: %v, and in lower case: %v", c, upper, lower)
		}
	}
}

// TestLongSlices checks that the name of a slice is cut after one kibibyte, between two characters.
func TestLongSlices(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ text, want string }{
		{x(1024), x(1024)},
		{x(1022) + "üü", x(1022)},
		{x(1023) + "ü", x(1023)},
		{x(1020) + "\U0001F600x", x(1020)},
		{strings.Repeat("\x80", 2000), ""},
	} {
		if got := string(PlainSlice(nil, []byte(c.text))); got != c.want {
			t.Errorf("%d bytes ending with %q: %d bytes ending with %q, want %d bytes", len(c.text), c.text[len(c.text)-5:], len(got), got[max(0, len(got)-5):], len(c.want))
		}
	}
}
