package syntaxtree

import (
	"strings"
	"testing"
)

// TestCharactersOfWords checks the characters of words and of letters, at the limits of their
// ranges. All characters beyond ASCII count as letters.
func TestCharactersOfWords(t *testing.T) {
	for _, test := range []struct {
		characters   string
		word, letter bool
	}{
		{"azAZmM\x80\xc3\xff", true, true},
		{"_059", true, false},
		{"/:@[`{\x7f$ \n.", false, false},
	} {
		for _, c := range []byte(test.characters) {
			if isWord(c) != test.word || isLetter(c) != test.letter {
				t.Errorf("%q is part of a word: %v, and is a letter: %v", c, isWord(c), isLetter(c))
			}
		}
	}
}

// TestSkippedTexts checks where characters, comments and strings of Kotlin end.
func TestSkippedTexts(t *testing.T) {
	for text, want := range map[string]int{"'a' b": 3, `'\'' b`: 4, `'\u0041' b`: 8, "'a\nb'": 1, "'": 1, "'abcdefghij' k": 12, "'abcdefghijk' l": 1} {
		if got := skipChar([]byte(text), 0); got != want {
			t.Errorf("the character %q ends at %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{"/* a */ b": 7, "/**/ b": 4, "/* /* */ */ b": 11, "/*/ */ b": 6, "/* /* */": 8, "/* a": 4} {
		if got := skipComment([]byte(text), 0); got != want {
			t.Errorf("the comment %q ends at %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{`a" b`: 2, `\"" b`: 3, "a\nb": 2, "$a\" b": 3, "${a}\"": 2, "a": 1, "$": 1} {
		k := &kotlinCleaner{text: []byte(text)}
		if got := k.text1(0); got != want {
			t.Errorf("the string %q ends at %d, want %d", text, got, want)
		}
		if template := len(k.open) == 1; template != strings.HasPrefix(text, "${") {
			t.Errorf("the string %q begins a template: %v", text, template)
		}
	}
	for text, want := range map[string]int{`a""" b`: 4, `a"b""" c`: 6, `a"""" b`: 5, "a\n\"\"\"": 5, "a${b}": 3, "a": 1} {
		if got := (&kotlinCleaner{text: []byte(text)}).text3(0); got != want {
			t.Errorf("the raw string %q ends at %d, want %d", text, got, want)
		}
	}
}
