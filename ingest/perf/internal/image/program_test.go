package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/diffprof/diffprof/ingest/perf/internal/data"
)

// library returns an ELF file with the given segments and one function.
func library(t *testing.T, segments []elf.Prog64, function string, at uint64) []byte {
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
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Phoff: head, Shoff: text + uint64(len(names)),
		Ehsize: uint16(head), Phentsize: uint16(segment), Phnum: uint16(len(segments)), Shentsize: uint16(section), Shnum: uint16(len(sections)), Shstrndx: 2,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var b bytes.Buffer
	for _, part := range []any{h, segments, symbols, []byte(names), sections} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// TestProgramLoadsItsCode checks that positions are converted by the segments with code alone. A library
// also has segments of data, and notes that are no segments of the loaded program.
func TestProgramLoadsItsCode(t *testing.T) {
	file := library(t, []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Off: 0, Filesz: 0x1000, Vaddr: 0x10000},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x1000, Filesz: 0x2000, Vaddr: 0x41000},
		{Type: uint32(elf.PT_NOTE), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x3000, Filesz: 0x1000, Vaddr: 0x90000},
	}, "decode", 0x41230)
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
		{0x20, 0x2fe0, 0x41020}, // behind the code: the mapping is assumed to be the one with the code
		{0x20, 0, 0x41020},      // the data's part of the file
	} {
		if got := p.address(c.place, c.offset); got != c.want {
			t.Errorf("position %#x of a mapping from %#x is %#x, want %#x", c.place, c.offset, got, c.want)
		}
	}
	if _, err := readProgram(fstest.MapFS{"lib/libmine.so": {Data: file}}, "lib/libmine.so", "aabb"); err == nil {
		t.Error("a file without the build id is read")
	}
}
