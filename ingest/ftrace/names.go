package ftrace

import "unicode/utf8"

const (
	// longestName limits how many bytes of a slice's name are read.
	longestName = 1 << 10
	// number replaces a number in a plain name, and address replaces a URL.
	number  = '#'
	address = "<url>"
	// shortestHex is the least number of digits of a hexadecimal number without 0x.
	shortestHex = 4
)

// Plain appends the name of a slice to dst. It replaces the parts of the name that vary between
// slices:
//
//   - A URL becomes <url>. It has a scheme of letters, ://, and all text up to a space, a quote, a
//     bracket, a comma or a semicolon.
//   - 0x with hexadecimal digits becomes #.
//   - A word of at least four hexadecimal digits in one case becomes # if one of them is a decimal
//     digit. A word of hexadecimal digits between an @ and a character other than # also becomes #.
//   - Decimal digits become #. A fraction after them is included. A minus before the digits is
//     replaced, too, unless it follows a letter or a digit.
//
// A word is a longest possible run of ASCII letters, digits and underscores. A name is cut after
// one kibibyte. Plain(Plain(s)) is Plain(s).
func Plain(dst, name []byte) []byte {
	if len(name) > longestName {
		name = name[:longestName]
		for len(name) > 0 && !utf8.RuneStart(name[len(name)-1]) {
			name = name[:len(name)-1]
		}
		name = name[:max(0, len(name)-1)] // The last rune may be incomplete.
	}
	for i := 0; i < len(name); {
		c := name[i]
		if !isWord(c) {
			dst = append(dst, c)
			i++
			continue
		}
		end := i + 1
		for end < len(name) && isWord(name[end]) {
			end++
		}
		switch {
		case isScheme(name[i:end]) && (i == 0 || name[i-1] != number) && hasPrefix(name[end:], "://"):
			for end < len(name) && !endsURL(name[end]) {
				end++
			}
			dst = append(dst, address...)
		case isHex(name[i:end], i > 0 && name[i-1] == '@' && (end == len(name) || name[end] != number)):
			dst = append(dst, number)
		default:
			dst, end = decimals(dst, name, i, end)
		}
		i = end
	}
	return dst
}

// decimals appends the word from i to end with its decimal digits replaced. It returns the end of
// the last number, which may be after the end of the word.
func decimals(dst, name []byte, i, end int) ([]byte, int) {
	for i < end {
		if !isDigit(name[i]) {
			dst = append(dst, name[i])
			i++
			continue
		}
		if n := len(dst); i > 0 && name[i-1] == '-' && (i == 1 || !isWord(name[i-2]) && name[i-2] != number) {
			dst = dst[:n-1]
		}
		dst = append(dst, number)
		for i < len(name) && (isDigit(name[i]) || name[i] == '.' && i+1 < len(name) && isDigit(name[i+1])) {
			i++
		}
	}
	return dst, i
}

// isHex reports whether a word is a hexadecimal number. After an @, any sequence of hexadecimal
// digits is one.
func isHex(word []byte, at bool) bool {
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

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}
