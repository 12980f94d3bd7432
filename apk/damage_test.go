package apk

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/syntax"
)

func TestBreaks(t *testing.T) {
	a := mustOpen(t, build(t, small))
	m, err := a.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if m.MinSDK != 21 {
		t.Errorf("minSdk %d", m.MinSDK)
	}
	all := strings.Join(a.Breaks(m), "\n")
	for _, want := range []string{"com.mine fails", "com.mine.P", "com.shared", "baseline profile", "stamp", "Play Integrity"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s\nlacks %s", all, want)
		}
	}
	if _, err := mustOpen(t, build(t, small[1:])).Manifest(); err == nil {
		t.Error("no error without a manifest")
	}
}

// raw builds an archive whose headers and end record are set by change.
func raw(change func(local, central, end []byte)) []byte {
	const name, data = "classes.dex", "stored content"
	local := make([]byte, localLen)
	binary.LittleEndian.PutUint32(local, localSignature)
	central := make([]byte, centralLen)
	binary.LittleEndian.PutUint32(central, centralSignature)
	end := make([]byte, endLen)
	binary.LittleEndian.PutUint32(end, endSignature)
	for _, at := range []struct {
		p  []byte
		at int
	}{{local, 14}, {central, 16}} {
		binary.LittleEndian.PutUint32(at.p[at.at:], crc32.ChecksumIEEE([]byte(data)))
		binary.LittleEndian.PutUint32(at.p[at.at+4:], uint32(len(data)))
		binary.LittleEndian.PutUint32(at.p[at.at+8:], uint32(len(data)))
		binary.LittleEndian.PutUint16(at.p[at.at+12:], uint16(len(name)))
	}
	local, central = append(local, name...), append(central, name...)
	binary.LittleEndian.PutUint16(end[8:], 1)
	binary.LittleEndian.PutUint16(end[10:], 1)
	binary.LittleEndian.PutUint32(end[12:], uint32(len(central)))
	binary.LittleEndian.PutUint32(end[16:], uint32(len(local)+len(data)))
	change(local, central, end)
	return bytes.Join([][]byte{local, []byte(data), central, end}, nil)
}

