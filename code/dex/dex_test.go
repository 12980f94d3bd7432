package dex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/diffprof/diffprof/internal/syntax"
)

// sample returns the code of testdata/Shapes.java, compiled by javac -g --release 8 and by D8
// 9.5.28 with --min-api 28 --no-desugaring. It therefore has call sites and method handles.
func sample(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readAll reads everything in a container that the package can read. It returns the number of
// parts.
func readAll(data []byte) (parts int, err error) {
	files, err := Parse(data)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		all, err := f.Members()
		if err != nil {
			return 0, err
		}
		for i := range all {
			if _, err := f.LineMap(&f.Classes[i]); err != nil {
				return 0, err
			}
			for _, methods := range [][]Method{all[i].Direct, all[i].Virtual} {
				for _, m := range methods {
					if m.Code == 0 {
						continue
					}
					c, err := f.Code(m.Code)
					if err != nil {
						return 0, err
					}
					lines, err := f.Lines(c)
					if err != nil {
						return 0, err
					}
					parts += len(lines)
					if err := f.Instructions(c, func(*Instruction) error { parts++; return nil }); err != nil {
						return 0, err
					}
				}
			}
		}
	}
	return parts, nil
}

// TestSample reads the sample, and checks the parts that dexdump prints in another form.
func TestSample(t *testing.T) {
	files, err := Parse(sample(t))
	if err != nil || len(files) != 1 {
		t.Fatal(len(files), err)
	}
	f := files[0]
	if f.Version != 39 || len(f.Classes) != 1 || len(f.CallSites) != 3 || len(f.Handles) != 4 || f.Shrunk() {
		t.Errorf("version %d, %d classes, %d call sites, %d handles, shrunk %v", f.Version, len(f.Classes), len(f.CallSites), len(f.Handles), f.Shrunk())
	}
	members, err := f.Members()
	if err != nil {
		t.Fatal(err)
	}
	if m := members[0]; len(m.Static) != 2 || len(m.Instance) != 2 || len(m.Virtual) != 2 {
		t.Errorf("members %+v", m)
	}
	for _, m := range members[0].Direct {
		if f.Strings[f.Methods[m.Index].Name] != "wide" {
			continue
		}
		if signature := f.Signature(f.Methods[m.Index].Proto); signature != "(JIDJFDIJ)J" {
			t.Errorf("wide%s", signature)
		}
		c, err := f.Code(m.Code)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := f.Lines(c)
		if err != nil {
			t.Fatal(err)
		}
		if first, file := LineAt(lines, 0); first != 56 || file != NoIndex || c.Ins != 13 {
			t.Errorf("begins on line %d, with %d registers of parameters", first, c.Ins)
		}
		if last, _ := LineAt(lines, len(c.Units)-1); last != 62 {
			t.Errorf("ends on line %d", last)
		}
	}
}

// TestCut cuts the sample at every offset, alone and in a container.
func TestCut(t *testing.T) {
	data := sample(t)
	for n := range data {
		_, err := readAll(data[:n])
		var damage *syntax.Error
		if !errors.As(err, &damage) {
			t.Fatalf("cut at %d of %d: %v", n, len(data), err)
		}
		if damage.Offset < 0 || damage.Offset > int64(n) || damage.Hint == "" {
			t.Fatalf("cut at %d: %+v", n, damage)
		}
	}
}

// TestDamage changes each byte of the sample, and sets each aligned word to extreme values. Reading
// must return a result, or an error with an offset.
func TestDamage(t *testing.T) {
	data := sample(t)
	whole, err := readAll(data)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	try := func(damaged []byte) {
		n, err := readAll(damaged)
		var damage *syntax.Error
		if err != nil && !errors.As(err, &damage) {
			t.Fatalf("%T: %v", err, err)
		}
		if err != nil {
			found++
		}
		if n > 100*whole {
			t.Errorf("%d parts in a file with %d", n, whole)
		}
	}
	damaged := bytes.Clone(data)
	for i := range data {
		for _, b := range []byte{data[i] ^ 1, data[i] ^ 0x80, 0xff} {
			damaged[i] = b
			try(damaged)
		}
		damaged[i] = data[i]
		if i%4 == 0 && i+4 <= len(data) {
			for _, v := range []uint32{0xffffffff, 0x7fffffff, uint32(len(data)), uint32(len(data) - 1)} {
				binary.LittleEndian.PutUint32(damaged[i:], v)
				try(damaged)
			}
			copy(damaged[i:], data[i:i+4])
		}
	}
	if found < 1000 {
		t.Errorf("only %d damages found", found)
	}
}

