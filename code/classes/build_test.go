package classes

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/diffprof/diffprof/code/dex"
)

// mutf8 encodes modified UTF-8 by its definition: each UTF-16 unit separately.
func mutf8(s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		switch {
		case u != 0 && u < 0x80:
			out = append(out, byte(u))
		case u < 0x800:
			out = append(out, 0xc0|byte(u>>6), 0x80|byte(u&0x3f))
		default:
			out = append(out, 0xe0|byte(u>>12), 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f))
		}
	}
	return out
}

// makeClassFile returns a class file that has nothing after its interfaces. A constant of every
// other kind precedes the names, so a reader must know the size of each kind.
func makeClassFile(class Class) []byte {
	var pool []byte
	count := 1
	add := func(tag byte, body ...byte) int {
		pool = append(append(pool, tag), body...)
		count++
		if tag == tagLong || tag == tagDouble {
			count++
		}
		return count - 1
	}
	for tag, size := range constantSize {
		if size > 0 && tag != tagUTF8 && tag != tagClass {
			add(byte(tag), make([]byte, size)...)
		}
	}
	u16 := func(n int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) }
	name := func(name string) []byte {
		text := mutf8(strings.ReplaceAll(name, ".", "/"))
		at := add(tagUTF8, append(u16(len(text)), text...)...)
		return u16(add(tagClass, u16(at)...))
	}
	tail := append(u16(0x21), name(class.Name)...)
	if class.Super == "" {
		tail = append(tail, 0, 0)
	} else {
		tail = append(tail, name(class.Super)...)
	}
	tail = append(tail, u16(len(class.Interfaces))...)
	for _, i := range class.Interfaces {
		tail = append(tail, name(i)...)
	}
	out := append([]byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61}, u16(count)...)
	return slices.Concat(out, pool, tail, make([]byte, 6))
}

// makeDex returns a DEX file. start is its offset in its container.
func makeDex(version string, start int, classes ...Class) []byte {
	u32 := binary.LittleEndian.AppendUint32
	header := 0x70
	if version == "041" {
		header = 0x78
	}
	var names []string
	for _, class := range classes {
		names = append(names, class.Name, class.Super)
		names = append(names, class.Interfaces...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	typeOf := func(name string) uint32 { return uint32(slices.Index(names, name)) }

	stringsAt := start + header
	typesAt := stringsAt + 4*len(names)
	defsAt := typesAt + 4*len(names)
	dataAt := defsAt + 32*len(classes)
	var stringIDs, typeIDs, defs, data []byte
	for i, name := range names {
		stringIDs = u32(stringIDs, uint32(dataAt+len(data)))
		typeIDs = u32(typeIDs, uint32(i))
		descriptor := "L" + strings.ReplaceAll(name, ".", "/") + ";"
		data = binary.AppendUvarint(data, uint64(len(utf16.Encode([]rune(descriptor)))))
		data = append(append(data, mutf8(descriptor)...), 0)
	}
	for _, class := range classes {
		super, list := uint32(dex.NoIndex), uint32(0)
		if class.Super != "" {
			super = typeOf(class.Super)
		}
		if len(class.Interfaces) > 0 {
			list = uint32(dataAt + len(data))
			data = u32(data, uint32(len(class.Interfaces)))
			for _, i := range class.Interfaces {
				data = binary.LittleEndian.AppendUint16(data, uint16(typeOf(i)))
			}
		}
		for _, field := range []uint32{typeOf(class.Name), 1, super, list, dex.NoIndex, 0, 0, 0} {
			defs = u32(defs, field)
		}
	}
	h := make([]byte, header)
	copy(h, "dex\n"+version+"\x00")
	put := func(at, v int) { binary.LittleEndian.PutUint32(h[at:], uint32(v)) }
	put(0x20, dataAt+len(data)-start)
	put(0x24, header)
	put(0x28, 0x12345678)
	put(0x38, len(names))
	put(0x38+4, stringsAt)
	put(0x40, len(names))
	put(0x40+4, typesAt)
	put(0x60, len(classes))
	put(0x60+4, defsAt)
	if version == "041" {
		put(0x74, start)
	}
	return slices.Concat(h, stringIDs, typeIDs, defs, data)
}

type zipEntry struct {
	name    string
	content []byte
}

func makeZip(t testing.TB, entries ...zipEntry) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, e := range entries {
		f, err := w.Create(e.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

var (
	sampleActivity = Class{Name: "com.example.Main", Super: "android.app.Activity", Interfaces: []string{"java.lang.Runnable", "com.example.Ünï𝒞ode"}}
	sampleNested   = Class{Name: "com.example.Main$1", Super: objectClass, Interfaces: []string{"android.view.View$OnClickListener"}}
	sampleIface    = Class{Name: "com.example.Ünï𝒞ode", Super: objectClass}
)
