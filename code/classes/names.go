package classes

import (
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxName is the length of the longest name in a class file.
const maxName = 1<<16 - 1

var errUTF = errors.New("a name is not valid modified UTF-8")

// decodeMUTF8 decodes the modified UTF-8 of class and dex files. It encodes NUL in two bytes,
// and a character above U+FFFF as two surrogates of three bytes each. An unpaired surrogate
// becomes U+FFFD.
func decodeMUTF8(b []byte) (string, error) {
	ascii := true
	for _, c := range b {
		if c == 0 {
			return "", errUTF
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	if ascii {
		return string(b), nil
	}
	units := make([]uint16, 0, len(b))
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c < 0x80:
			units = append(units, uint16(c))
			i++
		case c&0xe0 == 0xc0 && continues(b, i+1):
			units = append(units, uint16(c&0x1f)<<6|uint16(b[i+1]&0x3f))
			i += 2
		case c&0xf0 == 0xe0 && continues(b, i+1) && continues(b, i+2):
			units = append(units, uint16(c&0x0f)<<12|uint16(b[i+1]&0x3f)<<6|uint16(b[i+2]&0x3f))
			i += 3
		default:
			return "", errUTF
		}
	}
	return string(utf16.Decode(units)), nil
}

func continues(b []byte, i int) bool { return i < len(b) && b[i]&0xc0 == 0x80 }

var errClassName = errors.New("a class has no valid name")

// binaryName converts a name with slashes to dots. Empty names, arrays and descriptors are
// errors, because they name no class.
func binaryName(internal string) (string, error) {
	if internal == "" || len(internal) > maxName || strings.ContainsAny(internal, ".;[") {
		return "", errClassName
	}
	return strings.ReplaceAll(internal, "/", "."), nil
}
