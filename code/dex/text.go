package dex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// texts has the strings of a container by offset. The files of a container share them.
type texts struct {
	seen map[uint32]string
	// left is the number of bytes that further strings may have. Strings that do not overlap are
	// never larger than the container.
	left int
}

// readStrings reads the string table.
func (f *File) readStrings(h []byte, texts *texts) error {
	rows, offset, err := f.table(h, headerStrings, 4, len(f.data)/4, "strings")
	if err != nil {
		return err
	}
	f.Strings = make([]string, len(rows)/4)
	last, text := uint32(0), ""
	shared := f.Version >= containerFormat
	for i := range f.Strings {
		at := u32(rows[4*i:])
		if known, ok := texts.seen[at]; ok {
			f.Strings[i] = known
			continue
		}
		if at == last {
			f.Strings[i] = text
			continue
		}
		if text, err = f.readText(offset+4*i, int(at)); err != nil {
			return err
		}
		if texts.left -= len(text) + 1; texts.left < 0 {
			return f.fail(int(at), "%w", errOverlap)
		}
		f.Strings[i], last = text, at
		if shared {
			texts.seen[at] = text
		}
	}
	return nil
}

// readText reads the string at an offset. at is the offset of the reference to the string, for
// errors.
func (f *File) readText(at, offset int) (string, error) {
	if offset > len(f.data) {
		return "", f.fail(at, "a string is past the end of the file")
	}
	rest := f.data[offset:]
	_, n := binary.Uvarint(rest[:min(len(rest), 5)]) // The length in UTF-16 units. The string ends at a NUL byte.
	if n <= 0 {
		return "", f.fail(offset, "a string has no length")
	}
	rest = rest[n:]
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return "", f.fail(offset, "a string has no end")
	}
	return string(rest[:end]), nil
}

// Readable decodes a string like [Text]. If s is not valid, it returns s unchanged.
func Readable(s string) string {
	if text, err := Text(s); err == nil {
		return text
	}
	return s
}

// ClassName converts a descriptor to a class name with dots between packages. In descriptors of
// other types, it only replaces slashes by dots.
func ClassName(descriptor string) string {
	name := Readable(descriptor)
	if n := len(name); n > 2 && name[0] == 'L' && name[n-1] == ';' {
		name = name[1 : n-1]
	}
	return strings.ReplaceAll(name, "/", ".")
}

var errText = errors.New("a text is not valid modified UTF-8")

// Text decodes the modified UTF-8 of class and DEX files. This encoding has two bytes for NUL, and
// two surrogates of three bytes each for a character above U+FFFF. Text decodes an unpaired
// surrogate to U+FFFD.
func Text(s string) (string, error) {
	ascii := true
	for i := range len(s) {
		if s[i] == 0 {
			return "", errText
		}
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		return s, nil
	}
	units := make([]uint16, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c < 0x80:
			units = append(units, uint16(c))
			i++
		case c&0xe0 == 0xc0 && continues(s, i+1):
			units = append(units, uint16(c&0x1f)<<6|uint16(s[i+1]&0x3f))
			i += 2
		case c&0xf0 == 0xe0 && continues(s, i+1) && continues(s, i+2):
			units = append(units, uint16(c&0x0f)<<12|uint16(s[i+1]&0x3f)<<6|uint16(s[i+2]&0x3f))
			i += 3
		default:
			return "", errText
		}
	}
	return string(utf16.Decode(units)), nil
}

func continues(s string, i int) bool { return i < len(s) && s[i]&0xc0 == 0x80 }