// TestErrors checks the messages of errors that users may see.
func TestErrors(t *testing.T) {
	set := func(at int, b ...byte) []byte { data := sample(t); copy(data[at:], b); return data }
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte("dey\n036"), "offset 0: dex: the file ends too early; the file is damaged; copy it again, or build the app again"},
		{[]byte("dey\n036\x00" + strings.Repeat("\x00", 200)), "offset 0: dex: not a dex header of a version from 035 to 041"},
		{set(headerEndianTag, 0x12, 0x34, 0x56, 0x78), "offset 40: dex: the dex file is big-endian, which no device runs"},
		{set(headerStrings, 0xff, 0xff, 0xff), "offset 56: dex: 16777215 strings exceed the limit of 1393"},
		{sample(t)[:1000], "offset 1000: dex: the file ends after 1000 of 5572 bytes"},
	} {
		_, err := Parse(c.data)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestLinesOfShortCode reads a line table that is longer than the code. R8 writes such tables,
// because methods share them. The test also reads tables without an end, and tables whose addresses
// decrease.
func TestLinesOfShortCode(t *testing.T) {
	table := func(events ...byte) (*File, *Code) {
		return &File{data: append([]byte{0, 5, 0}, events...)}, &Code{Debug: 1, Units: make([]uint16, 4)}
	}
	for _, c := range []struct {
		events []byte
		want   string
	}{
		{[]byte{0x1e, 0x1e, 0x1e, 0x1e, 0x1e, 0x1e, 0}, "[{1 6 4294967295} {2 7 4294967295} {3 8 4294967295}] <nil>"},
		{[]byte{dbgAdvanceLine, 0x70, 0x0e, 0}, "[{0 0 4294967295}] <nil>"},
		{[]byte{0x0a}, "the file ends too early"},
		{[]byte{dbgSetFile, 3, 0}, "string index 2 is out of range"},
		{bytes.Repeat([]byte{0x0e}, 10000), "too many entries for 4 units of code"},
	} {
		f, code := table(c.events...)
		lines, err := f.Lines(code)
		if got := fmt.Sprint(lines, err); !strings.Contains(got, c.want) {
			t.Errorf("% x: %s, want %s", c.events, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, s := range []string{"", "plain", "é", "日本", "𝒞a𝒟", "nul\x00nul"} {
		if got, err := Text(mutf8(s)); err != nil || got != s {
			t.Errorf("Text(%q) = %q, %v", s, got, err)
		}
	}
	for _, bad := range []string{"\x00", "\x80", "\xc3", "\xe3\x81", "\xe3\x81x", "\xf0\x9d\x92\x9e"} {
		if got, err := Text(bad); err == nil {
			t.Errorf("Text(%q) = %q, want an error", bad, got)
		}
	}
	if got, err := Text("\xed\xa0\xb5x"); err != nil || got != "\ufffdx" {
		t.Errorf("a lone surrogate: %q, %v", got, err)
	}
}

// mutf8 encodes modified UTF-8 by its definition: each UTF-16 unit separately.
func mutf8(s string) string {
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
	return string(out)
}

// FuzzParse checks that reading any data gives a result, or an error with an offset.
func FuzzParse(f *testing.F) {
	f.Add(sample(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := readAll(data)
		var damage *syntax.Error
		if err != nil && (!errors.As(err, &damage) || damage.Offset < 0 || damage.Offset > int64(len(data))) {
			t.Errorf("error %+v", err)
		}
	})
}

// TestLineAt checks the position that Android uses for an address.
func TestLineAt(t *testing.T) {
	positions := []Position{{Address: 1, Line: 10, File: NoIndex}, {Address: 4, Line: 20, File: 7}, {Address: 4, Line: 21, File: NoIndex}, {Address: 8, Line: 30, File: NoIndex}}
	for address, want := range []Position{
		{Line: 0, File: NoIndex}, {Line: 10, File: NoIndex}, {Line: 10, File: NoIndex}, {Line: 10, File: NoIndex}, {Line: 20, File: 7},
		{Line: 21, File: NoIndex}, {Line: 21, File: NoIndex}, {Line: 21, File: NoIndex}, {Line: 30, File: NoIndex}, {Line: 30, File: NoIndex},
	} {
		if line, file := LineAt(positions, address); line != want.Line || file != want.File {
			t.Errorf("address %d: line %d of file %d, want %d of %d", address, line, file, want.Line, want.File)
		}
	}
	if line, file := LineAt(nil, 0); line != 0 || file != NoIndex {
		t.Errorf("line %d of file %d without positions", line, file)
	}
}
