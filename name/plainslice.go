package name

import "unicode/utf8"

const (
	// longestName is the number of bytes after which a slice's name is cut.
	longestName = 1 << 10
	// number replaces a number in a name.
	number  = '#'
	address = "<url>"
	// shortestHex is the smallest number of digits of a hexadecimal number without 0x.
	shortestHex = 4
)

// PlainSlice appends the name of a slice to dst, without the parts that vary between slices. For
// example, "frame 17" becomes "frame #". It replaces:
//
//   - A URL by <url>. A URL is a scheme of letters, ://, and all text up to a space, a quote, a
//     bracket, a comma or a semicolon.
//   - 0x with hexadecimal digits by #.
//   - A hexadecimal word like 3fa9 by #. It has at least four digits in one case, one or more of them
//     decimal. After an @, and before a character other than #, any hexadecimal digits are replaced.
//   - A decimal number by #. It includes a fraction after the digits, and a minus before them unless
//     the minus follows a letter or a digit.
//
// A word is a longest sequence of ASCII letters, digits and underscores. A name is cut after one
// kibibyte. PlainSlice leaves its own result unchanged.
func PlainSlice(dst, text []byte) []byte {
	if len(text) > longestName {
		text = text[:longestName]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
		text = text[:max(0, len(text)-1)] // the last rune may be incomplete
	}
	for i := 0; i < len(text); {
		c := text[i]
		if !isWord(c) {
			dst = append(dst, c)
			i++
			continue
		}
		end := i + 1
		for end < len(text) && isWord(text[end]) {
			end++
		}
		switch {
		case isScheme(text[i:end]) && (i == 0 || text[i-1] != number) && hasPrefix(text[end:], "://"):
			for end < len(text) && !endsURL(text[end]) {
				end++
			}
			dst = append(dst, address...)
		case isHexNumber(text[i:end], i > 0 && text[i-1] == '@' && (end == len(text) || text[end] != number)):
			dst = append(dst, number)
		default:
			dst, end = decimals(dst, text, i, end)
		}
		i = end
	}
	return dst
}

// decimals appends the word text[i:end] with # for decimal numbers. A number may continue after the
// word, as in 1.5. It returns the index after the word or the number.
func decimals(dst, text []byte, i, end int) ([]byte, int) {
	for i < end {
		if !isDigit(text[i]) {
			dst = append(dst, text[i])
			i++
			continue
		}
		if n := len(dst); i > 0 && text[i-1] == '-' && (i == 1 || !isWord(text[i-2]) && text[i-2] != number) {
			dst = dst[:n-1]
		}
		dst = append(dst, number)
		for i < len(text) && (isDigit(text[i]) || text[i] == '.' && i+1 < len(text) && isDigit(text[i+1])) {
			i++
		}
	}
	return dst, i
}

// isHexNumber reports whether a word is a hexadecimal number. If the word follows an @ (the
// parameter at), any hexadecimal digits are one.
func isHexNumber(word []byte, at bool) bool {
	if len(word) > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X') {
		word, at = word[2:], true
	}
	var decimal, lower, upper bool
	for _, c := range word {
		switch {
		case isDigit(c):
			decimal = true
		case 'a' <= c && c <= 'f':
			lower = true
		case 'A' <= c && c <= 'F':
			upper = true
		default:
			return false
		}
	}
	return at || len(word) >= shortestHex && decimal && lower != upper
}

func isScheme(word []byte) bool {
	for _, c := range word {
		if c == '_' || isDigit(c) {
			return false
		}
	}
	return true
}

func endsURL(c byte) bool {
	switch c {
	case ' ', '\t', '"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';':
		return true
	}
	return false
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}
