package profile_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// A field is a field of a message. It is a number or bytes.
type field struct {
	number int
	value  uint64
	data   []byte
}

// fieldsOf reads a message of Protocol Buffers that has only numbers and bytes.
func fieldsOf(t testing.TB, m []byte) []field {
	t.Helper()
	var list []field
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		m = m[n:]
		value, n := binary.Uvarint(m)
		if n <= 0 || tag&7 != 0 && tag&7 != 2 {
			t.Fatalf("field %d of kind %d", tag>>3, tag&7)
		}
		m = m[n:]
		f := field{number: int(tag >> 3), value: value}
		if tag&7 == 2 {
			if value > uint64(len(m)) {
				t.Fatalf("field %d has %d bytes of %d", tag>>3, value, len(m))
			}
			f.data, m = m[:value], m[value:]
		}
		list = append(list, f)
	}
	return list
}

// packets shows a trace of Perfetto, one packet per line: numbers of fields with their values,
// messages in braces, texts in quotes.
func packets(t testing.TB, trace []byte) string {
	var b strings.Builder
	messages := map[string]bool{".12": true, ".12.2": true, ".60": true, ".60.3": true, ".60.8": true, ".11": true, ".11.4": true}
	var show func(m []byte, path string)
	show = func(m []byte, path string) {
		for _, f := range fieldsOf(t, m) {
			at := fmt.Sprintf("%s.%d", path, f.number)
			switch {
			case messages[at]:
				fmt.Fprintf(&b, " %d{", f.number)
				show(f.data, at)
				b.WriteString(" }")
			case f.data != nil:
				fmt.Fprintf(&b, " %d:%q", f.number, f.data)
			default:
				fmt.Fprintf(&b, " %d:%d", f.number, int64(f.value))
			}
		}
	}
	for _, p := range fieldsOf(t, trace) {
		show(p.data, "")
		b.WriteByte('\n')
	}
	return b.String()
}
