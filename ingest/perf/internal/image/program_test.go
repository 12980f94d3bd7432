package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/diffprof/diffprof/ingest/perf/internal/data"
)

// library returns an ELF file with the given segments, one function, and a build id unless it is empty.
func library(t *testing.T, segments []elf.Prog64, function string, at uint64, id string) []byte {
	t.Helper()
	names := "\x00" + function + "\x00"
	symbols := []elf.Sym64{{}, {Name: 1, Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: 1, Value: at, Size: 16}}
	head, segment, symbol, section := uint64(binary.Size(elf.Header64{})), uint64(binary.Size(elf.Prog64{})), uint64(elf.Sym64Size), uint64(binary.Size(elf.Section64{}))
	table := head + segment*uint64(len(segments))
	text := table + symbol*uint64(len(symbols))
	sections := []elf.Section64{
		{},
		{Type: uint32(elf.SHT_SYMTAB), Off: table, Size: text - table, Link: 2, Entsize: symbol},
		{Type: uint32(elf.SHT_STRTAB), Off: text, Size: uint64(len(names))},
	}
	var note []byte
	if id != "" {
		// A note of another kind comes first. Names and contents are padded to four bytes.
		note = append([]byte("\x04\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00GNU\x00ab\x00\x00"), "\x04\x00\x00\x00"+string(rune(len(id)))+"\x00\x00\x00\x03\x00\x00\x00GNU\x00"+id+strings.Repeat("\x00", -len(id)&3)...)
		sections = append(sections, elf.Section64{Type: uint32(elf.SHT_NOTE), Off: text + uint64(len(names)), Size: uint64(len(note))})
	}
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Phoff: head, Shoff: text + uint64(len(names)+len(note)),
		Ehsize: uint16(head), Phentsize: uint16(segment), Phnum: uint16(len(segments)), Shentsize: uint16(section), Shnum: uint16(len(sections)), Shstrndx: 2,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var b bytes.Buffer
	for _, part := range []any{h, segments, symbols, []byte(names), note, sections} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// TestProgramLoadsItsCode checks that only the segments with code are used to convert positions. A
// library also has segments of data, and notes that are not loaded.
func TestProgramLoadsItsCode(t *testing.T) {
	file := library(t, []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Off: 0, Filesz: 0x1000, Vaddr: 0x10000},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x1000, Filesz: 0x2000, Vaddr: 0x41000},
		{Type: uint32(elf.PT_NOTE), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x3000, Filesz: 0x1000, Vaddr: 0x90000},
	}, "decode", 0x41230, "")
	p, err := readProgram(fstest.MapFS{"lib/libmine.so": {Data: file}}, "lib/libmine.so", "")
	if err != nil {
		t.Fatal(err)
	}
	if want := []load{{0x1000, 0x2000, 0x41000}}; !slices.Equal(p.loads, want) || p.text != 0x41000 {
		t.Errorf("loads are %x from %#x, want %x", p.loads, p.text, want)
	}
	if want := []data.Symbol{{Address: 0x41230, Size: 16, Name: "decode"}}; !slices.Equal(p.symbols, want) {
		t.Errorf("functions are %+v, want %+v", p.symbols, want)
	}
	for _, c := range []struct{ place, offset, want uint64 }{
		{0x230, 0x1000, 0x41230},
		{0x20, 0x2fe0, 0x41020}, // after the code, so the mapping is assumed to be the one with the code
		{0x20, 0, 0x41020},      // the part of the file with data
	} {
		if got := p.address(c.place, c.offset); got != c.want {
			t.Errorf("position %#x of a mapping from %#x is %#x, want %#x", c.place, c.offset, got, c.want)
		}
	}
	if _, err := readProgram(fstest.MapFS{"lib/libmine.so": {Data: file}}, "lib/libmine.so", "aabb"); err == nil {
		t.Error("a file without the build id is read")
	}
}

// TestDebugSymbols finds the functions of a stripped library in a file of debug symbols with its build id.
// A file with another build id is not used, and is named as a problem.
func TestDebugSymbols(t *testing.T) {
	const id = "\x0a\xbc\xde\xf0\x11"
	code := []elf.Prog64{{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x1000, Filesz: 0x2000, Vaddr: 0x41000}}
	stripped, symbols, other := library(t, code, "", 0, id), library(t, nil, "decode", 0x41230, id), library(t, code, "wrong", 0x41230, "\x0b"+id[1:])
	for _, c := range []struct {
		what, recorded string
		files          fstest.MapFS
		want           string
		problems       int
	}{
		{"by the id in the recording", id + "\x00\x00\x00", fstest.MapFS{"lib/a.so": {Data: stripped}, ".build-id/0a/bcdef011.debug": {Data: symbols}}, "decode in /lib/a.so at 0x41234", 0},
		{"by the id in the library", "", fstest.MapFS{"lib/a.so": {Data: stripped}, "usr/lib/debug/.build-id/0a/bcdef011.debug": {Data: symbols}}, "decode in /lib/a.so at 0x41234", 0},
		{"by its path", "", fstest.MapFS{"lib/a.so": {Data: stripped}, "usr/lib/debug/lib/a.so.debug": {Data: symbols}}, "decode in /lib/a.so at 0x41234", 0},
		{"beside the recording", id, fstest.MapFS{"a.so": {Data: library(t, code, "decode", 0x41230, id)}}, "decode in /lib/a.so at 0x41234", 0},
		{"another build", id, fstest.MapFS{"lib/a.so": {Data: other}}, "? in /lib/a.so at 0x1234", 1},
		{"another build beside the right one", id, fstest.MapFS{"lib/a.so": {Data: other}, "a.so": {Data: library(t, code, "decode", 0x41230, id)}}, "decode in /lib/a.so at 0x41234", 0},
		{"no library", id, fstest.MapFS{"lib/a.so": {Data: []byte("text")}}, "? in /lib/a.so at 0x1234", 0},
	} {
		im := New(&data.Features{BuildIDs: map[string]string{"/lib/a.so": c.recorded}}, c.files)
		im.Map(data.Mapping{PID: 1, Start: 0x7000_1000, Size: 0x2000, Offset: 0x1000, Path: "/lib/a.so"}, false)
		if got := show(im.Find(1, 0x7000_1234, false)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
		problems := im.Problems()
		if len(problems) != c.problems || len(problems) > 0 && problems[0] != "a.so ("+"lib/a.so: "+errOther.Error()+")" {
			t.Errorf("%s: problems %q, want %d", c.what, problems, c.problems)
		}
	}
}