func TestBadArchives(t *testing.T) {
	put16, put32 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32
	twice := build(t, []content{{"a", zip.Store, "1"}, {"b", zip.Store, "2"}})
	twice = bytes.ReplaceAll(twice, []byte("b"), []byte("a"))
	// Two records of the directory refer to the same local header.
	overlap := build(t, []content{{"a", zip.Store, "1"}, {"b", zip.Store, "2"}})
	second := bytes.LastIndex(overlap, []byte("PK\x01\x02"))
	put32(overlap[second+42:], 0)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "no end of a zip archive"},
		{"text", []byte("this is not an archive at all"), "no end of a zip archive"},
		{"encrypted", raw(func(_, c, _ []byte) { put16(c[8:], 1) }), `entry "classes.dex": the entry is encrypted`},
		{"method", raw(func(_, c, _ []byte) { put16(c[10:], 12) }), "compression method 12"},
		{"bomb", raw(func(l, c, _ []byte) { put16(c[10:], 8); put16(l[8:], 8); put32(c[24:], 1<<31) }), "14 bytes cannot yield the stated 2147483648"},
		{"stored", raw(func(_, c, _ []byte) { put32(c[24:], 15) }), "stored in 14 bytes, but 15 bytes long"},
		{"zip64 sizes", raw(func(_, c, _ []byte) { put32(c[20:], 0xffffffff); put32(c[24:], 0xffffffff) }), "zip64"},
		{"up", raw(func(_, c, _ []byte) { copy(c[centralLen:], "../lasses.d") }), "leads out of the archive"},
		{"absolute", raw(func(_, c, _ []byte) { copy(c[centralLen:], "/lasses.dex") }), "leads out of the archive"},
		{"backslash", raw(func(_, c, _ []byte) { copy(c[centralLen:], `..\a`) }), "backslash"},
		{"zero", raw(func(_, c, _ []byte) { copy(c[centralLen:], "a\x00b") }), "control character"},
		{"other name", raw(func(l, _, _ []byte) { copy(l[localLen:], "classez") }), "another name than the directory"},
		{"other method", raw(func(l, _, _ []byte) { put16(l[8:], 8) }), "another compression method"},
		{"no header", raw(func(l, _, _ []byte) { l[0] = 0 }), "no local header"},
		{"beyond", raw(func(_, c, _ []byte) { put32(c[20:], 900); put32(c[24:], 900) }), "go beyond the start of the directory"},
		{"offset", raw(func(_, c, _ []byte) { put32(c[42:], 900) }), "behind the directory"},
		{"zip64", raw(func(_, c, _ []byte) { put32(c[42:], 0xffffffff) }), "zip64"},
		{"zip64 end", raw(func(_, _, e []byte) { put16(e[8:], 0xffff); put16(e[10:], 0xffff) }), "zip64"},
		{"count", raw(func(_, _, e []byte) { put16(e[8:], 900); put16(e[10:], 900) }), "900 entries do not fit"},
		{"disks", raw(func(_, _, e []byte) { put16(e[8:], 0) }), "several files"},
		{"directory", raw(func(_, _, e []byte) { put32(e[16:], 3) }), "the directory has offset 3"},
		{"long name", raw(func(_, c, _ []byte) { put16(c[28:], 900) }), "beyond the directory"},
		{"twice", twice, `entry "a": the name occurs twice`},
		{"overlap", overlap, `it overlaps entry "a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(c.data)
			var place *syntax.Error
			if !errors.As(err, &place) || !strings.Contains(err.Error(), c.want) || place.Hint == "" || strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if _, err := open(raw(func(_, _, _ []byte) {})); err != nil {
		t.Error("the undamaged archive:", err)
	}
}

func TestBadContent(t *testing.T) {
	for _, c := range []struct {
		data []byte
		want string
	}{
		{raw(func(_, c, _ []byte) { c[16] ^= 1 }), "the checksum is"},
		{raw(func(l, c, _ []byte) { l[8], c[10] = 8, 8 }), "corrupt input"},
		{shorter(build(t, []content{{"a", zip.Deflate, strings.Repeat("a", 1000)}}), 999), "at least 1000 bytes, but the directory states 999"},
		{shorter(build(t, []content{{"a", zip.Deflate, strings.Repeat("a", 1000)}}), 1001), "1000 bytes, but the directory states 1001"},
	} {
		a := mustOpen(t, c.data)
		if _, err := a.Read(&a.Entries()[0]); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// shorter sets the size that the directory states for the first entry.
func shorter(data []byte, size uint32) []byte {
	at := bytes.Index(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[at+24:], size)
	return data
}

// TestCut cuts a copy at every offset. An archive without its end must be rejected.
func TestCut(t *testing.T) {
	few := []content{small[0], small[1], small[2], small[4]}
	data, _ := rewrite(t, mustOpen(t, build(t, few)), nil, mustKey(t), 21)
	for n := range data {
		_, err := open(data[:n])
		var place *syntax.Error
		if !errors.As(err, &place) {
			t.Fatalf("cut at %d of %d: %v", n, len(data), err)
		}
	}
}

// TestDamage changes every byte of an archive. If it is still readable, a copy must be readable,
// too. Nothing may panic.
func TestDamage(t *testing.T) {
	few := []content{small[0], small[2]}
	data := build(t, few)
	for at := range data {
		for _, bit := range []byte{1, 0x80} {
			damaged := bytes.Clone(data)
			damaged[at] ^= bit
			exercise(t, damaged)
		}
	}
}

// exercise reads all entries of an archive, and copies the archive.
func exercise(t *testing.T, data []byte) {
	a, err := open(data)
	if err != nil {
		if strings.ContainsAny(err.Error(), "\n\x00") {
			t.Errorf("the error is not one line: %q", err)
		}
		return
	}
	for i := range a.Entries() {
		if e := &a.Entries()[i]; e.Size < 1<<20 {
			_, _ = a.Read(e)
		}
	}
	if m, err := a.Manifest(); err == nil {
		a.Breaks(m)
	}
	var b bytes.Buffer
	if _, err := a.Write(t.Context(), &b, []Edit{{"classes.dex", []byte("new")}}, ecKey(t), 30); err != nil {
		return
	}
	copied, err := open(b.Bytes())
	if err != nil {
		t.Fatalf("the copy of a readable archive: %v", err)
	}
	if got, err := copied.Read(copied.Entry("classes.dex")); err != nil || string(got) != "new" {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := verify(b.Bytes()); err != nil {
		t.Fatal(err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(build(f, small))
	f.Add(build(f, small[:3]))
	f.Add(raw(func(_, _, _ []byte) {}))
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}
